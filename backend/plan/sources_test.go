package plan_test

import (
	"testing"

	"ibid/backend/plan"
)

// TestSources: a plan says of each source whether it was seen as a whole and
// why not; only of one that was there it keeps what was found of its root.
func TestSources(t *testing.T) {
	for _, tt := range []struct {
		name          string
		do            func(w *world)
		state, detail string
		mark          string
	}{
		{"complete", func(*world) {}, plan.SourceComplete, "", "device"},
		{"unavailable", func(w *world) { w.down[w.id(0)] = "not mounted" }, plan.SourceMissing, "not mounted", ""},
		{"emptied root", func(w *world) { w.del(0, "a.md"); w.del(0, "b/c.md") }, plan.SourceMissing, plan.SourceEmptied.Sentence(""), ""},
		{"empty from the beginning", func(w *world) {
			w.del(0, "a.md")
			w.del(0, "b/c.md")
			clear(w.ledger)
		}, plan.SourceComplete, "", "device"},
		{"a hole", func(w *world) { w.holes[w.id(0)] = map[string]string{"b": "permission denied"} }, plan.SourcePartial, "b: permission denied", "device"},
		{"two holes", func(w *world) { w.holes[w.id(0)] = map[string]string{"b": "denied", "a": "away"} }, plan.SourcePartial, "a: away (and 1 more)", "device"},
		{"a place", func(w *world) { w.places[w.id(0)] = []string{"b"} }, plan.SourcePartial, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld("one")
			w.sources[0].Mark = "device"
			w.put(0, "a.md", "alpha")
			w.put(0, "b/c.md", "beta")
			w.apply(t, w.plan(t))
			tt.do(w)
			p := w.plan(t)
			s := p.Sources[0]
			if len(p.Sources) != 1 || s.ID != w.id(0) || s.Name != "one" || s.Path != "/one" {
				t.Errorf("sources %+v", p.Sources)
			}
			if s.State != tt.state || s.Detail != tt.detail || s.Mark != tt.mark {
				t.Errorf("state %q, detail %q, mark %q; want %q, %q, %q", s.State, s.Detail, s.Mark, tt.state, tt.detail, tt.mark)
			}
		})
	}
}
