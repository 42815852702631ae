package sqlite

import (
	"bytes"
	"cmp"
	"database/sql"
	"math"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

type scans struct{}

func newScans() *scans { return &scans{} }

// searchVectors returns the nearest passages by an exact scan.
func (r *reader) searchVectors(t *tx, g generation, q *store.Vector, documents *documentSet) ([]store.VectorHit, error) {
	var hits []store.VectorHit
	var v []float32
	err := t.each("SELECT c.id, c.document, v.vector FROM chunks c JOIN vectors v ON v.space = ? AND v.hash = c.hash WHERE c.generation = ? AND c.embedded IS NOT NULL", []any{g.space, g.num}, func(scan func(...any) error) error {
		var h store.VectorHit
		var document uint64
		var b sql.RawBytes
		if err := scan(id(&h.Chunk), &document, &b); err != nil {
			return err
		}
		if documents != nil && !documents.has(document) {
			return nil
		}
		var err error
		if v, err = decodeVector(v, b); err != nil {
			return err
		}
		h.Score = cosine(q.Query, v)
		hits = append(hits, h)
		return nil
	})
	slices.SortFunc(hits, func(a, b store.VectorHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.Chunk[:], b.Chunk[:]))
	})
	return hits[:min(len(hits), q.Limit)], err
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
	}
	return max(-1, min(1, dot/math.Sqrt(aa*bb)))
}

var _ = corpus.NoID
