package service_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// prose has several passages.
func prose(seed string) string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "Sentence %d of %s tells of rent, deposits and keys that number %d.\n\n", i, seed, i*7)
	}
	return b.String()
}

func TestApplyIsStartedOnce(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\nalpha\n")
	l.add()
	feed := l.Subscribe()
	defer feed.Close()
	id := corpus.NewID().String()
	var starts sync.WaitGroup
	for range 5 {
		starts.Go(func() {
			if run, err := l.Apply(t.Context(), api.ApplyRequest{RunID: id}); err != nil || run.ID != id {
				t.Errorf("%+v, %v", run, err)
			}
		})
	}
	starts.Wait()
	first := l.wait(feed, id)
	l.write("b.md", "# B\n\nbeta\n")
	second := must[api.Run](t)(l.Apply(t.Context(), api.ApplyRequest{RunID: id}))
	if first.Summary.Added != 1 || second.State != api.RunDone || second.Summary.Added != 1 {
		t.Errorf("first %+v, repeated %+v", first.Summary, second.Summary)
	}
	runs := must[api.RunsResponse](t)(l.Runs(t.Context(), api.RunsRequest{}))
	if len(runs.Runs) != 1 || runs.Runs[0].Summary.Added != 1 || runs.Runs[0].Kind != "apply" {
		t.Errorf("runs %+v", runs.Runs)
	}
}

func TestARunIsFoundOnRecordByANewService(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\nalpha\n")
	l.add()
	run := l.apply(api.ApplyRequest{})
	again := l.reopened()
	got := must[api.Run](t)(again.GetRun(t.Context(), api.GetRunRequest{ID: run.ID}))
	if got.State != api.RunDone || got.Summary.Added != 1 || got.FinishedAt != run.FinishedAt || len(got.Events) != 0 {
		t.Errorf("on record: %+v, want %+v", got, run)
	}
	repeated := must[api.Run](t)(again.Apply(t.Context(), api.ApplyRequest{RunID: run.ID}))
	if repeated.State != api.RunDone {
		t.Errorf("a run on record is started again: %+v", repeated)
	}
}

func TestCancelKeepsWhatWasCommitted(t *testing.T) {
	l := open(t, nil)
	l.model.closed = make(chan struct{}) // nobody ever opens it
	for i := range 3 {
		l.write(fmt.Sprintf("%d.md", i), prose(strconv.Itoa(i)))
	}
	l.add()
	feed := l.Subscribe()
	defer feed.Close()
	id := corpus.NewID().String()
	must[api.Run](t)(l.Apply(t.Context(), api.ApplyRequest{RunID: id}))
	for committed := 0; committed < 3; {
		e, err := feed.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "action" {
			committed++
		}
	}
	_, err := l.Apply(t.Context(), api.ApplyRequest{RunID: corpus.NewID().String()})
	fails(t, err, api.CodeBusy, id)
	must[api.Run](t)(l.CancelRun(t.Context(), api.CancelRunRequest{ID: id}))
	run := l.wait(feed, id)
	if run.State != api.RunCanceled || run.Summary.Added != 3 || run.Summary.Pending == 0 || run.Error != nil {
		t.Errorf("canceled run: %+v", run)
	}
	st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
	if st.Documents != 3 || st.Embedded != 0 || st.Running != nil {
		t.Errorf("status %+v", st)
	}
	l.model.closed = nil
	if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Embedded == 0 || run.Summary.Pending != 0 {
		t.Errorf("the next run: %+v", run)
	}
	if run := must[api.Run](t)(l.CancelRun(t.Context(), api.CancelRunRequest{ID: id})); run.State != api.RunCanceled {
		t.Errorf("canceled twice: %+v", run)
	}
}

func TestCloseCancelsWhatRuns(t *testing.T) {
	l := open(t, nil)
	l.model.closed = make(chan struct{})
	l.write("a.md", prose("a"))
	l.add()
	id := corpus.NewID().String()
	must[api.Run](t)(l.Apply(t.Context(), api.ApplyRequest{RunID: id}))
	if err := l.Service.Close(); err != nil {
		t.Fatal(err)
	}
	run := must[api.Run](t)(l.GetRun(t.Context(), api.GetRunRequest{ID: id}))
	if run.State != api.RunCanceled {
		t.Errorf("after close: %+v", run)
	}
	_, err := l.Apply(t.Context(), api.ApplyRequest{RunID: corpus.NewID().String()})
	fails(t, err, api.CodeUnavailable, "closing")
}

