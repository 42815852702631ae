package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/analyze"
	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// found returns the paths of the documents whose passages have the word.
func (b *bench) found(word string) string {
	b.t.Helper()
	var paths []string
	ctx := context.Background()
	err := b.store.View(ctx, func(v store.Reader) error {
		terms := analyze.New().Analyze(word, "").Whole
		c, err := v.Search(ctx, store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: terms[0]}}, Budget: 1000, Limit: 1000}})
		if err != nil {
			return err
		}
		var ids []corpus.ID
		for _, h := range c.Lexical {
			ids = append(ids, h.Chunk)
		}
		passages, err := v.Fetch(ctx, ids)
		for _, p := range passages {
			paths = append(paths, p.Document.Path)
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Join(paths, " ")
}

func (b *bench) document(path string) (doc corpus.Document) {
	b.t.Helper()
	ctx := context.Background()
	err := b.store.View(ctx, func(v store.Reader) error {
		for d, err := range v.Documents(ctx, corpus.NoID) {
			if err != nil {
				return err
			}
			if d.Path == path {
				doc = d
			}
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return doc
}

func TestDeletedFileLeavesNothing(t *testing.T) { // S01
	b := newBench(t)
	b.tree.write("keep.md", "kept text")
	b.tree.write("gone.md", "zirkonium "+text("gone", 20))
	b.apply()
	if b.found("zirkonium") != "gone.md" {
		t.Fatal("not found before")
	}
	b.tree.remove("gone.md")
	if r := b.apply(); r.Removed != 1 || r.PassagesRemoved == 0 {
		t.Fatalf("result %+v", r)
	}
	if got := b.found("zirkonium"); got != "" {
		t.Errorf("still found in %s", got)
	}
	rows := b.rows()
	for _, name := range []string{"documents", "texts", "chunks", "terms", "vectors"} {
		if rows[name] != 1 {
			t.Errorf("%d %s left, want those of keep.md", rows[name], name)
		}
	}
}

func TestEditsLeaveOneVersion(t *testing.T) { // S05, S36
	b := newBench(t)
	for i := range 6 {
		b.tree.write("a.md", text("alpha", 20+i)+fmt.Sprintf("\nversion%d\n", i))
		b.apply()
	}
	if got := b.found("version5"); got != "a.md" {
		t.Errorf("newest version: found %q", got)
	}
	if got := b.found("version3"); got != "" {
		t.Errorf("an older version is found in %q", got)
	}
	b.equalsFresh()
}

func TestTwinFiles(t *testing.T) { // S10, S32
	b := newBench(t)
	for _, p := range []string{"one.md", "two.md", "sub/three.md"} {
		b.tree.write(p, "zirkonium "+text("twin", 6))
	}
	r := b.apply()
	if r.Added != 3 || r.Embedded != b.document("one.md").Chunks {
		t.Errorf("result %+v", r)
	}
	for p, n := range b.model.texts {
		if n != 1 {
			t.Errorf("embedded %d times: %.40q", n, p)
		}
	}
	b.tree.remove("one.md")
	b.tree.remove("sub/three.md")
	b.apply()
	if got := b.found("zirkonium"); got != "two.md" {
		t.Errorf("found in %q", got)
	}
	if rows := b.rows(); rows["vectors"] != rows["chunks"] {
		t.Errorf("rows %v", rows)
	}
}

func TestInsertionAtTheTop(t *testing.T) { // S25, D2
	documents, total := 4, 0
	if testing.Short() {
		documents = 1
	}
	for i := range documents {
		b := newBench(t)
		body := text(fmt.Sprint("large subject ", i), 1750)
		b.tree.write("large.md", body)
		if b.apply(); b.document("large.md").Chunks < 290 {
			t.Fatalf("%d passages", b.document("large.md").Chunks)
		}
		b.model.embedded()
		b.tree.write("large.md", strings.Replace(body, "\n\n", "\n\nA paragraph that was not there before says something short.\n\n", 1))
		r := b.apply()
		n := b.model.embedded()
		if n == 0 || n > 10 || r.Relocated < 280 {
			t.Errorf("%d embedded; %+v", n, r)
		}
		total += n
	}
	if total > 3*documents {
		t.Errorf("%d embedded for %d insertions", total, documents)
	}
}

// TestMovedFilesEmbedNothing: a renamed folder was embedded again (S22).
func TestMovedFilesEmbedNothing(t *testing.T) {
	b := newBench(t)
	b.tree.write("stay.md", "stays")
	b.tree.write("plain.txt", "without a title of its own")
	for i := range 30 {
		b.tree.write(fmt.Sprintf("old/%d.md", i), text(fmt.Sprint("subject ", i), 5))
	}
	b.apply()
	b.model.embedded()
	id := b.document("old/7.md").ID
	for i := range 30 {
		b.tree.rename(fmt.Sprintf("old/%d.md", i), fmt.Sprintf("new/place/%d.md", i))
	}
	b.tree.rename("plain.txt", "renamed.txt")
	r := b.apply()
	if r.Moved != 31 || b.model.embedded() != 0 || r.Texts != 0 {
		t.Fatalf("result %+v", r)
	}
	if got := b.document("new/place/7.md"); got.ID != id {
		t.Error("a moved document has a new id")
	}
	if got := b.document("renamed.txt").Title; got != "renamed.txt" {
		t.Errorf("title %q", got)
	}
	b.noop()
	b.equalsFresh()
}

func TestEditedWhileRead(t *testing.T) { // S14
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 3))
	b.apply()
	b.tree.write("a.md", "first edit")
	p := b.plan(ingest.PlanOptions{})
	b.tree.write("a.md", "second edit")
	b.tree.write("late.md", "not planned")
	r := b.run(p, ingest.ApplyOptions{})
	if len(r.Skipped) != 1 || r.Skipped[0].Path != "a.md" || r.Updated != 0 {
		t.Fatalf("result %+v", r)
	}
	if r := b.apply(); r.Updated != 1 || r.Added != 1 {
		t.Fatalf("next: %+v", r)
	}
	b.equalsFresh()
}

// TestEditedWhileEmbedded: the vector of an old text was kept for the new one,
// and vectors of deleted documents stayed (S14).
func TestEditedWhileEmbedded(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "first version of alpha")
	b.tree.write("gone.md", "text that goes")
	b.tree.write("stay.md", "text that stays")
	edited := false
	b.model.before = func(context.Context, []string) error {
		if !edited {
			edited = true
			b.tree.write("a.md", "second version of alpha, of other words")
			b.tree.remove("gone.md")
		}
		return nil
	}
	b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{})
	if !edited {
		t.Fatal("nothing was embedded")
	}
	if r := b.apply(); r.Updated != 1 || r.Removed != 1 || r.Embedded != 1 {
		t.Errorf("result %+v", r)
	}
	b.noop()
	b.equalsFresh()
}

