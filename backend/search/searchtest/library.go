// Package searchtest is the suite of search over a real store: what it checks
// holds whichever store answers. A store's test calls Exercise.
package searchtest

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"path"
	"strings"
	"testing"
	"time"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	embedder "ibid/backend/embed"
	"ibid/backend/store"
)

//go:embed testdata
var testdata embed.FS

// Document is a document of the suite: one passage a paragraph.
type Document struct {
	Path     string          `json:"path"`
	Title    string          `json:"title"`
	Text     string          `json:"text"`
	Type     string          `json:"-"`
	Language string          `json:"-"` // "": guessed
	Modified time.Time       `json:"-"`
	Metadata corpus.Metadata `json:"-"`
	Unread   bool            `json:"-"` // its passages get no vectors
}

// Source is where the suite's documents come from.
var Source = corpus.Source{
	ID: corpus.DeriveID(corpus.NoID, "searchtest"), Kind: corpus.SourceFolder, Name: "Shelf", Root: "/shelf",
	Policy: corpus.PolicyAsk, CreatedAt: time.Unix(1_700_000_000, 0).UTC(),
}

// Fill writes documents as an ingest run does. Without an embedder the library
// has no vectors.
func Fill(ctx context.Context, t testing.TB, s store.Store, e embedder.Embedder, docs []Document) {
	t.Helper()
	if err := s.PutSource(ctx, Source); err != nil {
		t.Fatal(err)
	}
	w, err := s.Acquire(ctx, "searchtest")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Release(); err != nil {
			t.Error(err)
		}
	}()
	var space corpus.Space
	if e != nil {
		space = e.Space()
	}
	g, err := w.Build(ctx, space, analyze.Version)
	if err != nil {
		t.Fatal(err)
	}
	a := analyze.New()
	vectors := make(map[corpus.Hash][]float32)
	changes := make([]store.Change, len(docs))
	for i, d := range docs {
		changes[i] = change(a, g.ID, d)
		if e == nil || d.Unread {
			continue
		}
		for _, entry := range changes[i].Entries {
			v, err := e.EmbedDocuments(ctx, []string{entry.Chunk.Input()})
			if err != nil {
				t.Fatal(err)
			}
			vectors[entry.Chunk.Hash] = v[0]
		}
	}
	if len(vectors) > 0 {
		if err := w.PutVectors(ctx, space, vectors); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(ctx, changes...); err != nil {
		t.Fatal(err)
	}
}

func change(a *analyze.Analyzer, generation int64, d Document) store.Change {
	id := corpus.DeriveID(Source.ID, d.Path)
	if d.Language == "" {
		d.Language = analyze.Language(d.Text)
	}
	if d.Type == "" {
		d.Type = map[string]string{".md": "text/markdown", ".csv": "text/csv"}[path.Ext(d.Path)]
	}
	c := store.Change{
		Generation: generation, Text: d.Text,
		Document: corpus.Document{
			ID: id, Source: Source.ID, Path: d.Path, Content: corpus.HashBytes([]byte(d.Text)),
			Fingerprint: corpus.Fingerprint{Size: int64(len(d.Text)), ModTime: d.Modified.UnixNano()},
			Type:        d.Type, Title: d.Title, Language: d.Language, Metadata: d.Metadata,
			State: corpus.DocumentIndexed, Recipe: "searchtest", IndexedAt: Source.CreatedAt,
		},
	}
	var chunks []corpus.Chunk
	at := 0
	for paragraph := range strings.SplitAfterSeq(d.Text, "\n\n") {
		chunks = append(chunks, corpus.Chunk{
			Title: d.Title, Content: strings.TrimSpace(paragraph), Tokens: len(paragraph) / 4,
			Location: corpus.Location{Start: at, End: at + len(paragraph)},
		})
		at += len(paragraph)
	}
	corpus.Identify(id, chunks)
	for _, chunk := range chunks {
		terms := a.Analyze(chunk.Input(), d.Language)
		c.Entries = append(c.Entries, store.Entry{Chunk: chunk, Whole: terms.Whole, Parts: terms.Parts, Terms: terms.Encode(), Length: terms.Length})
	}
	return c
}

// Golden returns the documents and the queries of the golden cases.
func Golden(t testing.TB) (docs []Document, queries []string) {
	t.Helper()
	lines(t, "documents.jsonl", func(line string) {
		var d Document
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	})
	lines(t, "cases.tsv", func(line string) {
		query, _, _ := strings.Cut(line, "\t")
		queries = append(queries, query)
	})
	return docs, queries
}

func lines(t testing.TB, name string, fn func(line string)) {
	t.Helper()
	f, err := testdata.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		fn(scan.Text())
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
}
