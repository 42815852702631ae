package service_test

import (
	"strings"
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

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
