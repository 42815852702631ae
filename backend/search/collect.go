package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// collector turns the legs into hits.
type collector struct {
	*finding
	reader store.Reader
	known  map[corpus.ID]store.Passage
}

// rank orders the candidates of both legs by the mode's own score.
func (c *collector) rank(ctx context.Context, keyword, vector Leg) ([]Fused, error) {
	missing, err := c.missing(ctx, keyword, vector)
	if err != nil {
		return nil, err
	}
	c.result.Diagnostics.Weight = c.weight()
	ranking := Fuse(keyword, vector, c.settings.Fusion, c.result.Diagnostics.Weight, missing)
	for i := range ranking {
		switch f := &ranking[i]; c.settings.Mode {
		case Keyword:
			f.Score = f.Keyword.Score
		case Vector:
			f.Score = f.Vector.Score
		}
	}
	if c.request.MinScore != nil {
		ranking = slices.DeleteFunc(ranking, func(f Fused) bool { return f.Score < *c.request.MinScore })
	}
	if c.ranker.pins() {
		c.pin(ranking)
	}
	return ranking, nil
}

// pin moves the passages that hold every name of the query to the front, by
// keyword rank. Scores are raised to those behind them, so that they fall with
// the rank.
func (c *collector) pin(ranking []Fused) {
	slices.SortStableFunc(ranking, func(a, b Fused) int {
		x, y := c.pinned(a), c.pinned(b)
		switch {
		case x && y:
			return a.Keyword.Rank - b.Keyword.Rank
		case x:
			return -1
		case y:
			return 1
		}
		return 0
	})
	for i := len(ranking) - 2; i >= 0; i-- {
		ranking[i].Score = max(ranking[i].Score, ranking[i+1].Score)
	}
}

func (c *collector) pinned(f Fused) bool {
	return f.Keyword != nil && c.scores[f.Chunk].named && c.ranker.pins()
}

// weightUnknown is the vector leg's greatest weight where the model does not
// know the language: for German with an English model, 0.5 is worse than words
// alone and 0.3 better.
const weightUnknown = 0.3

// weight is the vector leg's weight for this query.
func (c *collector) weight() float64 {
	w := c.settings.Weight
	if c.vector == nil || c.opt.Languages == nil || c.request.Weight != nil || w <= weightUnknown {
		return w
	}
	lang := analyze.Language(c.query.Text)
	if lang == "" && len(c.library.languages) > 0 {
		lang = c.library.languages[0]
	}
	if lang == "" || slices.Contains(c.opt.Languages, lang) {
		return w
	}
	c.note("the embedding model does not know the language %q well: its weight is %.1f", lang, weightUnknown)
	return weightUnknown
}

// missing tells which passages of the keyword leg have no vector, while the
// library's vectors are not complete.
func (c *collector) missing(ctx context.Context, keyword, vector Leg) (func(corpus.ID) bool, error) {
	lacking := c.library.chunks - c.library.embedded
	if c.vector == nil || lacking <= 0 {
		return nil, nil
	}
	c.note("%d of %d passages have no vector yet and are found by their words only", lacking, c.library.chunks)
	near := make(map[corpus.ID]bool, len(vector.Found))
	for _, v := range vector.Found {
		near[v.Chunk] = true
	}
	var ids []corpus.ID
	for _, k := range keyword.Found {
		if !near[k.Chunk] {
			ids = append(ids, k.Chunk)
		}
	}
	if err := c.fetch(ctx, ids); err != nil {
		return nil, err
	}
	hashes := make([]corpus.Hash, 0, len(ids))
	for _, id := range ids {
		if p, ok := c.known[id]; ok {
			hashes = append(hashes, p.Hash)
		}
	}
	have, err := c.reader.HaveVectors(ctx, c.library.generation.Space, hashes)
	return func(id corpus.ID) bool { return !have[c.known[id].Hash] }, err
}

