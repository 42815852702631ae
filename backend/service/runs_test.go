package service

import (
	"errors"
	"strconv"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/events"
)

func TestFinishedRunsAreForgottenInABound(t *testing.T) {
	broker := events.New()
	defer broker.Close()
	rs := newRuns(t.Context(), broker)
	first, _, err := rs.begin("first", kindApply, true, now())
	if err != nil {
		t.Fatal(err)
	}
	for i := range keepRuns + 10 {
		r, fresh, err := rs.begin(strconv.Itoa(i), kindPlan, false, now())
		if err != nil || !fresh {
			t.Fatal(fresh, err)
		}
		rs.end(r, now(), func(v *api.Run) { v.State = api.RunDone })
	}
	if n := len(rs.all()); n != keepRuns {
		t.Errorf("%d runs are kept, want %d", n, keepRuns)
	}
	if _, ok := rs.find("first"); !ok {
		t.Error("a run that goes on was forgotten")
	}
	if _, ok := rs.find("0"); ok {
		t.Error("the oldest finished run was kept")
	}
	if _, _, err := rs.begin("second", kindApply, true, now()); !errors.Is(err, corpus.ErrBusy) {
		t.Errorf("a second run of an exclusive kind: %v", err)
	}
	rs.end(first, now(), func(v *api.Run) { v.State = api.RunCanceled })
	rs.close()
	if _, _, err := rs.begin("third", kindPlan, false, now()); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("a run after close: %v", err)
	}
}

func TestPlansAreKeptInABound(t *testing.T) {
	ps := newPlans()
	first := ps.put(nil)
	var last string
	for range keepPlans {
		last = ps.put(nil)
	}
	if _, ok := ps.get(first); ok {
		t.Error("the oldest plan was kept")
	}
	if _, ok := ps.get(last); !ok {
		t.Error("the newest plan is gone")
	}
}
