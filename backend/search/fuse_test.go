package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func id(b byte) corpus.ID { return corpus.ID{b} }

// leg makes a leg of passages 'a', 'b', … with scores; a negative score is no candidate.
func leg(limit int, scores ...float64) Leg {
	var found []Scored
	for i, s := range scores {
		if s >= 0 {
			found = append(found, Scored{Chunk: id('a' + byte(i)), Score: s})
		}
	}
	return NewLeg(found, limit)
}

func TestFuse(t *testing.T) {
	type row struct {
		Chunk string
		Score float64
	}
	tests := []struct {
		name            string
		keyword, vector Leg
		fusion          Fusion
		weight          float64
		missing         string
		want            []row
	}{
		{
			// Full legs: the last candidate gets nothing, like one that was not found.
			name: "convex", keyword: leg(3, 10, 6, 2), vector: leg(3, .2, .8, -1, .5), fusion: Convex, weight: .5,
			want: []row{{"b", .25 + .5}, {"a", .5}, {"d", .25}, {"c", 0}},
		},
		{
			// Legs that could have given more stretch from 0.
			name: "convex, few candidates", keyword: leg(100, 10, 5), vector: leg(100, .4, .8), fusion: Convex, weight: .5,
			want: []row{{"a", .5 + .25}, {"b", .25 + .5}},
		},
		{
			name: "weight", keyword: leg(100, 10, 5), vector: leg(100, .4, .8), fusion: Convex, weight: .2,
			want: []row{{"a", .8 + .1}, {"b", .4 + .2}},
		},
		{
			name: "rrf", keyword: leg(100, 10, 5), vector: leg(100, -1, .8, .4), fusion: RRF, weight: .5,
			want: []row{{"b", .5*61/62 + .5}, {"a", .5}, {"c", .5 * 61 / 62}},
		},
		{
			name: "only words answer", keyword: leg(100, 10, 5), fusion: Convex, weight: .5,
			want: []row{{"a", 1}, {"b", .5}},
		},
		{
			name: "only meaning answers", vector: leg(100, .2, .8), fusion: RRF, weight: .5,
			want: []row{{"b", 1}, {"a", 61. / 62}},
		},
		{
			// c has no vector at all: its words count in full.
			name: "missing vector", keyword: leg(100, 10, 4, 9), vector: leg(100, .2, .8), fusion: Convex, weight: .5, missing: "c",
			want: []row{{"c", .9}, {"b", .2 + .5}, {"a", .5 + .125}},
		},
		{name: "equal scores", keyword: leg(2, 3, 3), fusion: Convex, weight: .5, want: []row{{"a", 1}, {"b", 1}}},
		{name: "nothing", fusion: Convex, weight: .5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			missing := func(c corpus.ID) bool { return tt.missing != "" && c == id(tt.missing[0]) }
			var got []row
			for _, f := range Fuse(tt.keyword, tt.vector, tt.fusion, tt.weight, missing) {
				got = append(got, row{string(rune(f.Chunk[0])), math.Round(f.Score*1e9) / 1e9})
			}
			want := slices.Clone(tt.want)
			for i := range want {
				want[i].Score = math.Round(want[i].Score*1e9) / 1e9
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("ranking (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFuseExplains(t *testing.T) {
	f := Fuse(leg(100, 10, 5), leg(100, -1, .8), Convex, .4, nil)
	want := []Fused{
		{Chunk: id('b'), Score: .7, Keyword: &Judgement{Rank: 2, Score: 5, Share: .3}, Vector: &Judgement{Rank: 1, Score: .8, Share: .4}},
		{Chunk: id('a'), Score: .6, Keyword: &Judgement{Rank: 1, Score: 10, Share: .6}},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("ranking (-want +got):\n%s", diff)
	}
}

func FuzzFuse(f *testing.F) {
	f.Add(uint64(1), 5, 7, .5, false)
	f.Add(uint64(2), 0, 3, 1.0, true)
	f.Add(uint64(3), 120, 150, 0.0, false)
	f.Fuzz(func(t *testing.T, seed uint64, keywords, vectors int, weight float64, rrf bool) {
		if keywords < 0 || vectors < 0 || keywords > 300 || vectors > 300 || !(weight >= 0 && weight <= 1) {
			t.Skip()
		}
		r := rand.New(rand.NewPCG(seed, 0))
		make := func(n int, scale, shift float64) []Scored {
			var found []Scored
			for i := range n {
				found = append(found, Scored{Chunk: corpus.ID{byte(i), byte(r.IntN(2))}, Score: r.Float64()*scale + shift})
			}
			return found
		}
		k, v := make(keywords, 30, 0), make(vectors, 2, -1)
		fusion := Convex
		if rrf {
			fusion = RRF
		}
		got := Fuse(NewLeg(slices.Clone(k), 100), NewLeg(slices.Clone(v), 100), fusion, weight, nil)
		for i, f := range got {
			if !(f.Score >= 0 && f.Score <= 1+1e-9) || f.Keyword == nil && f.Vector == nil {
				t.Fatalf("fused %+v", f)
			}
			if i > 0 && got[i-1].Score < f.Score {
				t.Fatalf("rank %d has more than rank %d", i+1, i)
			}
		}
		r.Shuffle(len(k), func(i, j int) { k[i], k[j] = k[j], k[i] })
		r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		if diff := cmp.Diff(got, Fuse(NewLeg(k, 100), NewLeg(v, 100), fusion, weight, nil)); diff != "" {
			t.Fatalf("the order of candidates matters (-first +shuffled):\n%s", diff)
		}
	})
}

// TestTies: equal scores are ordered by content, so that two libraries of the
// same documents, whose ids differ, rank alike (G6).
func TestTies(t *testing.T) {
	keyword := NewLeg([]Scored{{Chunk: id('a'), Score: 1, Tie: 2}, {Chunk: id('b'), Score: 1, Tie: 1}}, 10)
	got := Fuse(keyword, Leg{}, Convex, .5, nil)
	if len(got) != 2 || got[0].Chunk != id('b') || got[1].Chunk != id('a') {
		t.Errorf("order %v", got)
	}
}
