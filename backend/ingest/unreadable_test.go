package ingest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
)

func TestBadFiles(t *testing.T) { // S30, S64
	b := newBench(t)
	for i := range 10 {
		b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 2))
	}
	b.tree.write("5.md", "bad bytes")
	b.tree.write("locked.md", "x")
	b.tree.problem["locked.md"] = errors.New("permission denied")
	r := b.apply()
	if r.Added != 9 || len(r.Failed) != 2 {
		t.Fatalf("result %+v", r)
	}
	for _, f := range r.Failed {
		if want := map[string]string{"5.md": "these bytes are bad", "locked.md": "cannot be read: permission denied"}[f.Path]; f.Error != want {
			t.Errorf("%s: %q, want %q", f.Path, f.Error, want)
		}
	}
	for range 3 {
		b.noop()
		b.apply()
	}
	if rows := b.rows(); rows["documents"] != 10 {
		t.Errorf("%d documents", rows["documents"])
	}
	if d := b.document("5.md"); d.State != corpus.DocumentFailed || d.Error != "these bytes are bad" {
		t.Errorf("ledger says %s %q", d.State, d.Error)
	}
	// On request, with another reader, and when it changes, it is tried again.
	if p := b.plan(ingest.PlanOptions{Retry: true}); p.Summary.Updated != 1 {
		t.Errorf("on request: %s", describe(p))
	}
	b.reader.version = "+"
	if p := b.plan(ingest.PlanOptions{}); p.Summary.Updated != 10 {
		t.Errorf("with another reader: %s", describe(p))
	}
	b.reader.version = ""
	b.tree.write("5.md", "good bytes")
	delete(b.tree.problem, "locked.md")
	if r := b.apply(); r.Updated != 1 || r.Added != 1 || !r.Clean() {
		t.Errorf("repaired: %+v", r)
	}
	b.noop()
}

func TestFailedUpdateKeepsTheOldVersion(t *testing.T) { // S06
	b := newBench(t)
	b.tree.write("a.md", "zirkonium "+text("alpha", 3))
	b.apply()
	b.tree.write("a.md", "bad now")
	if r := b.apply(); len(r.Failed) != 1 {
		t.Fatalf("result %+v", r)
	}
	if b.found("zirkonium") != "a.md" {
		t.Error("the old version no longer answers")
	}
	b.noop()
	b.tree.write("a.md", "zirkonium "+text("alpha", 3))
	b.model.embedded()
	if r := b.apply(); r.Updated != 1 || b.model.embedded() != 0 {
		t.Errorf("back as it was: %+v", r)
	}
	b.noop()
}

func TestEmptiedFile(t *testing.T) { // E3
	b := newBench(t)
	b.tree.write("a.md", "zirkonium "+text("alpha", 3))
	b.tree.write("b.md", "")
	b.apply()
	b.model.calls = 0
	b.tree.write("a.md", " \n")
	if r := b.apply(); r.Updated != 1 || b.model.calls != 0 || r.PassagesRemoved == 0 {
		t.Errorf("result %+v after %d calls", r, b.model.calls)
	}
	if got := b.found("zirkonium"); got != "" {
		t.Errorf("found in %q", got)
	}
	b.noop()
	b.equalsFresh()
}

func TestHangingFile(t *testing.T) { // S40
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.tree.write("a.md", "alpha")
		b.tree.write("h.md", "hang here")
		b.tree.write("z.md", "zeta")
		began := time.Now()
		r := b.apply()
		if r.Added != 2 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error, "longer than 2m0s") {
			t.Errorf("result %+v", r)
		}
		if took := time.Since(began); took > 3*time.Minute {
			t.Errorf("it was waited for %v", took)
		}
		b.noop()
	})
}

func TestUncommittableDocument(t *testing.T) { // E2
	b := newBench(t)
	b.tree.write("a.md", "alpha")
	b.tree.write("b.md", "beta")
	b.reader.change = func(ext *corpus.Extraction) {
		if ext.Text == "beta" {
			ext.Metadata = corpus.Metadata{"tenant": "another"}
		}
	}
	r := b.apply()
	if r.Added != 1 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error, "reserved") {
		t.Fatalf("result %+v", r)
	}
	if d := b.document("b.md"); d.State != corpus.DocumentFailed {
		t.Errorf("b.md is %q", d.State)
	}
	b.noop()
}

// What cannot be read for want of a reader says nothing about the document:
// nothing is recorded, and the next plan has it again.
func TestReaderAway(t *testing.T) {
	b := newBench(t)
	b.tree.write("old.md", "zirkonium "+text("alpha", 3))
	b.apply()
	b.tree.write("old.md", "another text")
	b.tree.write("new.md", text("beta", 3))
	b.reader.away = true
	r := b.apply()
	if len(r.Failed) != 0 || len(r.Skipped) != 2 || !strings.Contains(r.Skipped[0].Error, "out of memory") {
		t.Fatalf("result %+v", r)
	}
	if d := b.document("old.md"); d.State != corpus.DocumentIndexed || b.found("zirkonium") != "old.md" {
		t.Errorf("the old version is %s (%s)", d.State, d.Error)
	}
	b.reader.away = false
	if r := b.apply(); r.Added != 1 || r.Updated != 1 || !r.Clean() {
		t.Errorf("once it can be read: %+v", r)
	}
	b.equalsFresh()
}

// TestTooManyTerms: a plan with exact counts knows what applying will refuse.
func TestTooManyTerms(t *testing.T) { // S56
	if testing.Short() {
		t.Skip("reads six million index terms")
	}
	b := newBench(t)
	b.tree.write("log.md", strings.Repeat("a_b ", 22<<17)) // three terms each
	b.tree.write("note.md", text("alpha", 3))
	p := b.plan(ingest.PlanOptions{Exact: true})
	i := slices.IndexFunc(p.Actions, func(a plan.Action) bool { return a.Path == "log.md" })
	said := p.Actions[i].Missing
	r := b.run(p, ingest.ApplyOptions{})
	if r.Added != 1 || len(r.Failed) != 1 {
		t.Fatalf("result %+v", r)
	}
	if want := "all of it: " + r.Failed[0].Error; said != want || !strings.Contains(said, "index terms") {
		t.Errorf("planned %q, applied %q", said, want)
	}
	b.noop()
}
