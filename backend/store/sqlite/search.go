package sqlite

import (
	"context"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Search implements store.Reader.
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
	g, err := r.generation(ctx, q.Generation)
	if err != nil || g.num == 0 {
		return c, err
	}
	if q.Vector != nil && len(q.Vector.Query) != g.Space.Dimensions {
		return c, fmt.Errorf("%w: query vector of %d dimensions in the space %q", corpus.ErrInvalid, len(q.Vector.Query), g.Space)
	}
	documents, err := filtered(ctx, r.tx, r.db.tenant, q.Filter)
	if err != nil {
		return c, err
	}
	c.Stats.Chunks, c.Stats.Length = g.chunks, g.length
	if q.Lexical != nil {
		if c.Lexical, c.Stats, err = searchLexical(ctx, r.tx, g, q.Lexical, documents); err != nil {
			return c, err
		}
	}
	if q.Vector != nil {
		c.Vector, err = r.searchVectors(ctx, r.tx, g, q.Vector, documents)
	}
	return c, err
}
