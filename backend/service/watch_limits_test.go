package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// What waits goes on waiting when the process that watches is another, and who
// asks for the library's state hears of it.
func TestWaitingOutlivesTheWatcher(t *testing.T) {
	for _, policy := range []corpus.Policy{corpus.PolicyLimits, corpus.PolicyAuto} {
		t.Run(string(policy), func(t *testing.T) {
			l := open(t, map[string]string{"limits.removed": "0.6"})
			for i := range 30 {
				l.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("# %d\n\nnote %d\n", i, i))
			}
			l.policy(policy)
			l.apply(api.ApplyRequest{})
			w := l.watch()
			w.source(api.WatchWatching)
			first, whole := 16, "20 of 30"
			if policy == corpus.PolicyAuto {
				first, whole = 18, "22 of 30"
			}
			for i := range first {
				l.remove(fmt.Sprintf("%02d.md", i))
			}
			l.until("all removed", func() bool { return len(l.documents()) == 30-first })
			w.stop()
			w = l.reopened().watch()
			w.source(api.WatchWatching)
			for i := first; i < first+4; i++ {
				l.remove(fmt.Sprintf("%02d.md", i))
			}
			w.waiting(4, whole)
			w.stop()
			if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Waiting != 4 {
				t.Errorf("nobody watches, status %+v", st)
			}
			w = l.reopened().watch()
			w.waiting(4, whole)
			l.write("new.md", "# New\n\nnew\n")
			w.applied("new.md")
			if n := len(l.documents()); n != 31-first {
				t.Errorf("%d documents are left, want %d", n, 31-first)
			}
			w.stop()
			if run := l.apply(api.ApplyRequest{}); run.Summary.Removed != 4 {
				t.Fatalf("the consent: %+v", run.Summary)
			}
			if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Waiting != 0 {
				t.Errorf("after the consent, status %+v", st)
			}
		})
	}
}

