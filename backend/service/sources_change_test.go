package service_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
)

// change changes the notes.
func (l *library) change(r api.ChangeSourceRequest) api.Source {
	l.t.Helper()
	r.Source = "notes"
	return must[api.Source](l.t)(l.ChangeSource(l.t.Context(), r))
}

func (l *library) source() api.Source {
	l.t.Helper()
	return must[api.SourcesResponse](l.t)(l.Sources(l.t.Context(), api.SourcesRequest{})).Sources[0]
}

func (l *library) plan(r api.PlanRequest) api.Plan {
	l.t.Helper()
	return must[api.Plan](l.t)(l.Plan(l.t.Context(), r))
}

// code returns the code of a refusal.
func code(err error) string {
	if fault, ok := errors.AsType[*api.Error](err); ok {
		return fault.Code
	}
	return fmt.Sprint(err)
}

func TestChangeSource(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\nText.\n")
	l.write("drafts/b.md", "# B\n\nText.\n")
	l.add()
	l.apply(api.ApplyRequest{})

	got := l.change(api.ChangeSourceRequest{Name: " Notes of Ada ", Policy: "auto"})
	if got.Name != "Notes of Ada" || got.Policy != "auto" || got.Documents != 2 {
		t.Errorf("changed to %+v", got)
	}
	must[api.Source](t)(l.ChangeSource(t.Context(), api.ChangeSourceRequest{Source: "Notes of Ada", Name: "notes"}))

	paused := true
	if got = l.change(api.ChangeSourceRequest{Paused: &paused}); !got.Paused || got.Policy != "auto" {
		t.Errorf("paused to %+v", got)
	}
	if p := l.plan(api.PlanRequest{}); len(p.Sources) != 0 {
		t.Error("a paused source is planned")
	}
	paused = false
	l.change(api.ChangeSourceRequest{Paused: &paused, Rules: &api.SourceRules{Exclude: []string{"drafts/**"}}})
	p := l.plan(api.PlanRequest{})
	if len(p.Actions) != 1 || p.Actions[0].Action != "removed" || p.Actions[0].ReasonCode != "excluded" {
		t.Errorf("the plan after another rule: %+v", p.Actions)
	}
	if n := len(l.documents()); n != 2 {
		t.Errorf("changing a rule left %d documents, want 2: nothing goes before a plan", n)
	}
}

func TestAMovedFolderKeepsItsDocuments(t *testing.T) {
	l := open(t, nil)
	for i := range 20 {
		l.write(fmt.Sprintf("box/%d.md", i), fmt.Sprintf("# Record %d\n\nText.\n", i))
	}
	l.add()
	l.apply(api.ApplyRequest{})
	before, calls := l.documents(), l.model.calls.Load()

	other := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.CopyFS(other, os.DirFS(l.notes)); err != nil { // other inodes
		t.Fatal(err)
	}
	if err := os.RemoveAll(l.notes); err != nil {
		t.Fatal(err)
	}
	if got := l.change(api.ChangeSourceRequest{Path: other}); got.Path != other || got.State != "ready" {
		t.Errorf("moved to %+v", got)
	}
	if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone {
		t.Errorf("the run is %s", run.State)
	}
	if d := cmp.Diff(before, l.documents()); d != "" {
		t.Error(d)
	}
	if n := l.model.calls.Load() - calls; n != 0 {
		t.Errorf("%d passages were embedded again, want none", n)
	}
}

