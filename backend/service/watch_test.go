package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

func TestASavedFileIsSearchable(t *testing.T) {
	l := open(t, nil)
	l.write("old.md", "# Old\n\nzebra\n")
	l.policy(corpus.PolicyAuto)
	w := l.watch()
	if e := w.source(api.WatchWatching); e.Source != "notes" || e.Folders != 1 {
		t.Errorf("the source is watched: %+v", e)
	}
	e := w.applied("old.md")
	if e.Run.Summary.Added != 1 || e.Run.Kind != "watch" || e.Why != "watching began" || e.Source != "notes" {
		t.Errorf("what was there: %+v", e)
	}
	w.embedded()

	l.write("deep/er/new.md", "# New\n\nokapi\n")
	if e := w.applied("deep/er/new.md"); e.Run.Summary.Added != 1 || e.Why != "files changed" {
		t.Errorf("a new file: %+v", e)
	}
	l.finds("okapi", "keyword", "deep/er/new.md")
	if e := w.embedded(); e.Run.Summary.Embedded != 1 || e.Run.Kind != "embed" || e.Run.State != api.RunDone {
		t.Errorf("its vector: %+v", e.Run)
	}
	l.write("old.md", "# Old\n\nquagga\n")
	w.applied("old.md")
	l.finds("quagga", "keyword", "old.md")
	l.finds("zebra", "keyword")
	l.rename("old.md", "deep/moved.md")
	if e := w.applied("deep/moved.md"); e.Run.Summary.Moved != 1 || e.Run.Summary.Removed != 0 {
		t.Errorf("a moved file: %+v", e.Run.Summary)
	}
	l.remove("deep/moved.md")
	w.applied("deep/moved.md")
	l.finds("quagga", "keyword")

	st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
	if !st.Watching || st.Waiting != 0 || st.Documents != 1 || st.Embedded != st.Chunks {
		t.Errorf("status %+v", st)
	}
	s := must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{}))
	if s.Sources[0].Watch != api.WatchWatching {
		t.Errorf("source %+v", s.Sources[0])
	}
	if p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{})); len(p.Actions) != 0 {
		t.Errorf("not in step: %+v", p.Actions)
	}
	w.stop()
	if s := must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{})); s.Sources[0].Watch != "" {
		t.Errorf("nobody watches: %+v", s.Sources[0])
	}
	if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Watching {
		t.Errorf("nobody watches: %+v", st)
	}
}

func TestChangesWaitForConsent(t *testing.T) {
	l := open(t, nil)
	l.policy(corpus.PolicyAsk)
	w := l.watch()
	w.source(api.WatchWatching)
	for _, p := range []string{"a.md", "b.md", "c.md"} {
		l.write(p, "# "+p+"\n\ntext\n")
	}
	w.waiting(3, "policy is to ask")
	s := must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{}))
	st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
	if s.Sources[0].Waiting != 3 || st.Waiting != 3 || st.Documents != 0 {
		t.Errorf("source %+v, status %+v", s.Sources[0], st)
	}
	l.says("changes wait", "3 changed documents wait for your consent")
	l.remove("c.md") // it waits no more
	w.waiting(2, "policy is to ask")
	if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Added != 2 {
		t.Fatalf("the consent: %+v", run)
	}
	w.waiting(0, "")
	l.says("nothing waits", "")
	if s := must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{})); s.Sources[0].Waiting != 0 {
		t.Errorf("source %+v", s.Sources[0])
	}
}

func TestLimits(t *testing.T) {
	l := open(t, map[string]string{"limits.tokens": "300", "limits.removed": "0.2"})
	for i := range 10 {
		l.write(fmt.Sprintf("%d.md", i), fmt.Sprintf("# %d\n\nnote %d\n", i, i))
	}
	l.policy(corpus.PolicyLimits)
	w := l.watch()
	w.applied("0.md", "9.md")
	l.write("big.md", prose("big"))
	w.waiting(1, "limits.tokens")
	l.write("small.md", "# Small\n\nsmall\n")
	w.applied("small.md")
	l.remove("1.md")
	l.remove("2.md")
	w.applied("1.md", "2.md")
	l.remove("3.md") // a third of eleven, in small parts
	w.waiting(2, "limits.removed")
	if run := l.apply(api.ApplyRequest{}); run.Summary.Added != 1 || run.Summary.Removed != 1 {
		t.Fatalf("the consent: %+v", run.Summary)
	}
	w.waiting(0, "")
}

