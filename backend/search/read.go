package search

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// read asks the store for candidates, ranks them and fetches the hits.
func (f *finding) read(ctx context.Context, r store.Reader) error {
	begun := time.Now()
	filter := append(append(append(store.Filter{}, f.request.Filter...), f.query.Filter...), f.query.Guessed...)
	found, err := r.Search(ctx, store.Query{Generation: f.library.generation.ID, Lexical: f.lexical, Vector: f.vector, Filter: filter})
	if err != nil {
		return err
	}
	if found.Stats.Chunks == 0 && f.library.chunks > 0 {
		return errSwitched
	}
	d := &f.result.Diagnostics
	d.Read, d.Exact = time.Since(begun), found.Exact
	begun = time.Now()
	keyword, err := f.score(found)
	if err != nil {
		return err
	}
	for i, u := range f.ranker.units {
		f.result.Asked = append(f.result.Asked, Asked{u, f.ranker.df[i], f.ranker.weight(i)})
	}
	vector := make([]Scored, len(found.Vector))
	for i, v := range found.Vector {
		// Stores add up in different orders: what differs by rounding only is
		// equal, so that all rank it equally.
		vector[i] = Scored{Chunk: v.Chunk, Score: math.Round(v.Score*1e6) / 1e6}
	}
	d.KeywordPool, d.KeywordFound, d.VectorFound = len(found.Lexical), len(keyword), len(vector)
	c := collector{finding: f, reader: r, known: make(map[corpus.ID]store.Passage)}
	near := NewLeg(vector, f.depth())
	if len(near.Found) == f.depth() {
		f.far = &near.Below
	}
	ranking, err := c.rank(ctx, NewLeg(keyword, f.depth()), near)
	if err != nil {
		return err
	}
	if f.irrelevant(ranking) {
		d.Irrelevant = true
		switch {
		case len(ranking) > 0:
			f.note("the best passage supports the query by %.2f, where %.2f is the least", max(0, d.BestSupport), relevantSupport)
		case len(filter) > 0:
			f.note("no passage passes the filters")
		}
	} else {
		err = c.collect(ctx, ranking)
	}
	d.Fit = time.Since(begun)
	return err
}

// score ranks the keyword candidates and keeps the best of them.
func (f *finding) score(found store.Candidates) ([]Scored, error) {
	if f.lexical == nil {
		return nil, nil
	}
	if err := f.ranker.weigh(found.Stats); err != nil {
		return nil, err
	}
	f.result.Unknown = f.ranker.unknown()
	f.scores = make(map[corpus.ID]score, len(found.Lexical))
	var keyword []Scored
	for _, hit := range found.Lexical {
		s, err := f.ranker.score(hit)
		if err != nil {
			return nil, err
		}
		if s.sum > 0 {
			f.scores[hit.Chunk] = s
			keyword = append(keyword, Scored{Chunk: hit.Chunk, Score: s.sum, Tie: digest(hit.Terms)})
		}
	}
	return keyword, nil
}

// digest is a number for a passage's terms (FNV-1a).
func digest(terms []byte) uint64 {
	h := fnv.New64a()
	h.Write(terms)
	return h.Sum64()
}

// describe names conditions for a note.
func describe(filter store.Filter) string {
	texts := make([]string, len(filter))
	for i, c := range filter {
		texts[i] = fmt.Sprintf("%s %v", c.Field, c.Values[0])
	}
	return strings.Join(texts, ", ")
}
