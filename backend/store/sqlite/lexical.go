package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite/bitset"
	"ibid/backend/store/sqlite/postings"
)

// lexical is one run of the keyword leg.
type lexical struct {
	*tx
	segments []*segment
}

// candidate is a passage of the pool; score is the sum that decides when the
// pool is too large.
type candidate struct {
	num   uint64
	score float64
	id    corpus.ID
}

// searchLexical applies the rule of store.Lexical. documents is nil without a filter.
func searchLexical(ctx context.Context, t *tx, g generation, l *store.Lexical, documents *bitset.Set) ([]store.LexicalHit, store.Stats, error) {
	stats := store.Stats{Chunks: g.chunks, Length: g.length, Frequency: make([]int, len(l.Terms))}
	segments, err := readSegments(ctx, t, g.num)
	if err != nil {
		return nil, stats, err
	}
	x := &lexical{tx: t, segments: segments}
	lists := make([][]uint64, len(l.Terms))
	for i, term := range l.Terms {
		if lists[i], err = x.term(ctx, term); err != nil {
			return nil, stats, err
		}
		stats.Frequency[i] = len(lists[i])
	}
	taken := l.Choose(stats.Frequency)
	var pool []candidate
	for _, i := range taken {
		pool = addTerm(pool, lists[i], store.IDF(stats.Chunks, stats.Frequency[i]))
	}
	if pool, err = x.require(ctx, pool, lists, l); err != nil {
		return nil, stats, err
	}
	if pool, err = x.cut(ctx, pool, l.Limit, documents); err != nil {
		return nil, stats, err
	}
	hits := make([]store.LexicalHit, 0, len(pool))
	for _, c := range pool {
		var h store.LexicalHit
		if _, err := t.row(ctx, "SELECT id, terms, length FROM chunks WHERE num = ?", []any{c.num}, id(&h.Chunk), &h.Terms, &h.Length); err != nil {
			return nil, stats, err
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b store.LexicalHit) int { return bytes.Compare(a.Chunk[:], b.Chunk[:]) })
	return hits, stats, nil
}

// cut applies the filter and the limit to the pool. Ids, which cost reading,
// are looked up only where they decide: among those that tie at the limit.
func (x *lexical) cut(ctx context.Context, pool []candidate, limit int, documents *bitset.Set) ([]candidate, error) {
	var err error
	if documents != nil {
		if pool, err = x.identify(ctx, pool, documents); err != nil {
			return nil, err
		}
	}
	if len(pool) <= limit {
		return pool, nil
	}
	slices.SortFunc(pool, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.num, b.num))
	})
	from, to := limit, limit
	for from > 0 && pool[from-1].score == pool[limit].score {
		from--
	}
	for to < len(pool) && pool[to].score == pool[limit].score {
		to++
	}
	if from == limit { // nothing ties
		return pool[:limit], nil
	}
	ties, err := x.identify(ctx, pool[from:to], nil)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(ties, func(a, b candidate) int { return bytes.Compare(a.id[:], b.id[:]) })
	return pool[:limit], nil
}