func TestStaleActionsAreNamed(t *testing.T) { // D7
	b := newBench(t)
	for _, p := range []string{"gone.md", "edited.md", "moved.md", "back.md"} {
		b.tree.write(p, text(p, 2))
	}
	b.apply()
	b.tree.write("new.md", "new")
	b.tree.write("vanishing.md", "vanishing")
	b.tree.write("edited.md", "edited")
	b.tree.remove("gone.md")
	b.tree.remove("back.md")
	b.tree.rename("moved.md", "elsewhere.md")
	p := b.plan(ingest.PlanOptions{})
	// Meanwhile another run did the same, a file came back and one vanished.
	b.tree.write("back.md", text("back.md", 2))
	b.run(p.Select(func(a plan.Action) bool { return a.Path != "vanishing.md" && a.Path != "back.md" }), ingest.ApplyOptions{})
	b.tree.remove("vanishing.md")
	r := b.run(p, ingest.ApplyOptions{})
	var skipped []string
	for _, s := range r.Skipped {
		skipped = append(skipped, s.Path+": "+s.Error)
	}
	want := []string{
		"edited.md: the library changed since it was planned",
		"elsewhere.md: the library changed since it was planned",
		"gone.md: the library changed since it was planned",
		"new.md: the library changed since it was planned",
		"vanishing.md: file is gone since it was planned",
		"back.md: file is back since it was planned",
	}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	b.noop()
}

func TestPlanForAnotherLibraryOrModel(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "alpha")
	p := b.plan(ingest.PlanOptions{})
	other := newBench(t)
	other.tree = b.tree
	if _, err := other.ingester().Apply(context.Background(), p, ingest.ApplyOptions{}); !errors.Is(err, corpus.ErrStale) {
		t.Errorf("another library: %v", err)
	}
	b.model = newModel(t, 16)
	if _, err := b.ingester().Apply(context.Background(), p, ingest.ApplyOptions{}); !errors.Is(err, corpus.ErrStale) {
		t.Errorf("another model: %v", err)
	}
	if rows := b.rows(); rows["documents"] != 0 {
		t.Errorf("rows %v", rows)
	}
}

// TestMetadataAloneEmbedsNothing: a change of labels embedded the text again (A9, S26).
func TestMetadataAloneEmbedsNothing(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "---\nlabels: [red]\n---\n"+text("alpha", 9))
	b.apply()
	b.model.embedded()
	b.tree.write("a.md", "---\nlabels: [red, green]\n---\n"+text("alpha", 9))
	if r := b.apply(); r.Updated != 1 || b.model.embedded() != 0 {
		t.Errorf("result %+v", r)
	}
	if got := fmt.Sprint(b.document("a.md").Metadata["labels"]); got != "[red green]" {
		t.Errorf("labels %s", got)
	}
	b.noop()
}

// TestOtherChunkingIsAPlan: vectors were thrown away with the ids of passages
// whose text is the same, and changed rules were passed over (D8, S24, S31).
func TestOtherChunkingIsAPlan(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 60))
	b.tree.write("short.md", "short enough for every size")
	b.apply()
	b.model.embedded()
	before := b.document("a.md").Chunks
	b.rules = chunk.Rules{Target: 100}
	p := b.plan(ingest.PlanOptions{})
	if p.Summary.Updated != 2 || p.Actions[0].Reason != "chunking rules changed" {
		t.Fatalf("%s", describe(p))
	}
	if r := b.run(p, ingest.ApplyOptions{}); r.Reused == 0 || b.document("a.md").Chunks <= before {
		t.Errorf("result %+v", r)
	}
	b.noop()
	b.equalsFresh()
	b.rules = chunk.Rules{}
	b.model.embedded()
	if r := b.apply(); r.Updated != 2 || b.model.embedded() != 0 {
		t.Errorf("back again: %+v", r)
	}
	b.equalsFresh()
}
