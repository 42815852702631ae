package service_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/service"
	"ibid/backend/source/watch"
	"ibid/backend/store"
)

// watched is a library that a Watch keeps in step.
type watched struct {
	*library
	events chan api.WatchEvent
	end    context.CancelFunc
	ended  chan error
}

// watch begins to watch; the end of the test ends it.
func (l *library) watch() *watched {
	l.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watched{library: l, events: make(chan api.WatchEvent, 10000), end: cancel, ended: make(chan error, 1)}
	go func() {
		w.ended <- l.Watch(ctx, service.WatchOptions{
			Report: func(e api.WatchEvent) { w.events <- e },
			Pace:   watch.Options{Quiet: 10 * time.Millisecond, Limit: 100 * time.Millisecond, Pulse: 20 * time.Millisecond},
		})
	}()
	l.t.Cleanup(w.stop)
	return w
}

func (w *watched) stop() {
	w.t.Helper()
	if w.end == nil {
		return
	}
	w.end()
	w.end = nil
	if err := <-w.ended; err != nil {
		w.t.Error(err)
	}
}

// until waits for an event.
func (w *watched) until(what string, is func(api.WatchEvent) bool) api.WatchEvent {
	w.t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	var seen []string
	for {
		select {
		case e := <-w.events:
			if is(e) {
				return e
			}
			seen = append(seen, fmt.Sprintf("%+v", e))
		case <-deadline.C:
			w.t.Fatalf("never: %s. But:\n%s", what, strings.Join(seen, "\n"))
		}
	}
}

func (w *watched) source(mode string) api.WatchEvent {
	w.t.Helper()
	return w.until("source is "+mode, func(e api.WatchEvent) bool { return e.Type == api.WatchSource && e.Mode == mode })
}

// applied waits until documents at the paths were applied, in any number of runs.
func (w *watched) applied(paths ...string) (last api.WatchEvent) {
	w.t.Helper()
	missing := map[string]bool{}
	for _, p := range paths {
		missing[p] = true
	}
	for len(missing) > 0 {
		last = w.until(fmt.Sprintf("applied %v", missing), func(e api.WatchEvent) bool { return e.Type == api.WatchApplied })
		for _, a := range last.Actions {
			delete(missing, a.Path)
		}
	}
	return last
}

// waiting waits until so many documents wait for consent.
func (w *watched) waiting(n int, why string) {
	w.t.Helper()
	w.until(fmt.Sprintf("%d waiting: %s", n, why), func(e api.WatchEvent) bool {
		return e.Type == api.WatchWaiting && e.Waiting == n && strings.Contains(e.Why, why)
	})
}

func (w *watched) embedded() api.WatchEvent {
	w.t.Helper()
	return w.until("embedded", func(e api.WatchEvent) bool { return e.Type == api.WatchEmbedded })
}

