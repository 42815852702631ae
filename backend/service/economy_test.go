package service_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/extract"
)

// newer is the extractor of a later version of the program.
type newer struct{ picky }

func (n newer) Version(name, mediaType string) string { return n.picky.Version(name, mediaType) + "+" }

// TestSettingsMakePlansAndNeverRuns: what depends on a setting or on the
// program's version shows up in the next plan, with the reason in words; by
// itself nothing is indexed anew. How searches rank makes no plan.
func TestSettingsMakePlansAndNeverRuns(t *testing.T) {
	set := func(key, value string) func(*testing.T, *library) {
		return func(t *testing.T, l *library) {
			t.Helper()
			must[api.SetConfigResponse](t)(l.SetConfig(t.Context(), api.SetConfigRequest{Key: key, Value: value}))
		}
	}
	tests := []struct {
		name   string
		change func(t *testing.T, l *library)
		code   string // "": no plan follows
		reason string
		build  bool
	}{
		{"chunking", set("chunking.markdown.target", "64"), "recipe_changed", "chunking rules changed", false},
		{"overlap", set("chunking.markdown.overlap", "20"), "recipe_changed", "chunking rules changed", false},
		{"a later extractor", func(t *testing.T, l *library) {
			t.Helper()
			l.parts.Extract = newer{picky{extract.NewRegistry(extract.Builtin()...)}}
			l.reopened()
		}, "recipe_changed", "reading of this type changed", false},
		{"no model", func(t *testing.T, l *library) {
			t.Helper()
			l.parts.Config = configured(t, map[string]string{"embeddings": "none"})
			l.reopened()
		}, "model_changed", "embedding model changed", true},
		{"fusion", set("search.fusion", "rrf"), "", "", false},
		{"weight", set("search.weight", "0.9"), "", "", false},
		{"hits", set("search.k", "20"), "", "", false},
		{"prices", set("prices", "hash=1"), "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := open(t, nil)
			l.write("a.md", "# A\n\n"+strings.Repeat("The alpha protocol begins with a handshake of both sides. ", 40))
			l.write("b.txt", "beta")
			l.add()
			l.apply(api.ApplyRequest{})
			runs := len(must[api.RunsResponse](t)(l.Runs(t.Context(), api.RunsRequest{})).Runs)
			calls := l.model.calls.Load()
			tt.change(t, l)
			p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
			if now := must[api.RunsResponse](t)(l.Runs(t.Context(), api.RunsRequest{})).Runs; len(now) != runs || l.model.calls.Load() != calls {
				t.Errorf("%d runs, were %d; %d texts embedded, were %d", len(now), runs, l.model.calls.Load(), calls)
			}
			found := must[api.SearchResponse](t)(l.Search(t.Context(), api.SearchRequest{Query: "handshake", Mode: "keyword"}))
			if len(found.Hits) == 0 {
				t.Error("the library does not answer any more")
			}
			if tt.code == "" {
				if !p.NoOp || len(p.Actions) != 0 {
					t.Errorf("a plan follows: %+v", p.Actions)
				}
				return
			}
			if p.NoOp || p.Build != tt.build || len(p.Actions) == 0 {
				t.Fatalf("plan %+v", p)
			}
			if a := p.Actions[0]; a.Action != "updated" || a.ReasonCode != tt.code || a.Reason != tt.reason {
				t.Errorf("action %+v", a)
			}
			if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Switched != tt.build {
				t.Errorf("run %+v", run)
			}
			if p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{})); !p.NoOp {
				t.Errorf("applied, and still %+v", p.Actions)
			}
		})
	}
}

// TestPlanCosts: the price of the settings' table times the tokens, an estimate
// until the documents were read.
func TestPlanCosts(t *testing.T) {
	l := open(t, map[string]string{"prices": "hash=2.50 EUR"})
	for i := range 6 {
		l.write(fmt.Sprintf("%d.md", i), prose(fmt.Sprint("document ", i)))
	}
	l.add()
	estimate := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{})).Summary
	exact := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{Exact: true})).Summary
	if estimate.ChunksExact || !exact.ChunksExact || !estimate.SecondsGuessed || estimate.Seconds <= 0 {
		t.Errorf("estimate %+v, exact %+v", estimate, exact)
	}
	for _, s := range []api.PlanSummary{estimate, exact} {
		if want := 2.5 * float64(s.Tokens) / 1e6; s.Tokens == 0 || math.Abs(s.Cost.Amount-want) > 1e-12 || s.Cost.Currency != "EUR" || !s.Cost.Known || s.Cost.Free {
			t.Errorf("%d tokens cost %+v, want %g", s.Tokens, s.Cost, want)
		}
	}
	d := must[api.Diff](t)(l.Diff(t.Context(), api.DiffRequest{Path: "0.md"}))
	if want := 2.5 * float64(d.Chunks.Tokens) / 1e6; d.Cost.Amount != want || d.Model != "hash" || !d.Chunks.Exact {
		t.Errorf("diff %+v", d)
	}
	run := l.apply(api.ApplyRequest{})
	if run.Summary.Tokens != exact.Tokens || run.Summary.Embedded != exact.ChunksToEmbed {
		t.Errorf("the run embedded %d passages of %d tokens, the exact plan said %d of %d",
			run.Summary.Embedded, run.Summary.Tokens, exact.ChunksToEmbed, exact.Tokens)
	}

	// What the run measured is known from then on, also to another process.
	l.reopened()
	l.write("new.md", prose("another"))
	if s := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{})).Summary; s.SecondsGuessed || s.Seconds <= 0 {
		t.Errorf("after a run: %+v", s)
	}
}

// TestPlanCountsCachedVectors: a vector that was made once is counted as reused
// and costs nothing, though no document of the library has it any more.
func TestPlanCountsCachedVectors(t *testing.T) {
	l := open(t, map[string]string{"prices": "hash=1"})
	l.write("stays.md", "# Stays\n\nhere\n")
	l.write("branch.md", prose("branch"))
	l.add()
	l.apply(api.ApplyRequest{})
	l.remove("branch.md")
	l.apply(api.ApplyRequest{})
	l.write("branch.md", prose("branch"))
	s := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{Exact: true})).Summary
	if s.Added != 1 || s.ChunksToEmbed != 0 || s.ChunksReused == 0 || s.Cost.Amount != 0 || s.Tokens != 0 {
		t.Errorf("plan %+v", s)
	}
	if run := l.apply(api.ApplyRequest{}); run.Summary.Embedded != 0 || run.Summary.Reused == 0 {
		t.Errorf("run %+v", run.Summary)
	}
}

// TestWaitingVectorsAreWork: a plan that only has passages to embed is no
// no-op, and says how many there are.
func TestWaitingVectorsAreWork(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", prose("a"))
	l.add()
	l.apply(api.ApplyRequest{NoWait: true})
	p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	if p.NoOp || len(p.Actions) != 0 || p.Summary.ChunksWaiting == 0 || p.Summary.ChunksWaiting != p.Summary.ChunksToEmbed {
		t.Errorf("plan %+v", p)
	}
	l.apply(api.ApplyRequest{})
	if p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{})); !p.NoOp {
		t.Errorf("plan %+v", p)
	}
}