func TestAnExchangedRootIsAcceptedOnlyWhenAsked(t *testing.T) {
	l := open(t, nil)
	for i := range 20 {
		l.write(fmt.Sprintf("%d.md", i), fmt.Sprintf("# Record %d\n\nText.\n", i))
	}
	l.add()
	l.apply(api.ApplyRequest{})
	if l.source().Failed != 0 {
		t.Fatal("not a clean start")
	}

	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "new.md"), []byte("# New\n\nText.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l.change(api.ChangeSourceRequest{Path: other})
	p := l.plan(api.PlanRequest{})
	if p.Sources[0].State != "unavailable" || p.Summary.Removed != 0 {
		t.Errorf("another folder is planned as %s with %d removed", p.Sources[0].State, p.Summary.Removed)
	}
	if s := l.source(); s.State != "unavailable" || !s.Exchanged {
		t.Errorf("the source is %s, exchanged %t", s.State, s.Exchanged)
	}
	if s := l.change(api.ChangeSourceRequest{AcceptRoot: true}); s.State != "ready" || s.Exchanged {
		t.Errorf("accepted, the source is %s", s.State)
	}
	p = l.plan(api.PlanRequest{})
	if p.Sources[0].State != "complete" || p.Summary.Removed != 20 || p.Summary.Added != 1 {
		t.Errorf("after it was accepted: %s, %+v", p.Sources[0].State, p.Summary)
	}
}