func TestEventsOfARunAreNumberedWithoutGap(t *testing.T) {
	l := open(t, nil)
	l.write("good.md", "# Good\n\nfine\n")
	l.write("bad.md", damaged)
	l.add()
	run := l.apply(api.ApplyRequest{})
	if run.State != api.RunPartial || len(run.Summary.Failed) != 1 || run.Summary.Failed[0].Path != "bad.md" {
		t.Fatalf("run %+v", run)
	}
	types := map[string]int{}
	for i, e := range run.Events {
		types[e.Type]++
		if e.Seq != int64(i+1) || e.RunID != run.ID {
			t.Errorf("event %d is %s:%d", i, e.RunID, e.Seq)
		}
	}
	if types["action"] != 1 || types["failed"] != 1 || types["end"] != 1 || run.LastSeq != int64(len(run.Events)) {
		t.Errorf("events %v, last %d", types, run.LastSeq)
	}
	var end api.Run
	if err := json.Unmarshal(run.Events[len(run.Events)-1].Payload, &end); err != nil || end.State != api.RunPartial {
		t.Errorf("the end says %+v, %v", end, err)
	}
	rest := must[api.Run](t)(l.GetRun(t.Context(), api.GetRunRequest{ID: run.ID, AfterSeq: run.LastSeq - 1}))
	if len(rest.Events) != 1 || rest.Events[0].Type != "end" {
		t.Errorf("after %d: %+v", run.LastSeq-1, rest.Events)
	}
}

func TestSavedPlan(t *testing.T) {
	l := open(t, nil)
	l.write("keep.md", "# Keep\n\nkeep\n")
	l.write("edit.md", "# Edit\n\nbefore\n")
	l.write("old.md", "# Move\n\nsame text, other name\n")
	l.add()
	l.apply(api.ApplyRequest{})
	l.write("edit.md", "# Edit\n\nafter, and longer\n")
	l.write("new.md", "# New\n\nnew\n")
	l.rename("old.md", "moved.md")
	p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{Save: true}))
	if p.Summary.Updated != 1 || p.Summary.Added != 1 || p.Summary.Moved != 1 {
		t.Fatalf("plan %+v", p.Summary)
	}
	file, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var saved api.Plan
	if err := json.Unmarshal(file, &saved); err != nil {
		t.Fatal(err)
	}
	run := l.apply(api.ApplyRequest{Saved: &saved, Skip: []string{p.Sources[0].ID + ":new.md"}})
	if s := run.Summary; run.State != api.RunDone || s.Updated != 1 || s.Added != 0 || s.Moved != 1 {
		t.Fatalf("run %s: %+v", run.State, run)
	}
	again := l.apply(api.ApplyRequest{Saved: &saved})
	if s := again.Summary; again.State != api.RunPartial || s.Added != 1 || s.Updated != 0 || s.Moved != 0 || len(s.Skipped) != 2 {
		t.Errorf("applied again: %+v", again)
	}
	if p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{})); len(p.Actions) != 0 {
		t.Errorf("not in step after all: %+v", p.Actions)
	}
}

func TestApplyRefuses(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\nalpha\n")
	l.add()
	p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{Save: true}))
	id := corpus.NewID().String()
	edited := func(edit func(*api.Plan)) *api.Plan {
		c := p
		c.Actions = append([]api.PlanAction{}, p.Actions...)
		edit(&c)
		return &c
	}
	unsealed := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	tests := []struct {
		name string
		r    api.ApplyRequest
		code string
		part string
	}{
		{"no run id", api.ApplyRequest{}, api.CodeInvalid, "run id"},
		{"odd run id", api.ApplyRequest{RunID: "a/b"}, api.CodeInvalid, "run id"},
		{"negative consent", api.ApplyRequest{RunID: id, AllowRemovals: -1}, api.CodeInvalid, "allow_removals"},
		{"unknown plan", api.ApplyRequest{RunID: id, Plan: "x"}, api.CodeStale, "plan x"},
		{"two plans", api.ApplyRequest{RunID: id, Plan: p.ID, Saved: &p}, api.CodeInvalid, "one of them"},
		{"later format", api.ApplyRequest{RunID: id, Saved: edited(func(p *api.Plan) { p.FormatVersion = 99 })}, api.CodeUnsupported, "99"},
		{"no format", api.ApplyRequest{RunID: id, Saved: edited(func(p *api.Plan) { p.FormatVersion = 0 })}, api.CodeInvalid, "version 0"},
		{"edited", api.ApplyRequest{RunID: id, Saved: edited(func(p *api.Plan) { p.Actions[0].Path = "b.md" })}, api.CodeInvalid, "edited"},
		{"cut down", api.ApplyRequest{RunID: id, Saved: edited(func(p *api.Plan) { p.Actions = nil })}, api.CodeInvalid, "ibid plan --out"},
		{"not made to be saved", api.ApplyRequest{RunID: id, Saved: &unsealed}, api.CodeInvalid, "no seal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := l.Apply(t.Context(), tt.r)
			fails(t, err, tt.code, tt.part)
		})
	}
	_, err := l.GetRun(t.Context(), api.GetRunRequest{ID: id})
	fails(t, err, api.CodeNotFound, id)
}

