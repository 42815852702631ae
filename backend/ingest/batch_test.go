package ingest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
	"ibid/backend/store/postgres/pgtest"
)

// eachStore runs a test on a bench over either store.
func eachStore(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, newBench(t)) })
	t.Run("postgres", func(t *testing.T) {
		server := pgtest.Serve(t)
		b := newBench(t)
		b.open(server.Database(t).URL())
		test(t, b)
	})
}

var inline = corpus.Source{ID: corpus.DeriveID(corpus.NoID, "inline"), Kind: corpus.SourceInline, Name: "inline", Root: "inline:inline"}

func (b *bench) take(docs ...ingest.Inline) (ingest.Ingested, error) {
	b.t.Helper()
	request := ingest.Batch{Source: inline, NewSource: !b.has(inline.ID), Documents: docs}
	request.Event = store.Event{At: time.Unix(1, 0), Trigger: "cli", Action: "documents.ingest", Outcome: "done"}
	return b.ingester().Ingest(context.Background(), request, ingest.ApplyOptions{})
}

func (b *bench) taken(docs ...ingest.Inline) ingest.Ingested {
	b.t.Helper()
	out, err := b.take(docs...)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// refused fails unless nothing at all changes but the cache of vectors.
func (b *bench) refused(target error, say string, docs ...ingest.Inline) {
	b.t.Helper()
	before, revision := b.dump(), b.events()
	out, err := b.take(docs...)
	if !errors.Is(err, target) || !strings.Contains(err.Error(), say) {
		b.t.Fatalf("error %v, want one wrapping %q that says %q (%+v)", err, target, say, out)
	}
	if after := b.dump(); after != before {
		b.t.Errorf("library changed:\n%s", cmp.Diff(before, after))
	}
	if got := b.events(); got != revision {
		b.t.Errorf("%d events, were %d", got, revision)
	}
}

func (b *bench) view(fn func(v store.Reader) error) {
	b.t.Helper()
	if err := b.store.View(context.Background(), fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) has(source corpus.ID) (found bool) {
	b.t.Helper()
	b.view(func(v store.Reader) error {
		list, err := v.Sources(context.Background())
		for _, s := range list {
			found = found || s.ID == source
		}
		return err
	})
	return found
}

func (b *bench) events() (n int) {
	b.t.Helper()
	b.view(func(v store.Reader) error {
		list, err := v.Events(context.Background(), store.EventQuery{Limit: 1000})
		n = len(list)
		return err
	})
	return n
}

func (b *bench) record(path string) (doc corpus.Document) {
	b.t.Helper()
	b.view(func(v store.Reader) error {
		for d, err := range v.Documents(context.Background(), inline.ID) {
			if err != nil {
				return err
			}
			if d.Path == path {
				doc = d
			}
		}
		return nil
	})
	return doc
}

func TestIngestedDocuments(t *testing.T) { // A9, D9, E6, E8
	eachStore(t, func(t *testing.T, b *bench) {
		b.tree.write("a.md", text("a file", 3))
		b.apply()
		b.model.embedded()
		docs := []ingest.Inline{
			{ID: "price", Title: "Price list", URI: "https://example.org/p", Text: "Zirkonium costs ninety-nine.", Metadata: corpus.Metadata{"kind": "offer"}},
			{ID: "guide", Type: extract.TypeMarkdown, Text: "---\ntitle: The guide\nkind: manual\nteam: red\n---\n# Top\n\nTurn the valve of niobium.\n", Metadata: corpus.Metadata{"kind": "guide"}},
		}
		out := b.taken(docs...)
		if diff := cmp.Diff([]string{ingest.InlineAdded, ingest.InlineAdded}, out.Fates); diff != "" || out.Embedded != 2 || out.Added != 2 {
			t.Errorf("%+v", out)
		}
		if n := b.model.embedded(); n != 2 {
			t.Errorf("%d texts embedded, want 2", n)
		}
		for word, want := range map[string]string{"zirkonium": "price", "niobium": "guide", "list": "price", "taken": "a.md a.md a.md"} {
			if got := b.found(word); !strings.HasPrefix(want+" ", got+" ") || got == "" {
				t.Errorf("%q is found in %q, want %q", word, got, want)
			}
		}
		price, guide := b.record("price"), b.record("guide")
		if price.Title != "Price list" || guide.Title != "The guide" || price.Embedded != price.Chunks || price.ID != out.Documents[0] {
			t.Errorf("titles %q and %q, %d of %d embedded", price.Title, guide.Title, price.Embedded, price.Chunks)
		}
		if diff := cmp.Diff(corpus.Metadata{"kind": "offer", "uri": "https://example.org/p"}, price.Metadata); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(corpus.Metadata{"kind": "guide", "team": "red"}, guide.Metadata); diff != "" {
			t.Errorf("labels over front matter (-want +got):\n%s", diff)
		}
		// Again: nothing.
		dump, events := b.dump(), b.events()
		if out = b.taken(docs...); out.Fates[0]+out.Fates[1] != ingest.InlineUnchanged+ingest.InlineUnchanged || b.model.embedded() != 0 {
			t.Errorf("the same again: %+v", out)
		}
		if b.dump() != dump || b.events() != events {
			t.Error("the same again changed the library")
		}
		// Labels alone.
		docs[0].Metadata, docs[0].URI = corpus.Metadata{"kind": "old offer"}, ""
		if out = b.taken(docs[0]); out.Fates[0] != ingest.InlineLabelled || b.model.embedded() != 0 {
			t.Errorf("other labels: %+v", out)
		}
		if got := b.record("price"); len(got.Metadata) != 1 || got.Metadata["kind"] != "old offer" || got.Embedded != price.Embedded {
			t.Errorf("record %+v", got)
		}
		// Text; the other document is not named and stays.
		docs[0].Text = "Hafnium costs ninety-nine."
		if out = b.taken(docs[0]); out.Fates[0] != ingest.InlineUpdated || b.model.embedded() != 1 {
			t.Errorf("other text: %+v", out)
		}
		if b.found("zirkonium") != "" || b.found("hafnium") != "price" || b.found("niobium") != "guide" || b.found("cleaned") == "" {
			t.Error("other text: not exactly the named document was replaced")
		}
		b.noop()
	})
}

// TestIngestIsAllOrNothing: one document that cannot be taken in keeps all out.
func TestIngestIsAllOrNothing(t *testing.T) { // E6, E8
	eachStore(t, func(t *testing.T, b *bench) {
		good := ingest.Inline{ID: "good", Text: "Zirkonium."}
		b.refused(corpus.ErrInvalid, `document "empty"`, good, ingest.Inline{ID: "empty", Text: " "})
		b.refused(corpus.ErrInvalid, `document "comment"`, good, ingest.Inline{ID: "comment", Type: extract.TypeMarkdown, Text: "<!-- nothing to see -->"})
		b.refused(corpus.ErrInvalid, `document "bad": invalid input: these bytes are bad`, good, ingest.Inline{ID: "bad", Text: "bad bytes"})
		b.model.before = func(context.Context, []string) error { return errors.New("no connection") }
		b.refused(corpus.ErrUnavailable, "gave no vectors", good)
		b.model.before = func(_ context.Context, texts []string) error {
			if strings.Contains(strings.Join(texts, ""), "poison") {
				return corpus.ErrInvalid
			}
			return nil
		}
		b.refused(corpus.ErrInvalid, `document "poison"`, good, ingest.Inline{ID: "poison", Text: "poison"})
		b.model.before = nil
		if b.has(inline.ID) {
			t.Error("the source is there though nothing was taken in")
		}
		b.model.embedded()
		b.taken(good)
		if n := b.model.embedded(); n != 0 {
			t.Errorf("%d texts embedded that were paid for already", n)
		}
		b.model.before = func(context.Context, []string) error { return errors.New("no connection") }
		b.refused(corpus.ErrUnavailable, "gave no vectors", ingest.Inline{ID: "good", Text: "Another text."})
		if b.found("zirkonium") != "good" {
			t.Error("the old version is gone")
		}
	})
}

func TestIngestBounds(t *testing.T) { // E6
	b := newBench(t)
	b.model = nil // a hundred thousand vectors say nothing about the bound
	b.rules.Target = 16
	var p strings.Builder
	for i := range 4_000 {
		fmt.Fprintf(&p, "Paragraph %d tells of the machine and how it is cleaned with care.\n\n", i)
	}
	b.refused(corpus.ErrLimit, "makes more than 10000 passages", ingest.Inline{ID: "a", Text: p.String()}, ingest.Inline{ID: "b", Text: p.String()})
	out := b.taken(ingest.Inline{ID: "a", Text: p.String()})
	if out.Embedded != 0 || b.record("a").Chunks < 5_000 {
		t.Errorf("%+v with %d passages", out.Fates, b.record("a").Chunks)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := b.ingester().Ingest(cancelled, ingest.Batch{Source: inline, Documents: []ingest.Inline{{ID: "c", Text: "x"}}}, ingest.ApplyOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestInlineDocumentsAreMadeAnew: what a plan makes anew of documents without
// files, it makes of their stored text, with the same outcome as taking them
// in under the new rules.
func TestInlineDocumentsAreMadeAnew(t *testing.T) { // D8, F5
	docs := []ingest.Inline{
		{ID: "plain", Title: "A title", Text: "\ufeffFirst line.\r\nSecond line.\r\n\r\n" + text("plain", 30)},
		{ID: "x.pdf", Type: extract.TypeMarkdown, Text: "---\ntitle: Own\nkind: manual\n---\n---\nlooks: like front matter\n---\n\n" + text("markdown", 30), Metadata: corpus.Metadata{"a": "b"}},
		{ID: "untitled", Type: extract.TypeMarkdown, Text: "No heading.\n\n<!-- hidden -->\n\n- a list\n- of two\n"},
	}
	for name, change := range map[string]func(b *bench){
		"chunking": func(b *bench) { b.rules.Target = 60 },
		"reader":   func(b *bench) { b.reader.version = "/next" },
		"model":    func(b *bench) { b.otherModel() },
		"no model": func(b *bench) { b.model = nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.tree.write("a.md", text("a file", 3))
			b.apply()
			b.taken(docs...)
			change(b)
			p := b.plan(ingest.PlanOptions{})
			if p.Summary.Updated != 4 || p.Summary.Removed != 0 || p.Sources[1].State != plan.SourceComplete {
				t.Fatalf("plan: %s", describe(p))
			}
			if err := b.ingester().Exact(t.Context(), p, ingest.PlanOptions{}); err != nil || !p.Summary.ChunksExact {
				t.Errorf("exact: %v, %+v", err, p.Summary)
			}
			for _, a := range p.Actions {
				if _, err := b.ingester().Diff(t.Context(), a); err != nil {
					t.Errorf("diff %s: %v", a.Path, err)
				}
			}
			if r := b.run(p, ingest.ApplyOptions{}); r.Updated != 4 || !r.Clean() {
				t.Fatalf("result %+v", r)
			}
			b.noop()
			if out := b.taken(docs...); strings.Count(strings.Join(out.Fates, " "), ingest.InlineUnchanged) != len(docs) {
				t.Errorf("taken in again: %v", out.Fates)
			}
			fresh := *b
			fresh.open(":memory:")
			fresh.apply()
			fresh.taken(docs...)
			if diff := cmp.Diff(strings.Split(fresh.dump(), "\n"), strings.Split(b.dump(), "\n")); diff != "" {
				t.Errorf("made anew differs from taken in anew (-fresh +got):\n%s", diff)
			}
		})
	}
}

// TestIngestWaitsForAPlan: with another model than the library has, nothing is
// taken in.
func TestIngestWaitsForAPlan(t *testing.T) { // D8
	b := newBench(t)
	b.tree.write("a.md", text("a file", 3))
	b.apply()
	b.otherModel()
	b.refused(corpus.ErrStale, "another model", ingest.Inline{ID: "a", Text: "text"})
}

// TestInlineDocumentsAreNeverMissing: folders come and go, inline documents stay.
func TestInlineDocumentsAreNeverMissing(t *testing.T) { // D9
	b := newBench(t)
	same := text("same", 3)
	b.tree.write("a.md", same)
	b.tree.write("stays.md", text("stays", 3))
	b.apply()
	b.taken(ingest.Inline{ID: "a.md", Type: extract.TypeMarkdown, Text: same}, ingest.Inline{ID: "b", Text: "Zirkonium."})
	b.tree.remove("a.md")
	p := b.plan(ingest.PlanOptions{})
	if got := describe(p); got != "removed a.md (file deleted)" {
		t.Errorf("plan %q", got)
	}
	b.run(p, ingest.ApplyOptions{AllowRemovals: 1})
	b.tree.write("moved.md", same)
	if p = b.plan(ingest.PlanOptions{}); p.Summary.Added != 1 || p.Summary.Moved != 0 {
		t.Errorf("plan: %s", describe(p))
	}
	if b.record("a.md").Chunks == 0 || b.record("b").Chunks == 0 {
		t.Error("inline documents are gone")
	}
}

// TestDamagedInlineDocuments: passages that are lost are made again of the
// stored text; where that is lost too, taking the document in mends it.
func TestDamagedInlineDocuments(t *testing.T) { // S11
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "library.db")
	b.open(path)
	b.tree.write("a.md", text("a file", 3))
	b.apply()
	doc := ingest.Inline{ID: "x", Text: "Zirconium."}
	b.taken(doc)
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	lose := func(table string) {
		t.Helper()
		if _, err := raw.ExecContext(t.Context(), "DELETE FROM "+table+" WHERE document = (SELECT num FROM documents WHERE path = 'x')"); err != nil {
			t.Fatal(err)
		}
	}
	lose("chunks")
	p := b.plan(ingest.PlanOptions{})
	if p.Summary.Repair != 1 {
		t.Fatalf("plan: %s", describe(p))
	}
	if r := b.run(p, ingest.ApplyOptions{}); r.Repaired != 1 || b.found("zirconium") != "x" {
		t.Errorf("result %+v", r)
	}
	lose("chunks")
	lose("texts")
	r := b.apply()
	if r.Repaired != 0 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error, "ingest the document again") {
		t.Errorf("result %+v", r)
	}
	if out := b.taken(doc); out.Fates[0] != ingest.InlineUpdated || b.found("zirconium") != "x" {
		t.Errorf("taken in again: %v, found in %q", out.Fates, b.found("zirconium"))
	}
	b.noop()
}
