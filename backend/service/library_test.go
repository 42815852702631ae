package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

func TestAddSourceRefuses(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n")
	l.add()
	tests := []struct {
		name string
		r    api.AddSourceRequest
		code string
		part string
	}{
		{"nothing", api.AddSourceRequest{}, api.CodeInvalid, "no path"},
		{"relative", api.AddSourceRequest{Path: "notes"}, api.CodeInvalid, "notes"},
		{"missing", api.AddSourceRequest{Path: filepath.Join(l.notes, "no")}, api.CodeNotFound, "no"},
		{"no web address", api.AddSourceRequest{Path: "ftp://example.org/"}, api.CodeInvalid, "http"},
		{"credentials", api.AddSourceRequest{Path: "https://a:b@example.org/"}, api.CodeInvalid, "credentials"},
		{"private networks", api.AddSourceRequest{Path: "https://example.org/", Private: true}, api.CodeUnsupported, "private"},
		{"private folder", api.AddSourceRequest{Path: l.notes, Private: true}, api.CodeInvalid, "web address"},
		{"list of a folder", api.AddSourceRequest{Path: l.notes, List: true}, api.CodeInvalid, "folder"},
		{"policy", api.AddSourceRequest{Path: l.notes, Policy: "always"}, api.CodeInvalid, "ask, auto or limits"},
		{"odd name", api.AddSourceRequest{Path: l.notes, Name: "a\x1b[2Jb"}, api.CodeInvalid, "control"},
		{"glob", api.AddSourceRequest{Path: filepath.Join(l.notes, "a.md"), Include: []string{"[a"}}, api.CodeInvalid, "[a"},
		{"twice", api.AddSourceRequest{Path: l.notes + "/", Name: "other"}, api.CodeInvalid, `"notes" already`},
		{"name taken", api.AddSourceRequest{Path: filepath.Join(l.notes, "a.md"), Name: "notes"}, api.CodeInvalid, "another name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := l.AddSource(t.Context(), tt.r)
			fails(t, err, tt.code, tt.part)
		})
	}
	if list := must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{})); len(list.Sources) != 1 {
		t.Errorf("%d sources, want the first alone", len(list.Sources))
	}
}

func TestWebSources(t *testing.T) {
	l := open(t, nil)
	added := must[api.Source](t)(l.AddSource(t.Context(), api.AddSourceRequest{Path: "HTTPS://Example.org:443/docs/#top"}))
	if added.Kind != "url" || added.Path != "https://example.org/docs/" || added.Name != "example.org/docs" || added.State != "empty" {
		t.Errorf("added %+v", added)
	}
	_, err := l.AddSource(t.Context(), api.AddSourceRequest{Path: "https://example.org/docs/", Name: "other"})
	fails(t, err, api.CodeInvalid, "already")
	l.write("pages.txt", "https://example.org/a\n")
	list := must[api.Source](t)(l.AddSource(t.Context(), api.AddSourceRequest{Path: filepath.Join(l.notes, "pages.txt"), List: true}))
	if list.Kind != "url" || list.Name != "pages.txt" {
		t.Errorf("added %+v", list)
	}
	for _, s := range must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{})).Sources {
		if s.State != "empty" { // nobody was asked
			t.Errorf("%+v", s)
		}
	}
	must[api.RemoveSourceResponse](t)(l.RemoveSource(t.Context(), api.RemoveSourceRequest{Source: "https://example.org/docs/"}))
}

