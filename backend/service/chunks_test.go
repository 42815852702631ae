package service_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ibid/backend/api"
)

const questions = "# Help\n\n## Who pays?\n\nThe tenant.\n\n## When?\n\nAt once.\n\n## And if not?\n\nThen there is interest.\n"

func TestChunks(t *testing.T) {
	l := open(t, nil)
	l.write("help.md", questions)
	chunks := func(r api.ChunksRequest) api.Chunks {
		t.Helper()
		c := must[api.Chunks](t)(l.Chunks(t.Context(), r))
		var all strings.Builder
		for _, p := range c.Passages {
			all.WriteString(p.Text)
		}
		if all.String() != questions {
			t.Errorf("the passages' own texts are %q", all.String())
		}
		return c
	}
	path := filepath.Join(l.notes, "help.md")

	c := chunks(api.ChunksRequest{Path: path})
	if c.State != "new" || c.Strategy != "qa" || len(c.Passages) != 3 || c.Embedded != 0 || c.Document != "" {
		t.Errorf("of a file in no source: %+v", c)
	}
	if last := c.Passages[2]; last.End != "document" || c.Passages[0].End != "part" || last.Location.Label != "lines 11–13 · And if not?" {
		t.Errorf("passages %+v", c.Passages)
	}
	l.add()
	l.apply(api.ApplyRequest{})
	if c = chunks(api.ChunksRequest{Path: path}); c.State != "indexed" || c.Embedded != 3 || c.SourceName != "notes" {
		t.Errorf("of an indexed file: %+v", c)
	}
	if c = chunks(api.ChunksRequest{Document: c.Document}); c.State != "indexed" || c.Path != "help.md" {
		t.Errorf("of a document: %+v", c)
	}
	if c = chunks(api.ChunksRequest{Source: "notes", Path: "help.md", Strategy: "fixed"}); c.State != "changed" || c.Reason != "asked for" || len(c.Passages) != 1 {
		t.Errorf("by another strategy: %+v", c)
	}
	l.change(api.ChangeSourceRequest{Source: "notes", Chunking: &api.SourceChunking{Rules: []api.ChunkRule{
		{Strategy: "token"}, {Glob: "*.md", Strategy: "auto", Size: 40}, {Glob: "*.txt", Strategy: "fixed"},
	}}})
	if c = chunks(api.ChunksRequest{Path: path}); c.Strategy != "qa" || c.Size != 40 || c.Reason != "set for *.md" {
		t.Errorf("under a rule: %+v", c)
	}
	for name, r := range map[string]api.ChunksRequest{
		"nothing":              {},
		"a relative path":      {Path: "help.md"},
		"a folder":             {Path: filepath.Dir(l.notes)},
		"nothing there":        {Path: path + "x"},
		"outside":              {Source: "notes", Path: "../help.md"},
		"an unknown strategy":  {Path: path, Strategy: "semantic"},
		"a size that is none":  {Path: path, Size: -1},
		"an unknown source":    {Source: "none", Path: "help.md"},
		"no id":                {Document: "help"},
		"a size beyond reason": {Path: path, Size: 1 << 20},
	} {
		if _, err := l.Chunks(t.Context(), r); err == nil || code(err) == api.CodeInternal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rules of a source are checked before anything is stored, make a plan, and are
// those that the passages are made by.
func TestChunkingRules(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", questions)
	l.write("b.md", "# B\n\nText.\n")
	bad := -1
	for name, rule := range map[string]api.ChunkRule{
		"strategy": {Strategy: "semantic"}, "size": {Size: -4}, "overlap": {Overlap: &bad}, "glob": {Glob: "[", Strategy: "qa"},
	} {
		if _, err := l.AddSource(t.Context(), api.AddSourceRequest{Path: l.notes, Chunking: []api.ChunkRule{rule}}); code(err) != api.CodeInvalid {
			t.Errorf("bad %s: %v", name, err)
		}
	}
	l.add()
	l.apply(api.ApplyRequest{})
	got := l.change(api.ChangeSourceRequest{Source: "notes", Chunking: &api.SourceChunking{Rules: []api.ChunkRule{{Glob: "a.*", Strategy: "fixed", Size: 24}}}})
	if len(got.Chunking) != 1 || got.Chunking[0].Size != 24 {
		t.Fatalf("rules %+v", got.Chunking)
	}
	p := l.plan(api.PlanRequest{})
	if len(p.Actions) != 1 || p.Actions[0].Path != "a.md" || p.Actions[0].ReasonCode != "recipe_changed" || p.Actions[0].Reason != "chunking rules changed" {
		t.Fatalf("plan %+v", p.Actions)
	}
	l.apply(api.ApplyRequest{})
	if p := l.plan(api.PlanRequest{}); len(p.Actions) != 0 {
		t.Errorf("applied, and still %+v", p.Actions)
	}
	if c := must[api.Chunks](t)(l.Chunks(t.Context(), api.ChunksRequest{Source: "notes", Path: "a.md"})); c.State != "indexed" || c.Strategy != "fixed" {
		t.Errorf("divided by %s, %s", c.Strategy, c.State)
	}
	l.change(api.ChangeSourceRequest{Source: "notes", Chunking: &api.SourceChunking{}})
	if p := l.plan(api.PlanRequest{}); len(p.Actions) != 1 {
		t.Errorf("rules taken back: %+v", p.Actions)
	}
}

func TestReport(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\nText. <!-- hidden -->\n")
	l.write("b.txt", "plain\n")
	l.write("c.md", damaged)
	l.write("old.txt", "Die Stra\xdfe nach K\xf6ln ist gesperrt, und die Br\xfccke bleibt geschlossen.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	r := must[api.Report](t)(l.Report(t.Context(), api.ReportRequest{}))
	if r.Documents != 4 || r.Unreadable != 1 || r.Remarked != 2 || r.Hidden == 0 || r.Listed != 3 || len(r.Encodings) != 1 {
		t.Errorf("report %+v", r)
	}
	var states []string
	for _, d := range r.Readings {
		states = append(states, d.Path+" "+d.State)
	}
	if got := strings.Join(states, ", "); got != "c.md unreadable, a.md remarks, old.txt remarks" {
		t.Errorf("readings %s", got)
	}
	if !strings.Contains(r.Readings[0].Error, "damaged") {
		t.Errorf("error %q", r.Readings[0].Error)
	}
	if r := must[api.Report](t)(l.Report(t.Context(), api.ReportRequest{Source: "notes", All: true, Limit: 2})); r.Listed != 4 || len(r.Readings) != 2 || r.Readings[0].Path != "c.md" {
		t.Errorf("limited %+v", r)
	}
	if r := must[api.Report](t)(l.Report(t.Context(), api.ReportRequest{Source: "notes", Path: "b.txt"})); len(r.Readings) != 1 || r.Readings[0].State != "clean" {
		t.Errorf("of one %+v", r)
	}
	for _, bad := range []api.ReportRequest{{Source: "none"}, {Source: "notes", Path: "none.md"}, {Limit: -1}} {
		if _, err := l.Report(t.Context(), bad); err == nil || code(err) == api.CodeInternal {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