func TestMassRemovalNeedsItsNumber(t *testing.T) {
	l := open(t, nil)
	for i := range 25 {
		l.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("# %d\n\nnote %d\n", i, i))
	}
	l.add()
	l.apply(api.ApplyRequest{})
	for i := range 22 {
		l.remove(fmt.Sprintf("%02d.md", i))
	}
	p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	if g := p.Sources[0].Guard; g == nil || g.Removals != 22 || g.Documents != 25 {
		t.Fatalf("guard %+v", g)
	}
	_, err := l.Apply(t.Context(), api.ApplyRequest{RunID: corpus.NewID().String(), Plan: p.ID, AllowRemovals: 21})
	fails(t, err, api.CodeGuard, "22")
	run := l.apply(api.ApplyRequest{AllowRemovals: 21}) // plans by itself
	if run.State != api.RunFailed || run.Error == nil || run.Error.Code != api.CodeGuard {
		t.Errorf("planned and applied without consent: %+v", run)
	}
	run = l.apply(api.ApplyRequest{Plan: p.ID, AllowRemovals: 22})
	if run.State != api.RunDone || run.Summary.Removed != 22 {
		t.Errorf("with consent: %+v", run)
	}
}

func TestRunsAreChecked(t *testing.T) {
	l := open(t, nil)
	_, err := l.Runs(t.Context(), api.RunsRequest{Limit: -1})
	fails(t, err, api.CodeInvalid, "limit")
	_, err = l.CancelRun(t.Context(), api.CancelRunRequest{ID: "x"})
	fails(t, err, api.CodeNotFound, "x")
	id := corpus.NewID().String()
	must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{RunID: id}))
	if run := must[api.Run](t)(l.GetRun(t.Context(), api.GetRunRequest{ID: id})); run.Kind != "plan" || run.State != api.RunDone {
		t.Errorf("a plan's run: %+v", run)
	}
	_, err = l.Plan(t.Context(), api.PlanRequest{RunID: id})
	fails(t, err, api.CodeInvalid, id)
}

// What another process does shows in the status; that it died, in its run.
func TestAnotherWriterShows(t *testing.T) {
	l := onDisk(t)
	w := must[store.Writer](t)(l.another().Store.Acquire(t.Context(), "somebody else"))
	if err := w.PutRun(t.Context(), store.Run{ID: "theirs", Kind: "apply", State: api.RunRunning, StartedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	look := func() (writer, state string) {
		t.Helper()
		st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
		run := must[api.Run](t)(l.GetRun(t.Context(), api.GetRunRequest{ID: "theirs"}))
		return st.Writer, run.State
	}
	if writer, state := look(); !strings.Contains(writer, "somebody else") || state != api.RunRunning {
		t.Errorf("writer %q, run %s", writer, state)
	}
	if err := w.Release(); err != nil {
		t.Fatal(err)
	}
	if writer, state := look(); writer != "" || state != api.RunInterrupted {
		t.Errorf("after its end: writer %q, run %s", writer, state)
	}
	mine := must[store.Writer](t)(l.Store.Acquire(t.Context(), l.Holder))
	if writer, _ := look(); writer != "" {
		t.Errorf("this process shows as the writer %q", writer)
	}
	if err := mine.Release(); err != nil {
		t.Fatal(err)
	}
}
