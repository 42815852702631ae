package ingest_test

import (
	"archive/zip"
	"bytes"
	"context"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
)

// jpeg is the beginning of a photo, and another one.
const (
	jpeg  = "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x02\x03\x04"
	jpeg2 = jpeg + "another"
)

func archive(t *testing.T, name string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if _, err := w.Create(name); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestUnsupportedFilesAreNoFailures: photos and archives counted as failed
// documents of every run, and were read as a whole to find out.
func TestUnsupportedFilesAreNoFailures(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "alpha")
	b.tree.write("photo.jpg", jpeg)
	b.tree.write("old.zip", archive(t, "a.txt"))
	p := b.plan(ingest.PlanOptions{})
	if s := p.Summary; s.Added != 1 || s.Unsupported != 2 || s.Failed != 0 || b.tree.hashed != 1 {
		t.Fatalf("%s; %d hashed", describe(p), b.tree.hashed)
	}
	if a := p.Actions[2]; a.Kind != plan.Unsupported || a.Reason != "JPEG image: not a type that ibid reads" || a.Chunks != (plan.Counts{}) {
		t.Errorf("action %+v", a)
	}
	r := b.run(p, ingest.ApplyOptions{})
	if r.Added != 1 || r.Unsupported != 2 || !r.Clean() || b.rows()["documents"] != 1 {
		t.Errorf("result %+v, rows %v", r, b.rows())
	}
	b.noop()
}

// TestUnsupportedFoundByReading: what an archive of another name is shows only
// when it is read as a whole. It is no failure then, and not read again.
func TestUnsupportedFoundByReading(t *testing.T) {
	b := newBench(t)
	b.tree.write("data.bin", archive(t, "a.txt"))
	if p := b.plan(ingest.PlanOptions{}); p.Summary.Added != 1 {
		t.Fatal(describe(p))
	}
	if r := b.apply(); r.Unsupported != 1 || len(r.Failed) != 0 || !r.Clean() {
		t.Errorf("result %+v", r)
	}
	b.tree.hashed = 0
	p := b.plan(ingest.PlanOptions{})
	if !p.IsNoOp() || p.Summary.Unsupported != 1 || p.Summary.Failed != 0 || b.tree.hashed != 0 {
		t.Errorf("%s; %d hashed", describe(p), b.tree.hashed)
	}
}

// TestDocumentBecomesAPhoto: its old text must not answer for ever. It is
// removed, as announced, unless the file is a text again by then.
func TestDocumentBecomesAPhoto(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "zirkonium")
	b.tree.write("b.md", "niobium")
	b.apply()
	b.tree.write("a.md", jpeg)
	b.tree.write("b.md", jpeg2)
	p := b.plan(ingest.PlanOptions{})
	if p.Summary.Removed != 2 || p.Summary.Unsupported != 0 || p.Actions[0].Code != plan.UnsupportedType {
		t.Fatal(describe(p))
	}
	b.tree.write("b.md", "niobium again")
	r := b.run(p, ingest.ApplyOptions{})
	if r.Removed != 1 || len(r.Skipped) != 1 || r.Skipped[0].Path != "b.md" {
		t.Errorf("result %+v", r)
	}
	if b.found("zirkonium") != "" || b.found("niobium") != "b.md" {
		t.Errorf("found %q and %q", b.found("zirkonium"), b.found("niobium"))
	}
	if r := b.apply(); r.Updated != 1 || r.Unsupported != 1 {
		t.Errorf("result %+v", r)
	}
	b.noop()
}

// TestUnseenSourcesAreTold: a run over a source that is away was said to be
// done.
func TestUnseenSourcesAreTold(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "alpha")
	b.apply()
	b.tree.down = "not mounted"
	r := b.apply()
	if r.Clean() || len(r.Unseen) != 1 || r.Unseen[0].Part || r.Unseen[0].Name != "notes" || r.Unseen[0].Detail != "not mounted" || r.Changed() {
		t.Errorf("away: %+v", r)
	}
	b.tree.down = ""
	b.tree.holes = map[string]string{"dir": "permission denied"}
	if r = b.apply(); r.Clean() || len(r.Unseen) != 1 || !r.Unseen[0].Part || !strings.Contains(r.Unseen[0].Detail, "permission denied") {
		t.Errorf("in part: %+v", r)
	}
	b.tree.holes = nil
	p := b.plan(ingest.PlanOptions{})
	if r, err := b.ingester().Apply(context.Background(), p, ingest.ApplyOptions{}); err != nil || !r.Clean() {
		t.Errorf("back again: %+v, %v", r, err)
	}
}

// TestUnsupportedPages: a page is of the type that its bytes and the name in its
// address have, of which neither host nor query is a part.
func TestUnsupportedPages(t *testing.T) {
	b := newBench(t)
	b.source.Kind, b.source.Root = corpus.SourceURL, "https://photos.md/"
	if err := b.store.PutSource(context.Background(), b.source); err != nil {
		t.Fatal(err)
	}
	b.tree.write("https://photos.md", jpeg)
	b.tree.write("https://photos.md/all.zip?v=2", archive(t, "a.txt"))
	b.tree.write("https://photos.md/table.csv?v=2", "a,b\n1,2\n")
	p := b.plan(ingest.PlanOptions{})
	if s := p.Summary; s.Unsupported != 2 || s.Added != 1 {
		t.Fatal(describe(p))
	}
	b.run(p, ingest.ApplyOptions{})
	b.noop()
}
