package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"slices"
	"sync"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite/bitset"
	"ibid/backend/store/sqlite/scan"
)

// codeCache keeps blocks of codes in memory. A block never changes under its
// number, so that it serves every snapshot that has the number; what is dead
// in it the snapshot says.
type codeCache struct {
	mu     sync.Mutex
	blocks map[int64]*scan.Block
	newest int64 // library revision of the youngest snapshot that searched
}

func newCodeCache() *codeCache { return &codeCache{blocks: map[int64]*scan.Block{}} }

// get returns the block, from memory if it is there. Two searches that miss at
// once read it twice.
func (c *codeCache) get(ctx context.Context, t *tx, num int64, dimensions int) (*scan.Block, error) {
	c.mu.Lock()
	b := c.blocks[num]
	c.mu.Unlock()
	if b != nil {
		return b, nil
	}
	b, err := readCodes(ctx, t, num, dimensions)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks[num] = b
	return b, nil
}

// trim forgets what no snapshot from revision on can have: all but the given
// blocks. An older snapshot that still searches reads again what it needs.
func (c *codeCache) trim(revision int64, present map[int64]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if revision < c.newest {
		return
	}
	c.newest = revision
	for num := range c.blocks {
		if !present[num] {
			delete(c.blocks, num)
		}
	}
}

// searchVectors returns the nearest passages exactly: the codes give the
// candidates, the stored floats the order.
func (r *reader) searchVectors(ctx context.Context, t *tx, g generation, q *store.Vector, documents *bitset.Set) ([]store.VectorHit, error) {
	type part struct {
		num  int64
		dead bitset.Set
	}
	var parts []part
	present := map[int64]bool{}
	if err := t.each(ctx, "SELECT c.num, c.generation, c.dead_set FROM codes c JOIN generations g ON g.num = c.generation WHERE g.tenant = ?", []any{r.db.tenant[:]}, func(read func(...any) error) error {
		var p part
		var of int64
		if err := read(&p.num, &of, (*[]byte)(&p.dead)); err != nil {
			return err
		}
		present[p.num] = true
		if of == g.num {
			parts = append(parts, p)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	r.db.codes.trim(r.revision, present)
	search := scan.New(q.Query, q.Limit)
	for _, p := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := r.db.codes.get(ctx, t, p.num, g.Space.Dimensions)
		if err != nil {
			return nil, err
		}
		search.Add(b, p.dead, documents)
	}
	return r.rank(ctx, t, g, q, search.Candidates())
}

// rank orders candidates by the cosine with their stored vectors.
func (r *reader) rank(ctx context.Context, t *tx, g generation, q *store.Vector, chunks []uint64) ([]store.VectorHit, error) {
	hits := make([]store.VectorHit, 0, len(chunks))
	scores := map[corpus.Hash]float64{} // repeated passages share a vector
	var vector []float32
	for _, num := range chunks {
		var h store.VectorHit
		var input corpus.Hash
		found, err := t.row(ctx, "SELECT id, hash FROM chunks WHERE num = ?", []any{num}, id(&h.Chunk), hash(&input))
		if err != nil {
			return nil, err
		}
		score, known := scores[input]
		if found && !known {
			found = false
			if err := t.each(ctx, "SELECT vector FROM vectors WHERE space = ? AND hash = ?", []any{g.space, input[:]}, func(read func(...any) error) error {
				var b sql.RawBytes
				if err := read(&b); err != nil {
					return err
				}
				found = true
				vector, err = decodeVector(vector, b)
				return err
			}); err != nil {
				return nil, err
			}
			if found && len(vector) == len(q.Query) {
				score = store.Cosine(q.Query, vector)
				scores[input] = score
			}
		}
		if !found || (!known && len(vector) != len(q.Query)) {
			return nil, errCodes
		}
		h.Score = score
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b store.VectorHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.Chunk[:], b.Chunk[:]))
	})
	return hits[:min(len(hits), q.Limit)], nil
}