// An edit of a long document is not as expensive as its estimate.
func TestLimitsCountWhatAnEditReallyTakes(t *testing.T) {
	l := open(t, map[string]string{"limits.tokens": "600"})
	l.write("long.md", prose("long"))
	l.policy(corpus.PolicyLimits)
	l.apply(api.ApplyRequest{})
	w := l.watch()
	w.source(api.WatchWatching)
	l.write("long.md", strings.Replace(prose("long"), "Sentence 30 of", "Changed 30 of", 1))
	if e := w.applied("long.md"); e.Run.Summary.Updated != 1 {
		t.Errorf("an edit: %+v", e.Run.Summary)
	}
}

func TestMassRemovalsWait(t *testing.T) {
	l := open(t, nil)
	for i := range 30 {
		l.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("# %d\n\nnote %d\n", i, i))
	}
	l.policy(corpus.PolicyAuto)
	w := l.watch()
	w.applied("00.md", "29.md")
	for i := range 20 { // in small parts
		l.remove(fmt.Sprintf("%02d.md", i))
		if i%5 == 4 {
			w.applied(fmt.Sprintf("%02d.md", i))
		}
	}
	l.remove("20.md")
	w.waiting(1, "21 of 30 documents")
	if n := len(l.documents()); n != 10 {
		t.Errorf("%d documents are left, want 10", n)
	}
}

func TestAVanishedRootRemovesNothing(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\nalpha\n")
	l.policy(corpus.PolicyAuto)
	w := l.watch()
	w.applied("a.md")
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(l.notes, away); err != nil {
		t.Fatal(err)
	}
	if e := w.source(api.WatchUnavailable); !strings.Contains(e.Detail, "does not exist") {
		t.Errorf("state %+v", e)
	}
	l.finds("alpha", "keyword", "a.md")
	if err := os.WriteFile(filepath.Join(away, "b.md"), []byte("# B\n\nbeta\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, l.notes); err != nil {
		t.Fatal(err)
	}
	if e := w.applied("b.md"); e.Run.Summary.Added != 1 || e.Run.Summary.Removed != 0 {
		t.Errorf("back again: %+v", e.Run.Summary)
	}
	l.write("c.md", "# C\n\ngamma\n")
	w.applied("c.md")
	l.finds("alpha", "keyword", "a.md")
}

// TestStormEndsInStep makes changes as fast as it can: what is searchable in
// the end is what a fresh look finds.
func TestStormEndsInStep(t *testing.T) {
	l := open(t, nil)
	l.policy(corpus.PolicyAuto)
	for i := range 200 {
		l.write(fmt.Sprintf("d%d/%d.md", i%4, i), fmt.Sprintf("# Note %d\n\nword%d\n", i, i))
	}
	w := l.watch()
	w.until("200 added", func(e api.WatchEvent) bool { return e.Type == api.WatchApplied && e.Run.Summary.Added == 200 })
	calls := l.model.calls.Load()
	w.embedded()
	l.rename("d0", "e0")
	l.rename("e0", "f0")
	l.rename("d1", "f0/d1")
	for i := range 20 {
		l.write(fmt.Sprintf("d2/%d.md", 4*i+2), fmt.Sprintf("# Note %d\n\nother%d\n", i, i))
		l.remove(fmt.Sprintf("d3/%d.md", 4*i+3))
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
		st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
		if len(p.Actions) == 0 && st.Embedded == st.Chunks {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not in step: %+v, %+v", p.Actions, st)
		}
		select {
		case <-w.events:
		case <-time.After(50 * time.Millisecond):
		}
	}
	if n := l.model.calls.Load() - calls; n > 240 {
		t.Errorf("%d passages were embedded", n)
	}
	l.finds("word4", "keyword", "f0/4.md")
	l.finds("word1", "keyword", "f0/d1/1.md")
}
