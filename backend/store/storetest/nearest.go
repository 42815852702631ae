package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var nearest = aspect{"Nearest", map[string]func(l *library){
	"EqualsBruteForce": nearestBruteForce,
	"TiesById":         nearestTies,
	"Filtered":         nearestFiltered,
	"OddLengths":       nearestLengths,
	"Limits":           nearestLimits,
}}

// shelve is shelf with vectors.
func (l *library) shelve(v func(e store.Entry) []float32, changes ...store.Change) []passage {
	l.t.Helper()
	all := l.shelf(changes...)
	m := map[corpus.Hash][]float32{}
	for i := range all {
		all[i].vector = v(all[i].entry)
		m[all[i].entry.Chunk.Hash] = all[i].vector
	}
	l.must(l.w.PutVectors(l.t.Context(), space, m))
	return all
}

// compareVectors allows what the order of adding may do to a float: scores
// within 1e-5, and passages exchanged whose scores are that close. Where
// vectors are equal, ids decide.
func (l *library) compareVectors(name string, generation int64, all []passage, v *store.Vector, f store.Filter) {
	l.t.Helper()
	got := l.search(store.Query{Generation: generation, Vector: v, Filter: f})
	want := naiveNearest(all, v, f)
	if len(got.Vector) != len(want) {
		l.t.Errorf("%s: %d passages, want %d", name, len(got.Vector), len(want))
		return
	}
	scores := map[corpus.ID]float64{}
	for _, h := range naiveNearest(all, &store.Vector{Query: v.Query, Limit: len(all) + 1}, f) {
		scores[h.Chunk] = h.Score
	}
	seen := map[corpus.ID]bool{}
	for i, h := range got.Vector {
		exact, ok := scores[h.Chunk]
		if !ok || seen[h.Chunk] || math.Abs(h.Score-exact) > 1e-5 {
			l.t.Errorf("%s: hit %d is %s with score %f, want %s with %f", name, i, h.Chunk, h.Score, want[i].Chunk, want[i].Score)
			return
		}
		seen[h.Chunk] = true
		if h.Chunk != want[i].Chunk && (math.Abs(exact-want[i].Score) > 1e-5 || exact == want[i].Score) {
			l.t.Errorf("%s: hit %d is %s with score %f, want %s with %f", name, i, h.Chunk, exact, want[i].Chunk, want[i].Score)
		}
	}
}

func nearestBruteForce(l *library) {
	t := l.t
	if !l.store.Capabilities().ExactVectors {
		t.Log("this store's vector leg is not an exact scan; small libraries must still be ranked exactly")
	}
	g := l.build()
	var changes []store.Change
	for i := range 40 {
		paragraphs := make([]string, 10)
		for k := range paragraphs {
			paragraphs[k] = fmt.Sprintf("passage %d of %d", k, i)
		}
		changes = append(changes, change(g.ID, strconv.Itoa(i), paragraphs...))
	}
	all := l.shelve(func(e store.Entry) []float32 { return vector(e.Chunk.Input()) }, changes...)
	for i := range 20 {
		for _, limit := range []int{1, 10, 100} {
			l.compareVectors(fmt.Sprintf("query %d, limit %d", i, limit), 0, all, &store.Vector{Query: vector(fmt.Sprint("query", i)), Limit: limit}, nil)
		}
	}
}

// nearestTies: many passages with one vector, and some barely worse.
func nearestTies(l *library) {
	g := l.build()
	var changes []store.Change
	for i := range 30 {
		changes = append(changes, change(g.ID, strconv.Itoa(i), fmt.Sprintf("passage %d", i), "the same"))
	}
	base := vector("base")
	all := l.shelve(func(e store.Entry) []float32 {
		if len(e.Chunk.Content) < 10 { // "the same", and passages 0 to 9
			return base
		}
		return vector(e.Chunk.Input())
	}, changes...)
	for _, limit := range []int{1, 5, 29, 31, 35, 100} {
		l.compareVectors(fmt.Sprintf("limit %d", limit), 0, all, &store.Vector{Query: base, Limit: limit}, nil)
	}
}

// nearestFiltered: a filter that few pass still gives as many as there are (S95).
func nearestFiltered(l *library) {
	g := l.build()
	var changes []store.Change
	for i := range 200 {
		changes = append(changes, change(g.ID, fmt.Sprintf("%d/%d", i%50, i), fmt.Sprintf("first %d", i), fmt.Sprintf("second %d", i)))
	}
	all := l.shelve(func(e store.Entry) []float32 { return vector(e.Chunk.Input()) }, changes...)
	for _, prefix := range []string{"49/", "7/", "none/", ""} {
		l.compareVectors("prefix "+prefix, 0, all, &store.Vector{Query: vector("query"), Limit: 8}, store.Filter{{Field: "path", Op: store.Prefix, Values: []any{prefix}}})
	}
}

// nearestLengths: the score is the cosine, whatever the vectors' lengths and
// however uneven their components.
func nearestLengths(l *library) {
	g := l.build()
	var paragraphs []string
	for i := range 60 {
		paragraphs = append(paragraphs, fmt.Sprintf("passage %d", i))
	}
	r := rand.New(rand.NewPCG(3, 4))
	all := l.shelve(func(e store.Entry) []float32 {
		v := vector(e.Chunk.Input())
		scale := float32(math.Pow(10, 6*r.Float64()-3))
		for i := range v {
			v[i] *= scale
		}
		v[r.IntN(len(v))] *= 1000
		return v
	}, change(g.ID, "a", paragraphs...))
	for i := range 10 {
		l.compareVectors(fmt.Sprintf("query %d", i), 0, all, &store.Vector{Query: vector(fmt.Sprint("query", i)), Limit: 10}, nil)
	}
}

func nearestLimits(l *library) {
	l.build()
	bad := map[string]store.Query{
		"no limit":         {Vector: &store.Vector{Query: vector("x")}},
		"other dimension":  {Vector: &store.Vector{Query: vector("x")[:5], Limit: 1}},
		"no direction":     {Vector: &store.Vector{Query: make([]float32, dimensions), Limit: 1}},
		"not a number":     {Vector: &store.Vector{Query: append(vector("x")[1:], float32(math.NaN())), Limit: 1}},
		"infinite":         {Vector: &store.Vector{Query: append(vector("x")[1:], float32(math.Inf(1))), Limit: 1}},
		"no budget":        {Lexical: &store.Lexical{Terms: []store.Term{{Text: "x"}}, Limit: 1}},
		"no lexical limit": {Lexical: &store.Lexical{Terms: []store.Term{{Text: "x"}}, Budget: 1}},
		"bad filter":       {Filter: store.Filter{{Field: "path", Op: "like", Values: []any{"x"}}}},
	}
	l.view(func(r store.Reader) {
		for name, q := range bad {
			if _, err := r.Search(l.t.Context(), q); err == nil {
				l.t.Errorf("%s: no error", name)
			} else {
				l.wants(err, corpus.ErrInvalid)
			}
		}
	})
}