// lookUp reads a key's list in all segments, in the order of the passages,
// without those that are dead.
func lookUp[T any](ctx context.Context, x *lexical, key []byte, decode func(base uint64, value []byte) ([]T, error), num func(T) uint64) ([]T, error) {
	var all []T
	for _, s := range x.segments {
		err := findBlock(ctx, x.tx, s.num, key, func(block []byte) error {
			value, err := postings.Find(block, key)
			if err != nil || value == nil {
				return err
			}
			list, err := decode(s.first, value)
			if err != nil {
				return err
			}
			if s.dead > 0 {
				list = slices.DeleteFunc(list, func(t T) bool { return s.isDead(num(t)) })
			}
			all = append(all, list...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// term returns the passages that hold the term.
func (x *lexical) term(ctx context.Context, term store.Term) ([]uint64, error) {
	field := postings.Whole
	if term.Part {
		field = postings.Parts
	}
	return lookUp(ctx, x, postings.Key(field, term.Text), postings.DecodeNums, func(n uint64) uint64 { return n })
}

// places is term for the first field with positions.
func (x *lexical) places(ctx context.Context, term string) ([]postings.Place, error) {
	return lookUp(ctx, x, postings.Key(postings.Places, term), postings.DecodePlaces, func(p postings.Place) uint64 { return p.Num })
}

// phrase returns the passages that hold the phrase; ok is false for a phrase
// without a term.
func (x *lexical) phrase(ctx context.Context, phrase []string) (list []uint64, ok bool, err error) {
	var places [][]postings.Place
	var offsets []uint32
	first := -1
	for i, term := range phrase {
		if term == "" {
			continue
		}
		if first < 0 {
			first = i
		}
		if len(phrase) == 1 {
			list, err := x.term(ctx, store.Term{Text: term})
			return list, true, err
		}
		l, err := x.places(ctx, term)
		if err != nil {
			return nil, false, err
		}
		places = append(places, l)
		offsets = append(offsets, uint32(i-first))
	}
	return postings.Match(places, offsets), first >= 0, nil
}

// require applies Must and Not to the pool.
func (x *lexical) require(ctx context.Context, pool []candidate, lists [][]uint64, l *store.Lexical) ([]candidate, error) {
	var must []uint64
	limited := false
	for _, p := range l.Must {
		list, ok, err := x.phrase(ctx, p)
		if err != nil {
			return nil, err
		}
		switch {
		case !ok:
		case !limited:
			must, limited = list, true
		default:
			must = intersect(must, list)
		}
	}
	if limited {
		// Every candidate is in the pool, so also those that hold only terms
		// that were not taken; scores are those of the pool so far.
		var any []candidate
		for _, list := range lists {
			any = addTerm(any, list, 0)
		}
		scores := make(map[uint64]float64, len(pool))
		for _, c := range pool {
			scores[c.num] = c.score
		}
		kept := make([]candidate, 0, len(must))
		for _, c := range any {
			if _, ok := slices.BinarySearch(must, c.num); ok {
				kept = append(kept, candidate{num: c.num, score: scores[c.num]})
			}
		}
		pool = kept
	}
	for _, p := range l.Not {
		list, ok, err := x.phrase(ctx, p)
		if err != nil {
			return nil, err
		}
		if ok {
			pool = slices.DeleteFunc(pool, func(c candidate) bool {
				_, found := slices.BinarySearch(list, c.num)
				return found
			})
		}
	}
	return pool, nil
}

// identify fills in the ids of the pool and drops passages of other documents.
func (x *lexical) identify(ctx context.Context, pool []candidate, documents *bitset.Set) ([]candidate, error) {
	kept := pool[:0]
	var directory []postings.Passage // holds the passage, if any does
	i := 0
	for _, c := range pool {
		for i < len(x.segments) && x.segments[i].last < c.num {
			i++
		}
		if i == len(x.segments) {
			return nil, postings.ErrDamaged
		}
		at, found := findPassage(directory, c.num)
		if !found {
			s := x.segments[i]
			key := postings.DirectoryKey(s.first, c.num)
			err := findBlock(ctx, x.tx, s.num, key, func(block []byte) error {
				value, err := postings.FindAtOrBefore(block, key)
				if err != nil || value == nil {
					return err
				}
				directory, err = postings.DecodePassages(s.first, value)
				return err
			})
			if err != nil {
				return nil, err
			}
			if at, found = findPassage(directory, c.num); !found {
				return nil, postings.ErrDamaged
			}
		}
		if documents == nil || documents.Has(directory[at].Document) {
			c.id = directory[at].ID
			kept = append(kept, c)
		}
	}
	return kept, nil
}

func findPassage(directory []postings.Passage, num uint64) (int, bool) {
	return slices.BinarySearchFunc(directory, num, func(p postings.Passage, num uint64) int { return cmp.Compare(p.Num, num) })
}

// addTerm merges a term's passages into the pool; both ascend.
func addTerm(pool []candidate, list []uint64, score float64) []candidate {
	merged := make([]candidate, 0, len(pool)+len(list))
	i := 0
	for _, n := range list {
		for i < len(pool) && pool[i].num < n {
			merged = append(merged, pool[i])
			i++
		}
		if i < len(pool) && pool[i].num == n {
			merged = append(merged, candidate{num: n, score: pool[i].score + score})
			i++
		} else {
			merged = append(merged, candidate{num: n, score: score})
		}
	}
	return append(merged, pool[i:]...)
}

// intersect returns the numbers in both ascending lists.
func intersect(a, b []uint64) []uint64 {
	both := a[:0]
	i := 0
	for _, n := range a {
		for i < len(b) && b[i] < n {
			i++
		}
		if i < len(b) && b[i] == n {
			both = append(both, n)
		}
	}
	return both
}
