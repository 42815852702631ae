package service_test

import (
	"context"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

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

// Files that are there are not removed for what patterns say now, before
// somebody agrees.
func TestPatternsRemoveNothingByThemselves(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\nalpha\n")
	l.write("b.md", "# B\n\nbeta\n")
	l.policy(corpus.PolicyAuto)
	w := l.watch()
	w.applied("a.md", "b.md")
	must[api.Source](t)(l.ChangeSource(t.Context(), api.ChangeSourceRequest{Source: "notes", Rules: &api.SourceRules{Exclude: []string{"b.md"}}}))
	w.waiting(1, "excluded now")
	l.write("c.md", "# C\n\ngamma\n")
	w.applied("c.md")
	l.finds("beta", "keyword", "b.md")
	if run := l.apply(api.ApplyRequest{}); run.Summary.Removed != 1 {
		t.Errorf("the consent: %+v", run.Summary)
	}
	w.waiting(0, "")
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
