package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
)

// S95: a small library, and one whose filter leaves little, get as many
// neighbours as they have, among many rows of others and through the index.
func TestIndexDoesNotStarve(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	newLibrary(t, postgres.Options{URL: d.URL(), Tenant: corpus.ID{1}}).fill("foreign", 20)
	for name, indexFrom := range map[string]int{"exact": 1000, "index": 0} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t, postgres.Options{URL: d.URL(), Tenant: corpus.DeriveID(corpus.NoID, name)})
			l.fill("own", 2)
			l.db.UseIndexFrom(indexFrom)
			only := store.Filter{{Field: "path", Op: store.Eq, Values: []any{"own/1"}}}
			none := store.Filter{{Field: "path", Op: store.Eq, Values: []any{"foreign/1"}}}
			for i := range 5 {
				for _, q := range []struct {
					filter      store.Filter
					limit, want int
				}{{nil, 10, 10}, {nil, 150, 150}, {nil, 1000, 200}, {only, 10, 10}, {only, 1000, 100}, {none, 10, 0}} {
					found := l.search(store.Query{Vector: &store.Vector{Query: vector(float64(i)), Limit: q.limit}, Filter: q.filter})
					if len(found.Vector) != q.want {
						t.Errorf("query %d, limit %d, filter %v: %d hits, want %d", i, q.limit, q.filter, len(found.Vector), q.want)
					}
					for k := 1; k < len(found.Vector); k++ {
						if found.Vector[k].Score > found.Vector[k-1].Score {
							t.Fatalf("query %d: hit %d scores more than the one before", i, k)
						}
					}
				}
			}
		})
	}
}

// The index is used in large libraries, and finds nearly all.
func TestIndexIsUsed(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	l := newLibrary(t, postgres.Options{URL: d.URL()})
	l.fill("own", 20)
	same, all := 0, 0
	for i := range 20 {
		q := store.Query{Vector: &store.Vector{Query: vector(float64(i) + .5), Limit: 10}}
		l.db.UseIndexFrom(10_000)
		exact := l.search(q)
		l.db.UseIndexFrom(0)
		near := l.search(q)
		if !exact.Exact || near.Exact {
			t.Fatalf("exact %t and %t, want true and false", exact.Exact, near.Exact)
		}
		found := map[corpus.ID]bool{}
		for _, h := range exact.Vector {
			found[h.Chunk] = true
		}
		for _, h := range near.Vector {
			all++
			if found[h.Chunk] {
				same++
			}
		}
	}
	if all != 200 || same < 190 {
		t.Errorf("%d of %d neighbours are the nearest", same, all)
	}
}

// More dimensions than an index takes as they are (F7).
func TestManyDimensions(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	l := newLibrary(t, postgres.Options{URL: d.URL()})
	l.db.UseIndexFrom(0)
	for dimensions, exact := range map[int]bool{1999: false, 2001: false, 4000: false, 4001: true, postgres.MaxDimensions: true} {
		s := corpus.Space{Provider: "wide", Dimensions: dimensions}
		g, err := l.w.Build(t.Context(), s, "words/1")
		l.must(err)
		c := change(g.ID, "a", "one", "two", "three")
		if !g.Live {
			c.From = 1
		}
		d, err := l.document(t.Context())
		if err == nil {
			c.From = d.Revision
		}
		l.commit(c)
		vectors := map[corpus.Hash][]float32{}
		for i, e := range c.Entries {
			v := make([]float32, dimensions)
			v[i], v[dimensions-1] = 1, .5
			vectors[e.Chunk.Hash] = v
		}
		l.must(l.w.PutVectors(t.Context(), s, vectors))
		l.must(l.w.Switch(t.Context(), g.ID))
		for _, e := range c.Entries {
			found := l.search(store.Query{Vector: &store.Vector{Query: vectors[e.Chunk.Hash], Limit: 2}})
			if len(found.Vector) != 2 || found.Vector[0].Chunk != e.Chunk.ID || found.Vector[0].Score < .999 || found.Exact != exact {
				t.Errorf("%d dimensions: %+v", dimensions, found)
			}
		}
	}
}

