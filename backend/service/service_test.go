package service_test

import (
	"testing"

	"ibid/backend/api"
)

func TestFromFolderToNoOp(t *testing.T) {
	l := open(t, nil)
	l.write("lease.md", "# Lease\n\n## Deposits\n\nThe deposit is three months' rent.\n")
	l.write("deep/menu.txt", "Soup on Mondays.\n")
	s := l.add()
	p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	if p.Summary.Added != 2 || len(p.Actions) != 2 || !p.Summary.Cost.Free {
		t.Fatalf("plan %+v", p.Summary)
	}
	run := l.apply(api.ApplyRequest{Plan: p.ID})
	if run.State != api.RunDone || run.Summary.Added != 2 || run.Summary.Embedded < 2 || run.Summary.Pending != 0 {
		t.Fatalf("run %+v", run)
	}
	again := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	if again.Summary.Unchanged != 2 || len(again.Actions) != 0 {
		t.Errorf("planning again: %+v", again.Summary)
	}
	st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
	if st.Documents != 2 || st.Model != "hash" || st.Chunks == 0 || st.Embedded != st.Chunks {
		t.Errorf("status %+v", st)
	}
	list := must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{}))
	if len(list.Sources) != 1 || list.Sources[0].ID != s.ID || list.Sources[0].Documents != 2 || list.Sources[0].State != "ready" {
		t.Errorf("sources %+v", list.Sources)
	}
}
