package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"ibid/backend/store/sqlite/bitset"
	"ibid/backend/store/sqlite/scan"
)

// Blocks of codes are merged like segments, up to the size that is read at once.
const (
	codesFanout = 4
	largeCodes  = 1024 // rows
)

var errCodes = errors.New("vector codes disagree with the passages")

// codes is a row of the table of that name.
type codes struct {
	num         int64
	first, last int64 // library revisions
	count       int
	dead        int
	deadSet     bitset.Set // with chunks, once loaded
	chunks      []byte
}

func (c *codes) living() int { return c.count - c.dead }

func (c *codes) class() int {
	if c.living() >= largeCodes {
		return large
	}
	return sizeClass(c.living(), codesFanout)
}

// place returns where in the block a passage's code is.
func (c *codes) place(chunk uint64) (uint64, bool) {
	for i := 0; i < len(c.chunks); i += 8 {
		n := uint64(i / 8)
		if binary.LittleEndian.Uint64(c.chunks[i:]) == chunk && !c.deadSet.Has(n) {
			return n, true
		}
	}
	return 0, false
}

// load reads what only a block needs that is to be changed.
func (c *codes) load(ctx context.Context, t *tx) error {
	if c.chunks != nil {
		return nil
	}
	_, err := t.row(ctx, "SELECT dead_set, chunks FROM codes WHERE num = ?", []any{c.num}, (*[]byte)(&c.deadSet), &c.chunks)
	return err
}

// updateCodes writes which passages of a generation lost a vector and got one.
func (w *writeTx) updateCodes(ctx context.Context, x *indexChange) error {
	if len(x.embedded) == 0 && len(x.lost) == 0 {
		return nil
	}
	var all []*codes
	if err := w.each(ctx, "SELECT num, first, last, count, dead FROM codes WHERE generation = ? ORDER BY first, num", []any{x.num}, func(scan func(...any) error) error {
		c := &codes{}
		all = append(all, c)
		return scan(&c.num, &c.first, &c.last, &c.count, &c.dead)
	}); err != nil {
		return err
	}
	all, err := w.killCodes(ctx, x, all)
	if err != nil {
		return err
	}
	for rows := range slices.Chunk(x.embedded, largeCodes) {
		c, err := w.writeCodes(ctx, x, w.revision, w.revision, scan.Encode(x.Space.Dimensions, rows))
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	for {
		n := mergeable(all, (*codes).class, codesFanout)
		if n == 0 {
			return nil
		}
		first := len(all) - n
		c, err := w.mergeCodes(ctx, x, all[first:])
		if err != nil {
			return err
		}
		all = append(all[:first], c)
	}
}

// killCodes marks lost passages' codes dead, as bury does in segments.
func (w *writeTx) killCodes(ctx context.Context, x *indexChange, all []*codes) ([]*codes, error) {
	touched := map[*codes]bool{}
	slices.SortFunc(x.lost, func(a, b codedChunk) int { return int(a.revision - b.revision) })
	for _, lost := range x.lost {
		found := false
		from, _ := slices.BinarySearchFunc(all, lost.revision, func(c *codes, revision int64) int { return int(c.last - revision) })
		for _, c := range all[from:] {
			if c.first > lost.revision {
				break
			}
			if err := c.load(ctx, w.tx); err != nil {
				return nil, err
			}
			place, ok := c.place(lost.num)
			if !ok {
				continue
			}
			c.deadSet.Add(place)
			c.dead++
			touched[c] = true
			found = true
			break
		}
		if !found {
			return nil, errCodes
		}
	}
	kept := all[:0]
	for _, c := range all {
		switch {
		case c.living() == 0:
			if err := w.dropCodes(ctx, c); err != nil {
				return nil, err
			}
			continue
		case touched[c] && c.dead > c.living():
			anew, err := w.mergeCodes(ctx, x, []*codes{c})
			if err != nil {
				return nil, err
			}
			c = anew
		case touched[c]:
			if _, err := w.exec(ctx, "UPDATE codes SET dead = ?, dead_set = ? WHERE num = ?", c.dead, []byte(c.deadSet), c.num); err != nil {
				return nil, err
			}
		}
		kept = append(kept, c)
	}
	return kept, nil
}

// mergeCodes replaces neighbouring blocks by one without dead rows.
func (w *writeTx) mergeCodes(ctx context.Context, x *indexChange, parts []*codes) (*codes, error) {
	blocks := make([]*scan.Block, len(parts))
	dead := make([]bitset.Set, len(parts))
	for i, c := range parts {
		if err := c.load(ctx, w.tx); err != nil {
			return nil, err
		}
		b, err := readCodes(ctx, w.tx, c.num, x.Space.Dimensions)
		if err != nil {
			return nil, err
		}
		blocks[i], dead[i] = b, c.deadSet
	}
	merged, err := w.writeCodes(ctx, x, parts[0].first, parts[len(parts)-1].last, scan.Join(blocks, dead))
	if err != nil {
		return nil, err
	}
	for _, c := range parts {
		if err := w.dropCodes(ctx, c); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

func (w *writeTx) writeCodes(ctx context.Context, x *indexChange, first, last int64, data []byte) (*codes, error) {
	b, err := scan.Decode(x.Space.Dimensions, data)
	if err != nil {
		return nil, err
	}
	c := &codes{first: first, last: last, count: b.Len(), chunks: make([]byte, 0, 8*b.Len())}
	for _, n := range b.Nums {
		c.chunks = binary.LittleEndian.AppendUint64(c.chunks, n)
	}
	if c.num, err = w.insert(ctx, "INSERT INTO codes (tenant, generation, first, last, count, dead, chunks) VALUES (?, ?, ?, ?, ?, 0, ?)", w.tenant, x.num, first, last, c.count, c.chunks); err != nil {
		return nil, err
	}
	_, err = w.exec(ctx, "INSERT INTO code_blocks (codes, tenant, data) VALUES (?, ?, ?)", c.num, w.tenant, data)
	return c, err
}

func (w *writeTx) dropCodes(ctx context.Context, c *codes) error {
	if _, err := w.exec(ctx, "DELETE FROM code_blocks WHERE codes = ?", c.num); err != nil {
		return err
	}
	_, err := w.exec(ctx, "DELETE FROM codes WHERE num = ?", c.num)
	return err
}

// readCodes reads a block, which must be there.
func readCodes(ctx context.Context, t *tx, num int64, dimensions int) (*scan.Block, error) {
	var data []byte
	found, err := t.row(ctx, "SELECT data FROM code_blocks WHERE codes = ?", []any{num}, &data)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errCodes
	}
	return scan.Decode(dimensions, data)
}