// finds checks by which documents a query is answered.
func (l *library) finds(query, mode string, want ...string) {
	l.t.Helper()
	r := must[api.SearchResponse](l.t)(l.Search(l.t.Context(), api.SearchRequest{Query: query, Mode: mode}))
	var got []string
	for _, h := range r.Hits {
		if !slices.Contains(got, h.Path) {
			got = append(got, h.Path)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		l.t.Errorf("%s search for %q finds %q, want %q", mode, query, got, want)
	}
}

// policy adds the notes under a policy.
func (l *library) policy(p corpus.Policy) api.Source {
	l.t.Helper()
	return must[api.Source](l.t)(l.AddSource(l.t.Context(), api.AddSourceRequest{Path: l.notes, Name: "notes", Policy: string(p)}))
}

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
	l.remove("c.md") // it waits no more
	w.waiting(2, "policy is to ask")
	if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Added != 2 {
		t.Fatalf("the consent: %+v", run)
	}
	w.waiting(0, "")
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

// A change of settings is a plan's business, whatever the policy; files that
// change meanwhile are taken in with the model that the library has (D8, S27).
func TestSettingsChangeNothingByThemselves(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", prose("a"))
	l.policy(corpus.PolicyAuto)
	w := l.watch()
	w.applied("a.md")
	w.embedded()
	w.stop()
	calls := l.model.calls.Load()

	must[api.SetConfigResponse](t)(l.SetConfig(t.Context(), api.SetConfigRequest{Key: "chunking.markdown.target", Value: "64"}))
	w = l.watch()
	w.waiting(1, "chunking rules changed")
	l.write("b.md", "# B\n\nbeta\n")
	w.applied("b.md")
	w.embedded()
	if n := l.model.calls.Load() - calls; n != 1 {
		t.Errorf("%d passages were embedded, want that of b.md", n)
	}
	w.stop()

	must[api.SetConfigResponse](t)(l.SetConfig(t.Context(), api.SetConfigRequest{Key: "chunking.markdown.target", Value: "0"}))
	l.parts.Config = configured(t, map[string]string{"embeddings": "none"})
	w = l.reopened().watch()
	l.write("c.md", "# C\n\ngamma\n")
	w.applied("c.md")
	w.embedded()
	st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
	if st.Model != "hash" || st.Building != "" || st.Embedded != st.Chunks || st.Documents != 3 {
		t.Errorf("status %+v", st)
	}
}

// aged is a store whose library was made by an older program, and that nobody
// is to write to.
type aged struct {
	store.Store
	t *testing.T
}

func (a aged) View(ctx context.Context, fn func(store.Reader) error) error {
	return a.Store.View(ctx, func(r store.Reader) error { return fn(agedReader{r}) })
}

func (a aged) Acquire(context.Context, string) (store.Writer, error) {
	a.t.Error("somebody wants to write")
	return nil, corpus.ErrBusy
}

type agedReader struct{ store.Reader }

func (r agedReader) Info(ctx context.Context) (store.Info, error) {
	info, err := r.Reader.Info(ctx)
	for i := range info.Generations {
		info.Generations[i].Analyzer = "older"
	}
	return info, err
}

// A new version of the program analyzes words otherwise: that is a plan too,
// and until it is applied nothing is (D8).
func TestANewAnalyzerChangesNothingByItself(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\nalpha\n")
	l.policy(corpus.PolicyAuto)
	l.apply(api.ApplyRequest{})
	l.touch("a.md")
	l.parts.Store = aged{l.parts.Store, t}
	w := l.reopened().watch()
	l.write("b.md", "# B\n\nbeta\n")
	w.waiting(2, "that takes a plan")
	w.stop()
}

// touch changes a file's times.
func (l *library) touch(path string) {
	l.t.Helper()
	if err := os.Chtimes(filepath.Join(l.notes, path), time.Time{}, time.Unix(1_700_000_000, 0)); err != nil {
		l.t.Fatal(err)
	}
}

func TestOneWatchAtATime(t *testing.T) {
	l := open(t, nil)
	l.add()
	w := l.watch()
	w.source(api.WatchWatching)
	fails(t, l.Watch(t.Context(), service.WatchOptions{}), api.CodeBusy, "already")
	if err := l.Service.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
	w.ended <- nil // for stop
	fails(t, l.Watch(t.Context(), service.WatchOptions{}), api.CodeUnavailable, "closing")
}

// Whoever cannot write now does it later, and says so once.
func TestAnotherWriterIsNotFought(t *testing.T) {
	l := open(t, nil)
	l.policy(corpus.PolicyAuto)
	w := l.watch()
	w.source(api.WatchWatching)
	other, err := l.parts.Store.Acquire(t.Context(), "somebody else")
	for errors.Is(err, corpus.ErrBusy) { // the first look keeps the root's mark
		<-time.After(time.Millisecond)
		other, err = l.parts.Store.Acquire(t.Context(), "somebody else")
	}
	if err != nil {
		t.Fatal(err)
	}
	l.write("a.md", "# A\n\nalpha\n")
	e := w.until("delayed", func(e api.WatchEvent) bool { return e.Type == api.WatchDelayed })
	if !strings.Contains(e.Why, "somebody else") || e.Seconds <= 0 || e.Seconds > 2 {
		t.Errorf("delayed: %+v", e)
	}
	if err := other.Release(); err != nil {
		t.Fatal(err)
	}
	w.applied("a.md")
}

func TestEmbeddingGivesWayAndGoesOn(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", prose("a"))
	l.policy(corpus.PolicyAuto)
	l.model.closed = make(chan struct{})
	w := l.watch()
	w.applied("a.md") // the text does not wait for the vectors
	l.finds("deposits", "keyword", "a.md")
	l.write("b.md", "# B\n\nbeta\n") // the call in flight never ends by itself
	w.applied("b.md")
	st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
	if st.Background == nil || st.Background.State != api.RunRunning || st.Background.Kind != "embed" || st.Embedded != 0 {
		t.Errorf("in the background: %+v", st)
	}
	began := time.Now()
	if run := l.apply(api.ApplyRequest{NoWait: true}); run.State != api.RunDone {
		t.Errorf("somebody's own apply: %+v", run)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("it waited for %v", took)
	}
	close(l.model.closed)
	if e := w.embedded(); e.Run.Summary.Pending != 0 || e.Run.State != api.RunDone {
		t.Errorf("embedded: %+v", e.Run)
	}
	if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Embedded != st.Chunks || st.Background != nil {
		t.Errorf("status %+v", st)
	}
}

func TestAFailingModelIsTriedAgain(t *testing.T) {
	l := open(t, nil)
	l.policy(corpus.PolicyAuto)
	l.model.fails.Store(true)
	w := l.watch()
	l.write("a.md", "# A\n\nalpha\n")
	w.applied("a.md")
	l.finds("alpha", "keyword", "a.md")
	e := w.until("delayed", func(e api.WatchEvent) bool { return e.Type == api.WatchDelayed })
	if !strings.Contains(e.Why, "no connection") || e.Seconds < 1 {
		t.Errorf("delayed: %+v", e)
	}
	l.model.fails.Store(false)
	w.embedded()
}

func TestBackgroundEmbeddingCanBeCanceled(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", prose("a"))
	l.policy(corpus.PolicyAuto)
	l.model.closed = make(chan struct{})
	w := l.watch()
	w.applied("a.md")
	feed := l.Subscribe()
	defer feed.Close()
	var id string
	for id == "" {
		if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Background != nil {
			id = st.Background.ID
		}
	}
	must[api.Run](t)(l.CancelRun(t.Context(), api.CancelRunRequest{ID: id}))
	if run := l.wait(feed, id); run.State != api.RunCanceled {
		t.Errorf("canceled: %+v", run)
	}
	close(l.model.closed)
	l.write("b.md", "# B\n\nbeta\n") // something new: it goes on
	w.applied("b.md")
	w.embedded()
	if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Embedded != st.Chunks {
		t.Errorf("status %+v", st)
	}
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

// Two processes watch one library: both are done when the folder is in step,
// and nothing was made twice (S89).
func TestTwoWatchersDoNotFight(t *testing.T) {
	l := onDisk(t)
	l.policy(corpus.PolicyAuto)
	other := l.another()
	w, v := l.watch(), other.watch()
	w.source(api.WatchWatching)
	v.source(api.WatchWatching)
	const files = 40
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := range files {
			l.write(fmt.Sprintf("%d.md", i), fmt.Sprintf("# Note %d\n\nword%d\n", i, i))
		}
	})
	writers.Wait()
	deadline := time.Now().Add(30 * time.Second)
	for {
		st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
		if st.Documents == files && st.Chunks == files && st.Embedded == files {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("status %+v", st)
		}
		select {
		case <-w.events:
		case <-v.events:
		case <-time.After(50 * time.Millisecond):
		}
	}
	if n := l.model.calls.Load() + other.model.calls.Load(); n > files+files/4 {
		t.Errorf("%d passages were embedded for %d", n, files)
	}
	if p := must[api.Plan](t)(other.Plan(t.Context(), api.PlanRequest{})); len(p.Actions) != 0 {
		t.Errorf("not in step: %+v", p.Actions)
	}
	err := l.parts.Store.View(t.Context(), func(r store.Reader) error {
		runs, err := r.Runs(t.Context(), 1000)
		for _, run := range runs {
			if run.State == api.RunFailed {
				err = errors.Join(err, fmt.Errorf("run %s failed: %s", run.ID, run.Summary))
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Another process pauses, resumes and cancels what this one does (E7).
func TestAnotherProcessSteers(t *testing.T) {
	l := onDisk(t)
	l.policy(corpus.PolicyAuto)
	l.write("a.md", prose("a"))
	other := l.another()
	l.model.closed = make(chan struct{})
	w := l.watch()
	w.applied("a.md")
	background := func(is func(*api.Run) bool) {
		t.Helper()
		for began := time.Now(); ; <-time.After(5 * time.Millisecond) {
			st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
			if is(st.Background) {
				return
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Fatalf("in the background: %+v", st)
			}
		}
	}
	background(func(r *api.Run) bool { return r != nil && !r.Progress.Paused })
	st := must[api.Status](t)(other.PauseRun(t.Context(), api.PauseRunRequest{}))
	if !st.Paused {
		t.Errorf("paused: %+v", st)
	}
	background(func(r *api.Run) bool { return r != nil && r.Progress.Paused })
	close(l.model.closed)
	l.write("b.md", "# B\n\nbeta\n") // texts go on
	w.applied("b.md")
	if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Embedded != 0 || !st.Paused {
		t.Errorf("embedded while paused: %+v", st)
	}

	w.stop() // the pause outlives the process
	l.reopened()
	w = l.watch()
	l.write("c.md", "# C\n\ngamma\n")
	w.applied("c.md")
	background(func(r *api.Run) bool { return r != nil && r.Progress.Paused })
	if st := must[api.Status](t)(other.ResumeRun(t.Context(), api.PauseRunRequest{})); st.Paused {
		t.Errorf("resumed: %+v", st)
	}
	if e := w.embedded(); e.Run.State != api.RunDone || e.Run.Summary.Pending != 0 {
		t.Errorf("embedded: %+v", e.Run)
	}

	l.model.closed = make(chan struct{})
	l.write("d.md", "# D\n\ndelta\n")
	w.applied("d.md")
	var id string
	background(func(r *api.Run) bool {
		if r != nil {
			id = r.ID
		}
		return r != nil
	})
	feed := l.Subscribe()
	defer feed.Close()
	for began := time.Now(); ; <-time.After(5 * time.Millisecond) { // until it is on record
		if _, err := other.CancelRun(t.Context(), api.CancelRunRequest{ID: id}); err == nil {
			break
		} else if time.Since(began) > 10*time.Second {
			t.Fatal(err)
		}
	}
	if run := l.wait(feed, id); run.State != api.RunCanceled {
		t.Errorf("canceled: %+v", run)
	}
	close(l.model.closed)
}

// An apply of another process gets the writer role from who embeds in the
// background (S90).
func TestAnApplyElsewhereIsNotKeptWaiting(t *testing.T) {
	l := onDisk(t)
	l.write("a.md", prose("a"))
	l.policy(corpus.PolicyAuto)
	other := l.another()
	l.model.closed = make(chan struct{})
	w := l.watch()
	w.applied("a.md")
	for began := time.Now(); l.model.calls.Load() == 0; <-time.After(time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("nothing is embedded in the background")
		}
	}
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "other.md"), []byte("# Other\n\nother\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := must[api.Source](t)(other.AddSource(t.Context(), api.AddSourceRequest{Path: notes, Name: "other"}))
	run := other.apply(api.ApplyRequest{Sources: []string{s.ID}, NoWait: true})
	if run.State != api.RunDone || run.Summary.Added != 1 {
		t.Fatalf("apply: %+v", run)
	}
	close(l.model.closed)
	for began := time.Now(); ; <-time.After(5 * time.Millisecond) {
		if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Documents == 2 && st.Embedded == st.Chunks {
			break
		} else if time.Since(began) > 20*time.Second {
			t.Fatalf("status %+v", st)
		}
	}
}

func TestPauseAnApply(t *testing.T) {
	l := open(t, nil)
	for i := range 3 {
		l.write(fmt.Sprintf("%d.md", i), prose(strconv.Itoa(i)))
	}
	l.add()
	l.model.closed = make(chan struct{})
	feed := l.Subscribe()
	defer feed.Close()
	id := corpus.NewID().String()
	must[api.Run](t)(l.Apply(t.Context(), api.ApplyRequest{RunID: id}))
	must[api.Status](t)(l.PauseRun(t.Context(), api.PauseRunRequest{ID: id}))
	for {
		e := must[api.Event](t)(feed.Next(t.Context()))
		if e.Type == "progress" && strings.Contains(string(e.Payload), `"paused":true`) {
			break
		}
	}
	close(l.model.closed)
	if st := must[api.Status](t)(l.ResumeRun(t.Context(), api.PauseRunRequest{ID: id})); st.Running == nil || st.Paused {
		t.Errorf("status %+v", st)
	}
	if run := l.wait(feed, id); run.State != api.RunDone || run.Summary.Pending != 0 {
		t.Errorf("resumed: %+v", run)
	}
	_, err := l.PauseRun(t.Context(), api.PauseRunRequest{ID: "nobody"})
	fails(t, err, api.CodeNotFound, "nobody")
	plan := corpus.NewID().String()
	must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{RunID: plan}))
	_, err = l.PauseRun(t.Context(), api.PauseRunRequest{ID: plan})
	fails(t, err, api.CodeUnsupported, "plan")
}