func TestSources(t *testing.T) {
	l := open(t, nil)
	l.write("a/x.md", "# X\n\nx\n")
	l.write("b/y.md", "# Y\n\ny\n")
	outer := l.add()
	if outer.State != "empty" || outer.Kind != "folder" || outer.Policy != "ask" {
		t.Errorf("added %+v", outer)
	}
	inner := must[api.Source](t)(l.AddSource(t.Context(), api.AddSourceRequest{Path: filepath.Join(l.notes, "a")}))
	if inner.Name != "a" || !strings.Contains(inner.Detail, `inside the source "notes"`) {
		t.Errorf("added %+v", inner)
	}
	other := t.TempDir()
	gone := must[api.Source](t)(l.AddSource(t.Context(), api.AddSourceRequest{Path: other, Name: "gone"}))
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	l.apply(api.ApplyRequest{Sources: []string{"notes"}})
	states := map[string]string{}
	for _, s := range must[api.SourcesResponse](t)(l.Sources(t.Context(), api.SourcesRequest{})).Sources {
		states[s.ID] = s.State
	}
	if states[outer.ID] != "ready" || states[gone.ID] != "unavailable" {
		t.Errorf("states %v", states)
	}
	out := must[api.RemoveSourceResponse](t)(l.RemoveSource(t.Context(), api.RemoveSourceRequest{Source: l.notes, Purge: true}))
	if out.Documents != 2 || out.Source.ID != outer.ID {
		t.Errorf("removed %+v", out)
	}
	st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{}))
	if st.Documents != 0 || st.Chunks != 0 || st.Sources != 2 {
		t.Errorf("status %+v", st)
	}
	_, err := l.RemoveSource(t.Context(), api.RemoveSourceRequest{Source: "notes"})
	fails(t, err, api.CodeNotFound, "notes")
}

func TestDiff(t *testing.T) {
	l := open(t, nil)
	l.write("a.md", "# A\n\n"+prose("a"))
	l.add()
	l.apply(api.ApplyRequest{})
	l.write("a.md", "# A\n\nA new paragraph at the top.\n\n"+prose("a"))
	for _, planned := range []bool{false, true} {
		if planned {
			must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
		}
		d := must[api.Diff](t)(l.Diff(t.Context(), api.DiffRequest{Source: "notes", Path: "a.md"}))
		kinds := map[string]int{}
		for _, r := range d.Rows {
			kinds[r.Kind] += r.Count
		}
		if d.Action != "updated" || !d.Chunks.Exact || d.Chunks.Embed == 0 || kinds["kept"]+kinds["relocated"] == 0 || kinds["changed"]+kinds["added"] == 0 {
			t.Errorf("diff %+v, rows %v", d, kinds)
		}
	}
	_, err := l.Diff(t.Context(), api.DiffRequest{Source: "notes", Path: "no.md"})
	fails(t, err, api.CodeNotFound, "no.md")
	_, err = l.Diff(t.Context(), api.DiffRequest{Source: "x", Path: "a.md"})
	fails(t, err, api.CodeNotFound, `"x"`)
}

func TestSettings(t *testing.T) {
	l := open(t, map[string]string{"vectors": "follow"})
	all := must[api.Config](t)(l.GetConfig(t.Context(), api.GetConfigRequest{}))
	if len(all.Settings) < 10 {
		t.Errorf("%d settings", len(all.Settings))
	}
	_, err := l.GetConfig(t.Context(), api.GetConfigRequest{Key: "x"})
	fails(t, err, api.CodeInvalid, `"x"`)
	_, err = l.SetConfig(t.Context(), api.SetConfigRequest{Key: "search.k", Value: "0"})
	fails(t, err, api.CodeInvalid, "search.k = 0")
	set := must[api.SetConfigResponse](t)(l.SetConfig(t.Context(), api.SetConfigRequest{Key: "chunking.text.target", Value: "100"}))
	if !set.Setting.Reindex || !strings.Contains(set.Note, "next plan") || set.Setting.Origin != "file" {
		t.Errorf("set %+v", set)
	}
	set = must[api.SetConfigResponse](t)(l.SetConfig(t.Context(), api.SetConfigRequest{Key: "vectors", Value: "required"}))
	if set.Setting.Value != "follow" || !strings.Contains(set.Note, "command line") {
		t.Errorf("set under an override %+v", set)
	}
}

