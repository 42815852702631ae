package service_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/service"
	"ibid/backend/store"
)

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