// fetch reads passages that are not known yet.
func (c *collector) fetch(ctx context.Context, ids []corpus.ID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id corpus.ID) bool { _, ok := c.known[id]; return ok })
	if len(ids) == 0 {
		return nil
	}
	passages, err := c.reader.Fetch(ctx, ids)
	if err != nil {
		return err
	}
	for _, p := range passages {
		c.known[p.ID] = p
	}
	return nil
}

// collect fetches passages in the ranking's order until K different ones are
// hits. Those with the same words as a hit before them are folded into it;
// those without a phrase that must occur, or with one that must not, are left out.
func (c *collector) collect(ctx context.Context, ranking []Fused) error {
	m := newMatcher(c.ranker.units, c.ranker.weight)
	same := make(map[string]int) // words -> hit
	k := c.settings.K
	for from := 0; from < len(ranking) && len(c.result.Hits) < k; {
		batch := ranking[from:min(len(ranking), from+k+k/2+1)]
		from += len(batch)
		ids := make([]corpus.ID, len(batch))
		for i, f := range batch {
			ids[i] = f.Chunk
		}
		if err := c.fetch(ctx, ids); err != nil {
			return err
		}
		for _, f := range batch {
			p, ok := c.known[f.Chunk]
			if !ok || !c.allowed(p) {
				continue
			}
			words := strings.Join(strings.Fields(p.Content), " ")
			if i, ok := same[words]; ok {
				c.result.Hits[i].Duplicates = append(c.result.Hits[i].Duplicates, p)
				continue
			}
			if len(c.result.Hits) == k {
				continue // only duplicates of hits are still of interest
			}
			same[words] = len(c.result.Hits)
			c.result.Hits = append(c.result.Hits, c.hit(f, p, m))
		}
	}
	return nil
}

func (c *collector) allowed(p store.Passage) bool {
	if len(c.must) == 0 && len(c.not) == 0 {
		return true
	}
	tokens := c.analyzer.Tokens(p.Input(), p.Document.Language)
	for _, phrase := range c.must {
		if !phrase.in(tokens) {
			return false
		}
	}
	for _, phrase := range c.not {
		if phrase.in(tokens) {
			return false
		}
	}
	return true
}

func (c *collector) hit(f Fused, p store.Passage, m *matcher) Hit {
	s := c.scores[f.Chunk]
	shown := c.plainer.plain(p.Content, p.Document.Type)
	h := Hit{
		Rank: len(c.result.Hits) + 1, Score: f.Score, Keyword: f.Keyword, Vector: f.Vector,
		Passage: p, Support: c.support(s.coverage, f.Vector), Pinned: c.pinned(f),
		Snippet: m.snip(shown, c.analyzer.Tokens(shown, p.Document.Language)),
	}
	h.Why = c.why(f, s)
	if c.request.Explain && f.Keyword != nil {
		for i, u := range c.ranker.units {
			if s.times[i] > 0 {
				h.Terms = append(h.Terms, TermScore{Term: u.Text, Frequency: s.times[i], Passages: c.ranker.df[i], Score: s.units[i]})
			}
		}
	}
	return h
}

// why says in words why a hit stands where it stands.
func (c *collector) why(f Fused, s score) string {
	var parts []string
	if c.pinned(f) {
		var names []string
		for _, u := range c.ranker.units {
			if c.ranker.isName(u) {
				names = append(names, u.Text)
			}
		}
		parts = append(parts, "holds "+strings.Join(names, ", ")+", so it stands first")
	}
	if f.Keyword != nil {
		var words []string
		for i, u := range c.ranker.units {
			if s.times[i] > 0 && !u.Piece {
				words = append(words, u.Text)
			}
		}
		parts = append(parts, fmt.Sprintf("no. %d by words (BM25 %.2f: %s)", f.Keyword.Rank, f.Keyword.Score, strings.Join(words, ", ")))
	}
	if f.Vector != nil {
		parts = append(parts, fmt.Sprintf("no. %d by meaning (cosine %.2f)", f.Vector.Rank, f.Vector.Score))
	}
	return strings.Join(parts, "; ")
}
