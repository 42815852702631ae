package postgres

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// exactUpTo is how many passages are compared one by one rather than by the
// HNSW index: a scan of so many costs little more than the index, and finds
// all, however small a part of the table they are.
const exactUpTo = 10_000

// Search implements store.Reader. The first exchange with the server brings
// what the choice of terms needs and the vector leg, the second the keyword
// leg; both are of the snapshot.
func (r *reader) Search(ctx context.Context, q store.Query) (store.Candidates, error) {
	c, err := r.search(ctx, q)
	return c, wrap("search", err)
}

func (r *reader) search(ctx context.Context, q store.Query) (store.Candidates, error) {
	c := store.Candidates{Exact: true}
	if err := q.Validate(); err != nil {
		return c, err
	}
	if q.Lexical != nil {
		c.Stats.Frequency = make([]int, len(q.Lexical.Terms))
	}
	g := r.generation(q.Generation)
	if g.ID == 0 {
		return c, nil
	}
	if q.Vector != nil && len(q.Vector.Query) != g.Space.Dimensions {
		return c, fmt.Errorf("%w: query vector of %d dimensions in the space %q", corpus.ErrInvalid, len(q.Vector.Query), g.Space)
	}
	c.Stats.Chunks, c.Stats.Length = g.chunks, g.length
	var l *lexical
	var v *nearest
	first := &batch{db: r.db}
	if q.Lexical != nil {
		l = &lexical{Lexical: q.Lexical, generation: g, filter: q.Filter, lexicon: newLexicon(g.ID)}
		l.queryFrequencies(first, c.Stats.Frequency)
		l.queryClipped(first)
	}
	if q.Vector != nil {
		v = &nearest{Vector: q.Vector, generation: g, filter: q.Filter, exact: g.chunks <= r.db.exactUpTo || !r.db.vectors || indexType(g.Space.Dimensions) == ""}
		if v.exact || len(q.Filter) == 0 {
			if err := v.query(first); err != nil {
				return c, err
			}
		} else if err := v.queryReach(first); err != nil {
			return c, err
		}
	}
	if err := r.run(ctx, first); err != nil {
		return c, err
	}
	second := &batch{db: r.db}
	if l != nil {
		if err := l.queryPool(second, c.Stats); err != nil {
			return c, err
		}
	}
	if v != nil && v.asked == 0 {
		v.exact = v.reach <= r.db.exactUpTo
		if err := v.query(second); err != nil {
			return c, err
		}
	}
	if err := r.run(ctx, second); err != nil {
		return c, err
	}
	if v != nil {
		if err := v.complete(ctx, r); err != nil {
			return c, err
		}
		c.Vector, c.Exact = v.hits, v.exact
	}
	if l != nil {
		c.Lexical = l.hits
	}
	return c, nil
}

// nearest is one run of the vector leg.
type nearest struct {
	*store.Vector
	generation
	filter store.Filter
	exact  bool
	asked  int // queries so far
	reach  int // passages with a vector that pass the filter, if it was asked for
	hits   []store.VectorHit
}

// queryReach queues the question how much the filter leaves.
func (v *nearest) queryReach(b *batch) error {
	condition, args, err := filtered("m.document", v.filter, b.db.tenant, []any{b.db.tenant, v.ID})
	if err != nil {
		return err
	}
	b.row("SELECT coalesce(sum(m.embedded), 0) FROM kb_embeddings_made m WHERE m.tenant_id = $1 AND m.generation = $2 AND "+condition, args, &v.reach)
	return nil
}

// query queues the search for the nearest passages.
func (v *nearest) query(b *batch) error {
	v.asked++
	v.hits = nil
	if !b.db.vectors {
		return v.scan(b)
	}
	args := []any{b.db.tenant, v.ID, b.db.vectorText(v.Query), v.Limit}
	distance := "(e.embedding <=> $3::text::vector)"
	and := "e.dimensions IS NOT NULL"
	if !v.exact {
		n := strconv.Itoa(v.Space.Dimensions)
		kind := indexType(v.Space.Dimensions)
		distance = "(e.embedding::" + kind + "(" + n + ") <=> $3::text::" + kind + "(" + n + "))"
		and = "e.dimensions = " + n
		b.exec("SELECT set_config('hnsw.ef_search', $1, true)", strconv.Itoa(min(1000, max(100, v.Limit))))
	}
	condition, args, err := filtered("e.document", v.filter, b.db.tenant, args)
	if err != nil {
		return err
	}
	b.rows("SELECT e.id, "+distance+" AS distance FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND "+and+" AND "+condition+
		" ORDER BY distance"+v.ties()+" LIMIT $4", args, func(scan func(...any) error) error {
		var h store.VectorHit
		var distance float64
		err := scan(&h.Chunk, &distance)
		h.Score = max(-1, min(1, 1-distance))
		v.hits = append(v.hits, h)
		return err
	})
	return nil
}

// ties is the order of passages at one distance; the index knows no such order.
func (v *nearest) ties() string {
	if v.exact {
		return ", e.id"
	}
	return ""
}

// complete puts the hits in order, and searches exactly where the index gave
// up before it found as many as there are.
func (v *nearest) complete(ctx context.Context, r *reader) error {
	if v.exact {
		if !r.db.vectors {
			v.sort()
			v.hits = v.hits[:min(len(v.hits), v.Limit)]
		}
		return nil
	}
	reach := v.reach
	if len(v.filter) == 0 {
		reach = v.chunks
	}
	if len(v.hits) < min(v.Limit, reach) {
		v.exact = true
		b := &batch{db: r.db}
		if err := v.query(b); err != nil {
			return err
		}
		return r.run(ctx, b)
	}
	v.sort()
	return nil
}

func (v *nearest) sort() {
	slices.SortFunc(v.hits, func(a, b store.VectorHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.Chunk[:], b.Chunk[:]))
	})
}

// scan queues the reading of all vectors, for a database that cannot compare
// them.
func (v *nearest) scan(b *batch) error {
	condition, args, err := filtered("e.document", v.filter, b.db.tenant, []any{b.db.tenant, v.ID})
	if err != nil {
		return err
	}
	b.rows("SELECT e.id, e.embedding FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND e.dimensions IS NOT NULL AND "+condition, args,
		func(scan func(...any) error) error {
			var h store.VectorHit
			var embedding []float32
			err := scan(&h.Chunk, &embedding)
			h.Score = store.Cosine(v.Query, embedding)
			v.hits = append(v.hits, h)
			if len(v.hits) >= 2*v.Limit+1000 { // memory does not grow with the library
				v.sort()
				v.hits = v.hits[:v.Limit]
			}
			return err
		})
	return nil
}
