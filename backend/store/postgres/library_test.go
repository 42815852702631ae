package postgres_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
)

// library is a tenant's library with its writer.
type library struct {
	t  testing.TB
	db *postgres.DB
	w  store.Writer
}

var space = corpus.Space{Provider: "test", Model: "waves", Dimensions: 8, Format: "1"}

func newLibrary(tb testing.TB, o postgres.Options) *library {
	tb.Helper()
	o.ManageSchema = true
	l := &library{t: tb, db: open(tb, o)}
	tb.Cleanup(func() {
		if err := l.db.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	var err error
	l.w, err = l.db.Acquire(tb.Context(), tb.Name())
	l.must(err)
	return l
}

func (l *library) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) build() store.Generation {
	l.t.Helper()
	g, err := l.w.Build(l.t.Context(), space, "words/1")
	l.must(err)
	return g
}

// change is a document of one passage a text; words are terms.
func change(generation int64, path string, texts ...string) store.Change {
	d := corpus.Document{
		ID: corpus.DeriveID(corpus.NoID, path), Source: corpus.DeriveID(corpus.NoID, "source"), Path: path,
		State: corpus.DocumentIndexed, Type: "text/plain", Language: "en", IndexedAt: time.UnixMicro(1).UTC(),
	}
	c := store.Change{Generation: generation, Document: d, Text: strings.Join(texts, "\n")}
	chunks := make([]corpus.Chunk, len(texts))
	for i, text := range texts {
		chunks[i] = corpus.Chunk{Content: text, Tokens: 1, Location: corpus.Location{End: len(c.Text)}}
	}
	corpus.Identify(d.ID, chunks)
	for _, chunk := range chunks {
		words := strings.Fields(chunk.Content)
		c.Entries = append(c.Entries, store.Entry{Chunk: chunk, Whole: words, Terms: []byte(chunk.Content), Length: len(words)})
	}
	return c
}

// vector turns with x.
func vector(x float64) []float32 {
	v := make([]float32, space.Dimensions)
	for i := range v {
		v[i] = float32(math.Cos(x * float64(i+1)))
	}
	return v
}

func (l *library) commit(changes ...store.Change) []store.Committed {
	l.t.Helper()
	done, err := l.w.Commit(l.t.Context(), changes...)
	l.must(err)
	return done
}

// embed stores vectors of the changes' passages; nth is what they turn by.
func (l *library) embed(nth func(i int) float64, changes ...store.Change) {
	l.t.Helper()
	vectors := map[corpus.Hash][]float32{}
	for _, c := range changes {
		for _, e := range c.Entries {
			vectors[e.Chunk.Hash] = vector(nth(len(vectors)))
		}
	}
	l.must(l.w.PutVectors(l.t.Context(), space, vectors))
}

func (l *library) search(q store.Query) (c store.Candidates) {
	l.t.Helper()
	l.must(l.db.View(l.t.Context(), func(r store.Reader) (err error) {
		c, err = r.Search(l.t.Context(), q)
		return err
	}))
	return c
}

// document reads the record of the document "a".
func (l *library) document(ctx context.Context) (d corpus.Document, err error) {
	err = l.db.View(ctx, func(r store.Reader) (err error) {
		d, err = r.Document(ctx, corpus.DeriveID(corpus.NoID, "a"))
		return err
	})
	return d, err
}

// fill commits documents of a hundred passages each and embeds them.
func (l *library) fill(name string, documents int) {
	l.t.Helper()
	g := l.build()
	for i := range documents {
		texts := make([]string, 100)
		for k := range texts {
			texts[k] = fmt.Sprintf("%s %d of %d", name, k, i)
		}
		c := change(g.ID, fmt.Sprintf("%s/%d", name, i), texts...)
		l.commit(c)
		l.embed(func(n int) float64 { return float64(i) + float64(n)/100 }, c)
	}
}