// What waits goes on waiting while the folder is away.
func TestWaitingOutlivesTheFolder(t *testing.T) {
	l := open(t, map[string]string{"limits.tokens": "100"})
	l.policy(corpus.PolicyLimits)
	l.write("big.md", half("big"))
	l.write("small.md", "# Small\n\nsmall\n")
	l.apply(api.ApplyRequest{}) // the root is known by its files
	l.write("big.md", half("other"))
	w := l.watch()
	w.waiting(1, "limits.tokens")
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(l.notes, away); err != nil {
		t.Fatal(err)
	}
	w.source(api.WatchUnavailable)
	told := false
	waitsNoMore := func(e api.WatchEvent) { told = told || e.Type == api.WatchWaiting && e.Waiting == 0 }
	more := t.TempDir() // what is looked at after that
	if err := os.WriteFile(filepath.Join(more, "more.md"), []byte("# More\n\nmore\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must[api.Source](t)(l.AddSource(t.Context(), api.AddSourceRequest{Path: more, Name: "more", Policy: string(corpus.PolicyAuto)}))
	w.until("more is applied", func(e api.WatchEvent) bool {
		waitsNoMore(e)
		return e.Type == api.WatchApplied && e.Source == "more"
	})
	if err := os.WriteFile(filepath.Join(away, "new.md"), []byte("# New\n\nnew\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, l.notes); err != nil {
		t.Fatal(err)
	}
	w.until("the folder is back", func(e api.WatchEvent) bool {
		waitsNoMore(e)
		return e.Type == api.WatchApplied && len(e.Actions) == 1 && e.Actions[0].Path == "new.md"
	})
	if told {
		t.Error("waited no more while the folder was away")
	}
	if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Waiting != 1 {
		t.Errorf("status %+v", st)
	}
}

// Two that watch one library do not allow twice as much, nor forget what the
// other applied.
func TestTwoWatchersShareLimits(t *testing.T) {
	l := onDisk(t)
	l.parts.Config = configured(t, map[string]string{"limits.removed": "0.6"})
	other := l.another()
	other.parts.Config = l.parts.Config
	for i := range 30 {
		l.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("# %d\n\nnote %d\n", i, i))
	}
	l.policy(corpus.PolicyLimits)
	l.apply(api.ApplyRequest{})
	w, v := l.reopened().watch(), other.reopened().watch()
	w.source(api.WatchWatching)
	v.source(api.WatchWatching)
	for round := range 4 {
		for i := range 4 {
			l.remove(fmt.Sprintf("%02d.md", 4*round+i))
		}
		l.until("removed", func() bool { return len(l.documents()) == 26-4*round })
	}
	for i := 16; i < 20; i++ {
		l.remove(fmt.Sprintf("%02d.md", i))
	}
	w.waiting(4, "20 of 30")
	v.waiting(4, "20 of 30")
	if n := len(l.documents()); n != 14 {
		t.Errorf("%d documents are left, want 14", n)
	}
}

// half is about half of the limit below.
func half(seed string) string { return strings.Join(strings.SplitAfter(prose(seed), "\n\n")[:16], "") }

// More than the limit is not embedded for coming in small parts.
func TestTokensInSmallPartsWait(t *testing.T) {
	l := open(t, map[string]string{"limits.tokens": "600"})
	l.policy(corpus.PolicyLimits)
	w := l.watch()
	w.source(api.WatchWatching)
	l.write("0.md", half("zero"))
	w.applied("0.md")
	w.embedded()
	w.stop()
	w = l.reopened().watch() // also over the end of a process
	w.source(api.WatchWatching)
	l.write("1.md", half("one"))
	w.applied("1.md")
	l.write("2.md", half("two"))
	w.waiting(1, "in the last minutes")
	if n := len(l.documents()); n != 2 {
		t.Errorf("%d documents are there", n)
	}
}

// A part of what waits is not let in when something happens to it alone.
func TestAPartOfWhatWaitsWaits(t *testing.T) {
	l := open(t, map[string]string{"limits.tokens": "800", "limits.removed": "1"})
	l.policy(corpus.PolicyLimits)
	for _, p := range []string{"a/0.md", "b/1.md", "c/2.md"} {
		l.write(p, half(p))
	}
	w := l.watch()
	w.waiting(3, "limits.tokens")
	for range 2 {
		l.write("a/0.md", half("other"))
		l.write("a/small.md", "# Small\n\nsmall\n")
		w.applied("a/small.md")
		l.remove("a/small.md")
		w.applied("a/small.md")
	}
	if got := l.documents(); len(got) != 0 {
		t.Errorf("let in: %v", got)
	}
	l.remove("a/0.md") // what is left is within the limit
	w.applied("b/1.md", "c/2.md")
}

// What was applied before something waited keeps that waiting, and nothing else.
func TestWaitingUsesUpNoBudget(t *testing.T) {
	l := open(t, map[string]string{"limits.tokens": "600"})
	source := l.policy(corpus.PolicyLimits)
	if err := l.parts.Store.PutRequest(t.Context(), store.Request{ // long ago
		Kind: "consent " + source.ID, Run: `{"before":{"tokens":600},"waiting":1,"why":"too much"}`,
	}); err != nil {
		t.Fatal(err)
	}
	l.write("big.md", half("big")+half("more")+half("most"))
	w := l.watch()
	w.waiting(1, "after 600 in the last minutes")
	l.write("small.md", "# Small\n\nsmall\n")
	w.applied("small.md")
}

// Removals that wait are compared with all documents of their source, also where
// what is looked at removes none.
func TestRemovalsThatWaitAreOfAllDocuments(t *testing.T) {
	l := open(t, map[string]string{"limits.tokens": "100"})
	l.policy(corpus.PolicyLimits)
	for i := range 20 {
		l.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("# %d\n\nnote %d\n", i, i))
	}
	l.apply(api.ApplyRequest{})
	for i := range 5 {
		l.remove(fmt.Sprintf("%02d.md", i))
	}
	w := l.watch()
	w.waiting(5, "5 of 20 documents")
	l.write("big.md", half("big"))
	w.waiting(6, "5 of 20 documents")
}

// An estimate that is too low lets nothing in: what a document takes shows when
// it was read.
func TestEstimatesDoNotPassLimits(t *testing.T) {
	l := open(t, map[string]string{"limits.tokens": "600"})
	l.policy(corpus.PolicyLimits)
	w := l.watch()
	w.source(api.WatchWatching)
	l.write("dense.md", strings.Repeat("a b c d e f.\n\n", 120)) // more tokens than bytes tell
	w.waiting(1, "limits.tokens")
	l.write("note.md", "# Note\n\nokapi\n")
	w.applied("note.md")
	w.embedded()
	if n := l.model.calls.Load(); n != 1 || len(l.documents()) != 1 {
		t.Errorf("%d passages were embedded, documents %v", n, l.documents())
	}
	l.touch("dense.md")
	l.write("other.md", "# Other\n\nquagga\n")
	w.applied("other.md")
	if n := len(l.documents()); n != 2 {
		t.Errorf("documents %v", l.documents())
	}
	if run := l.apply(api.ApplyRequest{}); run.Summary.Added != 1 {
		t.Fatalf("the consent: %+v", run.Summary)
	}
	w.waiting(0, "")
}

// Files that were emptied all at once are as a mass removal.
func TestEmptiedFilesWait(t *testing.T) {
	l := open(t, nil)
	for i := range 30 {
		l.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("# %d\n\nnote %d\n", i, i))
	}
	l.policy(corpus.PolicyAuto)
	l.apply(api.ApplyRequest{})
	for i := range 21 {
		l.write(fmt.Sprintf("%02d.md", i), "")
	}
	w := l.watch()
	w.waiting(21, "21 of 30")
	if n := len(l.documents()); n != 30 {
		t.Errorf("%d documents", n)
	}
	l.finds("7", "keyword", "07.md")
}

// Limits that another process changes hold for the one that watches, also for
// what waits.
func TestLimitsChangeWhileWatching(t *testing.T) {
	folder := t.TempDir()
	load := func() *config.Config {
		conf, err := config.Load(config.Options{Folder: folder})
		if err != nil {
			t.Fatal(err)
		}
		return conf
	}
	other := load() // of another process
	set := func(key, value string) {
		t.Helper()
		if _, err := other.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	set("embeddings", "hash")
	l := open(t, nil)
	l.parts.Config = load()
	l.policy(corpus.PolicyLimits)
	w := l.reopened().watch()
	w.source(api.WatchWatching)
	set("limits.tokens", "0")
	l.until("the limit is known", func() bool { return l.parts.Config.Settings().Limits.Tokens == 0 })
	l.write("a.md", half("a"))
	w.waiting(1, "limits.tokens allows (0)")
	set("limits.tokens", "100000")
	w.applied("a.md")
	set("limits.tokens", "0")
	l.until("the limit is known", func() bool { return l.parts.Config.Settings().Limits.Tokens == 0 })
	l.write("b.md", half("b"))
	w.waiting(1, "limits.tokens")
	must[api.Source](t)(l.ChangeSource(t.Context(), api.ChangeSourceRequest{Source: "notes", Policy: string(corpus.PolicyAuto)}))
	w.applied("b.md")
}