func TestChangesThatAreRefused(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "text")
	l.add()
	second := t.TempDir()
	must[api.Source](t)(l.AddSource(t.Context(), api.AddSourceRequest{Path: second, Name: "second"}))
	for name, c := range map[string]struct {
		r    api.ChangeSourceRequest
		code string
	}{
		"an unknown source":          {api.ChangeSourceRequest{Source: "none"}, api.CodeNotFound},
		"a name that is taken":       {api.ChangeSourceRequest{Source: "notes", Name: "second"}, api.CodeInvalid},
		"a name with a control":      {api.ChangeSourceRequest{Source: "notes", Name: "a\nb"}, api.CodeInvalid},
		"a policy that is none":      {api.ChangeSourceRequest{Source: "notes", Policy: "never"}, api.CodeInvalid},
		"a glob that is none":        {api.ChangeSourceRequest{Source: "notes", Rules: &api.SourceRules{Include: []string{"["}}}, api.CodeInvalid},
		"another source's place":     {api.ChangeSourceRequest{Source: "notes", Path: second}, api.CodeInvalid},
		"a place where nothing is":   {api.ChangeSourceRequest{Source: "notes", Path: filepath.Join(second, "none")}, api.CodeNotFound},
		"a file in a folder's place": {api.ChangeSourceRequest{Source: "notes", Path: filepath.Join(l.notes, "a.md")}, api.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			before := l.source()
			if _, err := l.ChangeSource(t.Context(), c.r); code(err) != c.code {
				t.Errorf("error %v, want code %s", err, c.code)
			}
			if d := cmp.Diff(before, l.source()); d != "" {
				t.Error("changed all the same:", d)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	l := open(t, nil)
	for i := range 3 {
		l.write(fmt.Sprintf("%d.md", i), damaged)
	}
	l.write("good.md", "# Good\n\nText.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	got := must[api.ProblemsResponse](t)(l.Problems(t.Context(), api.ProblemsRequest{Source: "notes", Limit: 2}))
	if got.Total != 3 || len(got.Problems) != 2 || got.Problems[0].Path != "0.md" || got.Problems[0].Error == "" {
		t.Errorf("problems: %+v", got)
	}
	if _, err := l.Problems(t.Context(), api.ProblemsRequest{Source: "notes", Limit: -1}); code(err) != api.CodeInvalid {
		t.Errorf("a negative limit: %v", err)
	}

	// Tried again when asked, although nothing has changed.
	if p := l.plan(api.PlanRequest{}); p.Summary.Failed != 3 {
		t.Errorf("a plan: %+v", p.Summary)
	}
	if p := l.plan(api.PlanRequest{Retry: true}); p.Summary.Failed != 0 || p.Summary.Updated+p.Summary.Added != 3 {
		t.Errorf("a plan that tries again: %+v", p.Summary)
	}
}

func TestAPlanInParts(t *testing.T) {
	l := open(t, nil)
	for i := range 25 {
		l.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("# %d\n\nText.\n", i))
	}
	l.add()
	whole := l.plan(api.PlanRequest{})
	first := l.plan(api.PlanRequest{Limit: 10})
	all := first.Actions
	for len(all) < 25 {
		part := must[api.PlanPart](t)(l.GetPlan(t.Context(), api.GetPlanRequest{ID: first.ID, Offset: len(all), Limit: 10}))
		if part.Total != 25 || part.Offset != len(all) || part.Plan.Summary.Added != 25 || len(part.Plan.Actions) == 0 {
			t.Fatalf("part of %d actions at %d of %d", len(part.Plan.Actions), part.Offset, part.Total)
		}
		all = append(all, part.Plan.Actions...)
	}
	if d := cmp.Diff(whole.Actions, all); d != "" {
		t.Error(d)
	}
	for name, r := range map[string]api.GetPlanRequest{
		"offset": {ID: first.ID, Offset: -1}, "limit": {ID: first.ID, Limit: 1 << 20},
	} {
		if _, err := l.GetPlan(t.Context(), r); code(err) != api.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := l.GetPlan(t.Context(), api.GetPlanRequest{ID: "gone"}); code(err) != api.CodeStale {
		t.Errorf("a plan that is gone: %v", err)
	}
}

func TestOutcomesAreAllKept(t *testing.T) {
	l := open(t, nil)
	for i := range 30 {
		l.write(fmt.Sprintf("%02d.md", i), fmt.Sprintf("# %d\n\nText.\n", i))
	}
	l.write("bad.md", damaged)
	source := l.add()
	p := l.plan(api.PlanRequest{})
	run := l.apply(api.ApplyRequest{RunID: "one", Plan: p.ID})
	if run.Plan != p.ID {
		t.Errorf("the run's plan is %q, want %q", run.Plan, p.ID)
	}
	fates := map[string]int{}
	for after := 0; ; {
		part := must[api.OutcomesResponse](t)(l.Outcomes(t.Context(), api.OutcomesRequest{Run: "one", After: after, Limit: 7}))
		if part.Total != 31 {
			t.Fatalf("%d outcomes, want 31", part.Total)
		}
		for _, o := range part.Outcomes {
			fates[o.Fate]++
			if o.Source != source.ID || o.Path == "" {
				t.Errorf("outcome %+v", o)
			}
		}
		if after += len(part.Outcomes); len(part.Outcomes) == 0 {
			break
		}
	}
	if d := cmp.Diff(map[string]int{api.FateDone: 30, api.FateFailed: 1}, fates); d != "" {
		t.Error(d)
	}
	l.apply(api.ApplyRequest{RunID: "two"})
	if part := must[api.OutcomesResponse](t)(l.Outcomes(t.Context(), api.OutcomesRequest{Run: "one"})); part.Total != 0 {
		t.Error("outcomes are kept after another run began")
	}
	if _, err := l.Outcomes(t.Context(), api.OutcomesRequest{Run: "none"}); code(err) != api.CodeNotFound {
		t.Errorf("an unknown run: %v", err)
	}
}

func TestChangesOfTheLibraryAreHintedAt(t *testing.T) {
	l := open(t, nil)
	feed := l.Subscribe()
	defer feed.Close()
	l.add()
	if e := must[api.Event](t)(feed.Next(t.Context())); e.RunID != "~library" {
		t.Errorf("adding a source gave %+v", e)
	}
	l.change(api.ChangeSourceRequest{Policy: "auto"})
	if e := must[api.Event](t)(feed.Next(context.WithoutCancel(t.Context()))); e.RunID != "~library" {
		t.Errorf("changing it gave %+v", e)
	}
}

func TestAnUnavailableSourceWasSeen(t *testing.T) {
	l := open(t, nil)
	l.add()
	if s := l.source(); s.LastSeen != "" {
		t.Errorf("a source that is there was last seen %s", s.LastSeen)
	}
	if err := os.Remove(l.notes); err != nil {
		t.Fatal(err)
	}
	if s := l.source(); s.State != "unavailable" || s.LastSeen == "" {
		t.Errorf("a source that went: %s, seen %q", s.State, s.LastSeen)
	}
	if s := must[api.SourcesResponse](t)(l.reopened().Sources(t.Context(), api.SourcesRequest{})).Sources[0]; s.LastSeen != "" {
		t.Error("another process claims to have seen it")
	}
}
