package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
)

// writer makes documents of ten passages of 120 words, distributed as in a
// language; the first four letters are parts.
type writer struct {
	rng   *rand.Rand
	words *rand.Zipf
}

func newWriter() *writer {
	rng := rand.New(rand.NewPCG(7, 7))
	return &writer{rng, rand.NewZipf(rng, 1.1, 8, 60_000)}
}

func (w *writer) change(generation int64, n int) store.Change {
	texts := make([]string, 10)
	for i := range texts {
		words := make([]string, 120)
		for k := range words {
			words[k] = w.word()
		}
		texts[i] = strings.Join(words, " ")
	}
	c := change(generation, fmt.Sprintf("folder %d/%d", n%20, n), texts...)
	for i := range c.Entries {
		e := &c.Entries[i]
		for _, word := range e.Whole {
			e.Parts = append(e.Parts, word[:min(4, len(word))])
		}
	}
	return c
}

func (w *writer) word() string {
	n := w.words.Uint64()
	return strings.Map(func(r rune) rune { return r + 'a' - '0' + rune(n%7) }, strconv.FormatUint(n*2654435761%1_000_003, 10))
}

func (w *writer) vector(dimensions int) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(w.rng.NormFloat64())
	}
	return v
}

// BenchmarkCommit commits 1,000 documents of ten passages, 20 a transaction,
// without vectors.
func BenchmarkCommit(b *testing.B) {
	pgtest.Require(b, missing)
	for b.Loop() {
		l := newLibrary(b, postgres.Options{URL: server.Database(b).URL()})
		g := l.build()
		w := newWriter()
		begun := time.Now()
		for batch := range 50 {
			var changes []store.Change
			for i := range 20 {
				changes = append(changes, w.change(g.ID, batch*20+i))
			}
			l.commit(changes...)
		}
		b.ReportMetric(time.Since(begun).Seconds(), "s/1000docs")
	}
}

// BenchmarkSearch searches a library of IBID_BENCH_CHUNKS passages (50,000)
// with vectors of 384 dimensions.
func BenchmarkSearch(b *testing.B) {
	pgtest.Require(b, missing)
	chunks := 50_000
	if n, err := strconv.Atoi(os.Getenv("IBID_BENCH_CHUNKS")); err == nil {
		chunks = n
	}
	l := newLibrary(b, postgres.Options{URL: server.Database(b).URL()})
	wide := corpus.Space{Provider: "bench", Dimensions: 384}
	g, err := l.w.Build(b.Context(), wide, "words/1")
	l.must(err)
	w := newWriter()
	var committing, embedding time.Duration
	for n := 0; n < chunks/10; n += 20 {
		var changes []store.Change
		vectors := map[corpus.Hash][]float32{}
		for i := range 20 {
			c := w.change(g.ID, n+i)
			changes = append(changes, c)
			for _, e := range c.Entries {
				vectors[e.Chunk.Hash] = w.vector(wide.Dimensions)
			}
		}
		begun := time.Now()
		l.commit(changes...)
		committing += time.Since(begun)
		begun = time.Now()
		l.must(l.w.PutVectors(b.Context(), wide, vectors))
		embedding += time.Since(begun)
	}
	b.Logf("%d passages: committed in %v, vectors in %v", chunks, committing, embedding)
	lexical := func() *store.Lexical {
		q := &store.Lexical{Budget: 30_000, Limit: 1_000}
		for range 6 {
			word := w.word()
			q.Terms = append(q.Terms, store.Term{Text: word}, store.Term{Part: true, Text: word[:min(4, len(word))]})
		}
		return q
	}
	for _, kind := range []struct {
		name  string
		query func() store.Query
	}{
		{"keyword", func() store.Query { return store.Query{Lexical: lexical()} }},
		{"vector", func() store.Query { return store.Query{Vector: &store.Vector{Query: w.vector(384), Limit: 100}} }},
		{"both", func() store.Query {
			return store.Query{Lexical: lexical(), Vector: &store.Vector{Query: w.vector(384), Limit: 100}}
		}},
		{"filtered", func() store.Query {
			return store.Query{
				Lexical: lexical(), Vector: &store.Vector{Query: w.vector(384), Limit: 100},
				Filter: store.Filter{{Field: "path", Op: store.Prefix, Values: []any{fmt.Sprintf("folder %d/", w.rng.IntN(20))}}},
			}
		}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			l.t = b
			var took []time.Duration
			for b.Loop() {
				q := kind.query()
				begun := time.Now()
				l.search(q)
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
