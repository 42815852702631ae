package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"ibid/backend/store/sqlite/bitset"
	"ibid/backend/store/sqlite/postings"
)

// Segments are merged like the levels of a log-structured tree (see
// mergeable). A segment of the largest class is left alone, so that no commit
// ever rewrites the whole index.
const (
	segmentFanout = 16
	largeSegment  = 32768 // passages
)

// segment is a row of the table "segments".
type segment struct {
	num         int64
	first, last uint64
	chunks      int
	dead        int
	deadSet     bitset.Set
}

func (s *segment) living() int          { return s.chunks - s.dead }
func (s *segment) isDead(n uint64) bool { return s.deadSet.Has(n - s.first) }

// class is the size class, by living passages.
func (s *segment) class() int {
	if s.living() >= largeSegment {
		return large
	}
	return sizeClass(s.living(), segmentFanout)
}

// readSegments returns a generation's segments by their ranges.
func readSegments(ctx context.Context, t *tx, generation int64) ([]*segment, error) {
	var list []*segment
	err := t.each(ctx, "SELECT num, first, last, chunks, dead, dead_set FROM segments WHERE generation = ? ORDER BY first", []any{generation}, func(scan func(...any) error) error {
		s := &segment{}
		list = append(list, s)
		return scan(&s.num, &s.first, &s.last, &s.chunks, &s.dead, (*[]byte)(&s.deadSet))
	})
	return list, err
}

// findBlock calls fn with the block of the segment that may hold key, if there
// is one. The block is valid until fn returns.
func findBlock(ctx context.Context, t *tx, segment int64, key []byte, fn func(block []byte) error) error {
	return t.each(ctx, "SELECT data FROM blocks WHERE segment = ? AND key <= ? ORDER BY key DESC LIMIT 1", []any{segment, key}, func(scan func(...any) error) error {
		var data sql.RawBytes
		if err := scan(&data); err != nil {
			return err
		}
		return fn(data)
	})
}

// updateIndex writes what a transaction did to a generation's passages.
func (w *writeTx) updateIndex(ctx context.Context, x *indexChange) error {
	if len(x.added) == 0 && len(x.removed) == 0 {
		return nil
	}
	if _, err := w.exec(ctx, "UPDATE generations SET chunks = chunks + ?, length = length + ? WHERE num = ?", x.chunks, x.lengths, x.num); err != nil {
		return err
	}
	segments, err := readSegments(ctx, w.tx, x.num)
	if err != nil {
		return err
	}
	if segments, err = w.bury(ctx, x, segments); err != nil {
		return err
	}
	if len(x.added) > 0 {
		s, err := w.writeSegment(ctx, x, x.added[0].Num, x.added[len(x.added)-1].Num, len(x.added), func(emit func(postings.Block) error) error {
			return postings.Build(x.added[0].Num, x.added, emit)
		})
		if err != nil {
			return err
		}
		segments = append(segments, s)
	}
	for {
		n := mergeable(segments, (*segment).class, segmentFanout)
		if n == 0 {
			return nil
		}
		first := len(segments) - n
		s, err := w.merge(ctx, x, segments[first:])
		if err != nil {
			return err
		}
		segments = append(segments[:first], s)
	}
}

// bury marks removed passages dead. A segment that is mostly dead is written
// anew, one without a living passage deleted.
func (w *writeTx) bury(ctx context.Context, x *indexChange, segments []*segment) ([]*segment, error) {
	slices.Sort(x.removed)
	touched := map[*segment]bool{}
	i := 0
	for _, n := range x.removed {
		for i < len(segments) && segments[i].last < n {
			i++
		}
		if i == len(segments) || n < segments[i].first {
			return nil, postings.ErrDamaged // every stored passage is in a segment
		}
		s := segments[i]
		if s.deadSet.Add(n - s.first) {
			s.dead++
		}
		touched[s] = true
	}
	kept := segments[:0]
	for _, s := range segments {
		switch {
		case s.living() == 0:
			if err := w.dropSegment(ctx, s); err != nil {
				return nil, err
			}
			continue
		case touched[s] && s.dead > s.living():
			anew, err := w.merge(ctx, x, []*segment{s})
			if err != nil {
				return nil, err
			}
			s = anew
		case touched[s]:
			if _, err := w.exec(ctx, "UPDATE segments SET dead = ?, dead_set = ? WHERE num = ?", s.dead, []byte(s.deadSet), s.num); err != nil {
				return nil, err
			}
		}
		kept = append(kept, s)
	}
	return kept, nil
}

// compact rewrites the segments that have dead passages.
func (w *writeTx) compact(ctx context.Context) error {
	var generations []int64
	if err := w.each(ctx, "SELECT DISTINCT g.num FROM generations g JOIN segments s ON s.generation = g.num WHERE g.tenant = ? AND s.dead > 0", []any{w.tenant}, func(scan func(...any) error) error {
		var g int64
		err := scan(&g)
		generations = append(generations, g)
		return err
	}); err != nil {
		return err
	}
	for _, g := range generations {
		segments, err := readSegments(ctx, w.tx, g)
		if err != nil {
			return err
		}
		for _, s := range segments {
			if s.dead > 0 {
				if _, err := w.merge(ctx, &indexChange{generation: generation{num: g}}, []*segment{s}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// merge replaces neighbouring segments by one without their dead passages.
func (w *writeTx) merge(ctx context.Context, x *indexChange, segments []*segment) (*segment, error) {
	inputs := make([]postings.Input, len(segments))
	living := 0
	for i, s := range segments {
		living += s.living()
		key := []byte{}
		inputs[i] = postings.Input{Base: s.first, Dead: s.deadSet, Next: func() (postings.Block, error) {
			var b postings.Block
			found, err := w.row(ctx, "SELECT key, data FROM blocks WHERE segment = ? AND key > ? ORDER BY key LIMIT 1", []any{s.num, key}, &b.Key, &b.Data)
			if err != nil || !found {
				return postings.Block{}, err
			}
			key = b.Key
			return b, nil
		}}
	}
	first := segments[0].first
	merged, err := w.writeSegment(ctx, x, first, segments[len(segments)-1].last, living, func(emit func(postings.Block) error) error {
		return postings.Merge(first, inputs, emit)
	})
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		if err := w.dropSegment(ctx, s); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

func (w *writeTx) writeSegment(ctx context.Context, x *indexChange, first, last uint64, chunks int, build func(emit func(postings.Block) error) error) (*segment, error) {
	num, err := w.insert(ctx, "INSERT INTO segments (tenant, generation, first, last, chunks, dead) VALUES (?, ?, ?, ?, ?, 0)", w.tenant, x.num, first, last, chunks)
	if err != nil {
		return nil, err
	}
	err = build(func(b postings.Block) error {
		_, err := w.exec(ctx, "INSERT INTO blocks (tenant, segment, key, data) VALUES (?, ?, ?, ?)", w.tenant, num, b.Key, b.Data)
		return err
	})
	return &segment{num: num, first: first, last: last, chunks: chunks}, err
}

func (w *writeTx) dropSegment(ctx context.Context, s *segment) error {
	if _, err := w.exec(ctx, "DELETE FROM blocks WHERE segment = ?", s.num); err != nil {
		return err
	}
	_, err := w.exec(ctx, "DELETE FROM segments WHERE num = ?", s.num)
	return err
}
