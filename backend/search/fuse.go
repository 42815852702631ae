package search

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"ibid/backend/corpus"
)

// Fusion is how the two legs become one ranking.
type Fusion string

// Fusions. Convex adds the legs' scores, each stretched to 0…1 over its
// candidates (Bruch et al., An Analysis of Fusion Functions for Hybrid
// Retrieval, 2023); RRF adds 1/(60+rank) (Cormack et al. 2009). Both are weighted.
const (
	Convex Fusion = "convex"
	RRF    Fusion = "rrf"
)

const rrfK = 60

// Scored is a passage with a leg's own score.
type Scored struct {
	Chunk corpus.ID
	Score float64
	// Tie orders passages of equal score by what stands in them, before their
	// ids do, which differ between two libraries of the same documents.
	Tie uint64
}

// Leg is the candidates of one leg, in any order.
type Leg struct {
	Found []Scored
	// Below is the score at which passages drop out of the leg: convex fusion
	// gives it, and every passage that was not found, nothing. See NewLeg.
	Below float64
}

// NewLeg returns a leg of the best limit candidates. Where the leg is full,
// passages drop out at its last score; else all that have anything in common
// with the query are in it, and they drop out at 0.
func NewLeg(found []Scored, limit int) Leg {
	rank(found)
	l := Leg{Found: found[:min(limit, len(found))]}
	if n := len(l.Found); n > 0 {
		l.Below = l.Found[n-1].Score
		if n < limit {
			l.Below = min(l.Below, 0)
		}
	}
	return l
}

// Judgement is what one leg says of a passage.
type Judgement struct {
	Rank  int     // from 1
	Score float64 // the leg's own: BM25 or cosine
	Share float64 // of the fused score
}

// Fused is a passage in the fused ranking. A leg that did not find it is nil.
type Fused struct {
	Chunk   corpus.ID
	Score   float64 // 0…1, relative to this query
	Keyword *Judgement
	Vector  *Judgement
}

// Fuse joins two legs into one ranking, best first, ties by the legs' ranks.
// weight is the vector leg's, 0…1; the keyword leg has the rest. A leg without
// candidates has no weight, so that the scores of the other still reach 1.
//
// missing tells passages that have no vector at all: they are judged by their
// words alone instead of as if they were unlike the query. It may be nil.
func Fuse(keyword, vector Leg, fusion Fusion, weight float64, missing func(corpus.ID) bool) []Fused {
	switch {
	case len(vector.Found) == 0:
		weight = 0
	case len(keyword.Found) == 0:
		weight = 1
	}
	all := make(map[corpus.ID]*Fused, len(keyword.Found)+len(vector.Found))
	at := func(id corpus.ID) *Fused {
		f := all[id]
		if f == nil {
			f = &Fused{Chunk: id}
			all[id] = f
		}
		return f
	}
	for _, j := range judge(keyword, fusion) {
		f := at(j.chunk)
		f.Keyword = &j.Judgement
	}
	for _, j := range judge(vector, fusion) {
		f := at(j.chunk)
		f.Vector = &j.Judgement
	}
	ranking := make([]Fused, 0, len(all))
	for _, f := range all {
		w := weight
		if f.Vector == nil && missing != nil && missing(f.Chunk) {
			w = 0
		}
		if f.Keyword != nil {
			f.Keyword.Share *= 1 - w
			f.Score += f.Keyword.Share
		}
		if f.Vector != nil {
			f.Vector.Share *= w
			f.Score += f.Vector.Share
		}
		ranking = append(ranking, *f)
	}
	slices.SortFunc(ranking, func(a, b Fused) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Keyword.rank(), b.Keyword.rank()),
			cmp.Compare(a.Vector.rank(), b.Vector.rank()))
	})
	return ranking
}

// rank puts what a leg did not find last.
func (j *Judgement) rank() int {
	if j == nil {
		return math.MaxInt
	}
	return j.Rank
}

type judged struct {
	chunk corpus.ID
	Judgement
}

// judge ranks a leg and gives each passage its unweighted share, 0…1.
func judge(leg Leg, fusion Fusion) []judged {
	found := slices.Clone(leg.Found)
	rank(found)
	out := make([]judged, len(found))
	for i, s := range found {
		share := 1.0
		switch best := found[0].Score; {
		case fusion == RRF:
			share = float64(rrfK+1) / float64(rrfK+i+1)
		case best > leg.Below:
			share = max(0, (s.Score-leg.Below)/(best-leg.Below))
		}
		out[i] = judged{s.Chunk, Judgement{Rank: i + 1, Score: s.Score, Share: share}}
	}
	return out
}

// rank orders a leg, best first.
func rank(leg []Scored) {
	slices.SortFunc(leg, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tie, b.Tie), bytes.Compare(a.Chunk[:], b.Chunk[:]))
	})
}