// Changing the rules re-indexes nothing; it gives a plan (D8, S27).
func TestAChangedRuleIsAPlan(t *testing.T) {
	l := open(t, nil)
	l.write("a.txt", prose("a"))
	l.add()
	l.apply(api.ApplyRequest{})
	before := l.model.calls.Load()
	must[api.SetConfigResponse](t)(l.SetConfig(t.Context(), api.SetConfigRequest{Key: "chunking.text.target", Value: "60"}))
	p := must[api.Plan](t)(l.Plan(t.Context(), api.PlanRequest{}))
	if p.Summary.Updated != 1 || p.Actions[0].ReasonCode != "recipe_changed" {
		t.Errorf("plan %+v", p.Actions)
	}
	if l.model.calls.Load() != before {
		t.Error("something was embedded")
	}
}

func TestDocumentPath(t *testing.T) {
	l := open(t, nil)
	l.write("a b/lease.md", "# Lease\n\nText.\n")
	l.add()
	l.apply(api.ApplyRequest{})
	id := l.documents()["a b/lease.md"]
	if got := must[string](t)(l.DocumentPath(t.Context(), id)); got != filepath.Join(l.notes, "a b", "lease.md") {
		t.Errorf("path %s", got)
	}
	l.remove("a b/lease.md")
	_, err := l.DocumentPath(t.Context(), id)
	fails(t, err, api.CodeNotFound, "a b/lease.md", "Plan")
	_, err = l.DocumentPath(t.Context(), corpus.NewID().String())
	fails(t, err, api.CodeNotFound)
	_, err = l.DocumentPath(t.Context(), "../lease.md")
	fails(t, err, api.CodeInvalid)
}

func TestDocument(t *testing.T) {
	l := open(t, nil)
	text := "# Lease\n\n## Deposits\n\nThe deposit is three months' rent.\n"
	l.write("lease.md", text)
	l.add()
	l.apply(api.ApplyRequest{})
	id := l.documents()["lease.md"]
	d := must[api.Document](t)(l.Document(t.Context(), api.DocumentRequest{Document: id}))
	var all strings.Builder
	for _, s := range d.Segments {
		all.WriteString(s.Text)
	}
	if all.String() != text || d.Title != "Lease" || d.SourceName != "notes" || d.Type != "text/markdown" || d.Stale || d.Location != nil {
		t.Errorf("document %+v", d)
	}
	if n := d.Segments[len(d.Segments)-1].Passage; len(d.Passages) != n || d.Passages[0].Start != 0 || d.Passages[n-1].End != len(text) {
		t.Errorf("%d passages at %+v", n, d.Passages)
	}
	d = must[api.Document](t)(l.Document(t.Context(), api.DocumentRequest{Document: id, Start: 26, End: 33}))
	if d.Location == nil || d.Location.Label != "line 5 · Deposits" {
		t.Errorf("marked %+v", d.Location)
	}
	before, err := os.Stat(filepath.Join(l.notes, "lease.md"))
	if err != nil {
		t.Fatal(err)
	}
	l.write("lease.md", strings.Replace(text, "e", "E", 1)) // of the same size and time
	if err := os.Chtimes(filepath.Join(l.notes, "lease.md"), time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
	for _, changed := range []string{"", text + "\nChanged.\n"} {
		if changed != "" {
			l.write("lease.md", changed)
		}
		if d := must[api.Document](t)(l.Document(t.Context(), api.DocumentRequest{Document: id})); !d.Stale || d.Gone {
			t.Error("a changed file is not said to be stale, or is said to be gone")
		}
	}
	l.remove("lease.md")
	if d := must[api.Document](t)(l.Document(t.Context(), api.DocumentRequest{Document: id})); !d.Stale || !d.Gone {
		t.Error("a deleted file is not said to be gone")
	}
	_, err = l.Document(t.Context(), api.DocumentRequest{Document: "x"})
	fails(t, err, api.CodeInvalid, `"x"`)
	_, err = l.Document(t.Context(), api.DocumentRequest{Document: corpus.NewID().String()})
	fails(t, err, api.CodeNotFound)
	_, err = l.Document(t.Context(), api.DocumentRequest{Document: id, Chunk: id})
	fails(t, err, api.CodeStale, "no longer")
	_, err = l.Document(t.Context(), api.DocumentRequest{Document: id, Start: 5, End: 1 << 20})
	fails(t, err, api.CodeInvalid, "range")
}