// Phrases are exact in passages that have more positions, or more of one word,
// than a tsvector holds, and terms may be longer than a lexeme.
func TestPhrasesBeyondTsvector(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	l := newLibrary(t, postgres.Options{URL: d.URL()})
	g := l.build()
	long := strings.Repeat("long", 1000)
	zeros := strings.Repeat("zero ", 400)
	filler := strings.Repeat("filler ", 17_000)
	texts := []string{
		zeros + "total",           // the last zero has no position
		"total " + zeros,          // nor has this, but the order is another
		filler + "late word",      // beyond all positions
		"word " + filler + "late", // both terms, far apart
		"late word", "word late",  // no trouble
		long + " tail", long + "r tail", // too long for a lexeme
	}
	l.commit(change(g.ID, "a", texts...))
	ids := map[corpus.ID]int{}
	for i, e := range change(g.ID, "a", texts...).Entries {
		ids[e.Chunk.ID] = i
	}
	far := make([]string, 17_002)
	far[0], far[17_001] = "word", "late"
	for name, c := range map[string]struct {
		must, not [][]string
		want      []int
	}{
		"zero total":        {must: [][]string{{"zero", "total"}}, want: []int{0}},
		"total zero":        {must: [][]string{{"total", "zero"}}, want: []int{1}},
		"not zero total":    {must: [][]string{{"zero"}}, not: [][]string{{"zero", "total"}}, want: []int{1}},
		"late word":         {must: [][]string{{"late", "word"}}, want: []int{2, 4}},
		"not late word":     {must: [][]string{{"late"}}, not: [][]string{{"late", "word"}}, want: []int{3, 5}},
		"word … late":       {must: [][]string{far}, want: []int{3}},
		"not word … late":   {must: [][]string{{"late"}}, not: [][]string{far}, want: []int{2, 4, 5}},
		"long tail":         {must: [][]string{{long, "tail"}}, want: []int{6}},
		"long":              {must: [][]string{{long}}, want: []int{6}},
		"no such long term": {must: [][]string{{long + "s"}}},
		"not UTF-8":         {must: [][]string{{"\xff"}}},
		"not a NUL":         {must: [][]string{{"tail"}}, not: [][]string{{"\x00"}}, want: []int{6, 7}},
	} {
		q := store.Query{Lexical: &store.Lexical{Must: c.must, Not: c.not, Budget: 100, Limit: 100}}
		for _, word := range []string{"zero", "late", long, long + "r", "\x00"} {
			q.Lexical.Terms = append(q.Lexical.Terms, store.Term{Text: word})
		}
		got := map[int]bool{}
		for _, h := range l.search(q).Lexical {
			got[ids[h.Chunk]] = true
		}
		want := map[int]bool{}
		for _, i := range c.want {
			want[i] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: passages %v, want %v", name, got, want)
		}
	}
	if f := l.search(store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: long}, {Text: "zero"}}, Budget: 1, Limit: 1}}).Stats.Frequency; f[0] != 1 || f[1] != 2 {
		t.Errorf("frequencies %v, want 1 and 2", f)
	}
}

// What no tsvector holds is refused by name, and what it just holds is not.
func TestTermsBeyondTsvector(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	l := newLibrary(t, postgres.Options{URL: d.URL()})
	g := l.build()
	words := make([]string, 61_676) // of 12 bytes, with prefix and mark 14
	for i := range words {
		words[i] = fmt.Sprintf("word%08d", i)
	}
	l.commit(change(g.ID, "large", strings.Join(words[:55_000], " ")))
	_, err := l.w.Commit(t.Context(), change(g.ID, "small", "word"), change(g.ID, "huge", strings.Join(words, " ")))
	if !errors.Is(err, corpus.ErrLimit) || !strings.Contains(err.Error(), `"huge"`) {
		t.Errorf("committing a passage of %d different words: %v", len(words), err)
	}
}
