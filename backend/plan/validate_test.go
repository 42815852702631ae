package plan_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// sample is a plan with every kind of action.
func sample(t *testing.T) *plan.Reindex {
	t.Helper()
	w := newWorld("notes", "papers")
	for _, p := range []string{"a.md", "b.md", "c.md", "bad.md", "busy.md", "lost.md", "same.md"} {
		w.put(0, p, strings.TrimSuffix(p, ".md")+" text")
	}
	w.put(1, "gone.md", "x")
	w.apply(t, w.plan(t))
	w.put(0, "a.md", "edited")
	w.put(0, "sub/b.md", "b text")
	w.del(0, "b.md")
	w.del(0, "c.md")
	w.put(0, "new.md", strings.Repeat("new words ", 300))
	w.problem["busy.md"] = plan.ProblemBusy
	w.change("lost.md", func(k *plan.Known) { k.Made, k.Chunks = nil, 0 })
	w.down[w.id(1)] = "not mounted"
	in := w.input()
	in.CreatedAt = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	in.Economy = plan.Economy{
		ChunkTokens: 100, TokensPerSecond: 1000, DocumentsPerSecond: 50,
		Price: plan.Price{PerMillion: .02, Currency: "USD", Known: true},
	}
	p, err := plan.Documents(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestValidateRefuses(t *testing.T) {
	first := func(edit func(a *plan.Action)) func(p *plan.Reindex) {
		return func(p *plan.Reindex) { edit(&p.Actions[0]) }
	}
	tests := []struct {
		name string
		edit func(p *plan.Reindex)
	}{
		{"no library", func(p *plan.Reindex) { p.Base = plan.Base{} }},
		{"unknown action", first(func(a *plan.Action) { a.Kind = "explode" })},
		{"no source", first(func(a *plan.Action) { a.Source = corpus.NoID })},
		{"absolute path", first(func(a *plan.Action) { a.Path = "/etc/passwd" })},
		{"path out of the root", first(func(a *plan.Action) { a.Path = "x/../../y" })},
		{"from out of the root", first(func(a *plan.Action) { a.From = ".." })},
		{"no document", first(func(a *plan.Action) { a.Document = corpus.NoID })},
		{"no content", first(func(a *plan.Action) { a.Content = corpus.Hash{} })},
		{"update of nothing", first(func(a *plan.Action) { a.Revision = 0 })},
		{"negative count", first(func(a *plan.Action) { a.Chunks.Embed = -1 })},
		{"action twice", func(p *plan.Reindex) { p.Actions = append(p.Actions, p.Actions[0]) }},
		{"document twice", func(p *plan.Reindex) { p.Actions[1].Document = p.Actions[0].Document }},
	}
	if err := sample(t).Validate(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := sample(t)
			tt.edit(p)
			if err := p.Validate(); !errors.Is(err, corpus.ErrInvalid) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestBaseText(t *testing.T) {
	want := plan.Base{Library: library, Revision: 12}
	text, err := want.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var got plan.Base
	if err := got.UnmarshalText(text); err != nil || got != want {
		t.Errorf("%s comes back as %v, %v", text, got, err)
	}
	for _, bad := range []string{"", "x@1", library.String(), library.String() + "@-1", library.String() + "@x"} {
		if err := got.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a base", bad)
		}
	}
}
