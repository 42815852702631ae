package service_test

import (
	"strings"
	"testing"

	"ibid/backend/api"
)

func TestSearch(t *testing.T) {
	l := open(t, nil)
	l.write("lease.md", "# Lease\n\n## Deposits\n\nThe deposit is three months' rent.\n")
	l.write("copy/lease.md", "# Lease\n\n## Deposits\n\nThe deposit is three months' rent.\n")
	l.write("menu.txt", "Soup on Mondays.\n")
	s := l.add()
	l.apply(api.ApplyRequest{})
	for _, mode := range []string{"", "keyword", "vector"} {
		r := must[api.SearchResponse](t)(l.Search(t.Context(), api.SearchRequest{Query: "deposit", Mode: mode, Explain: true}))
		if len(r.Hits) == 0 {
			t.Errorf("mode %q finds nothing: %+v", mode, r)
			continue
		}
		h := r.Hits[0]
		if h.Rank != 1 || h.SourceName != "notes" || h.Source != s.ID || h.Title != "Lease" || h.Location.Label == "" || len(h.Duplicates) != 1 {
			t.Errorf("mode %q: %+v", mode, h)
		}
		if (h.Legs.Keyword == nil) != (mode == "vector") || (h.Legs.Vector == nil) != (mode == "keyword") {
			t.Errorf("mode %q: legs %+v", mode, h.Legs)
		}
		if !strings.Contains(h.Snippet, "**deposit**") || h.Explain == nil || r.Diagnostics == nil || r.Diagnostics.K != 6 {
			t.Errorf("mode %q: snippet %q, %+v, %+v", mode, h.Snippet, h.Explain, r.Diagnostics)
		}
		d := must[api.Document](t)(l.Document(t.Context(), api.DocumentRequest{Document: h.Document, Chunk: h.Chunk}))
		marked := ""
		for _, seg := range d.Segments {
			if seg.Mark {
				marked += seg.Text
			}
		}
		if !strings.Contains(marked, "three months") || d.Location == nil || d.Location.Label != h.Location.Label {
			t.Errorf("mode %q: the viewer marks %q at %+v", mode, marked, d.Location)
		}
	}
	r := must[api.SearchResponse](t)(l.Search(t.Context(), api.SearchRequest{
		Query: "soup", Filters: map[string][]string{"type": {"text/markdown"}, "source": {"notes"}},
	}))
	for _, h := range r.Hits {
		if h.Type != "text/markdown" {
			t.Errorf("the filter lets %s pass", h.Path)
		}
	}
	_, err := l.Search(t.Context(), api.SearchRequest{Query: "soup", Filters: map[string][]string{"source": {"x"}}})
	fails(t, err, api.CodeNotFound, `"x"`)
	_, err = l.Search(t.Context(), api.SearchRequest{Query: "soup", Filters: map[string][]string{"type": {"xyz"}}})
	fails(t, err, api.CodeInvalid, "type=xyz", "markdown", "text/plain")
	_, err = l.Search(t.Context(), api.SearchRequest{Query: " "})
	fails(t, err, api.CodeInvalid, "empty")
	_, err = l.Search(t.Context(), api.SearchRequest{Query: strings.Repeat("a", 16_385)})
	fails(t, err, api.CodeLimit, "16384")
}

func TestSearchOfAnEmptyLibrary(t *testing.T) {
	l := open(t, nil)
	if r := must[api.SearchResponse](t)(l.Search(t.Context(), api.SearchRequest{Query: "rent"})); len(r.Hits) != 0 || r.Hits == nil {
		t.Errorf("%+v", r)
	}
}

// Keyword search, plans and status of a library without vectors need no model.
func TestWithoutAModel(t *testing.T) {
	l := open(t, map[string]string{"embeddings": "none"})
	l.model = nil
	l.write("a.md", "# A\n\nalpha\n")
	l.add()
	if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Pending != 0 {
		t.Fatalf("run %+v", run)
	}
	r := must[api.SearchResponse](t)(l.Search(t.Context(), api.SearchRequest{Query: "alpha"}))
	if len(r.Hits) != 1 || len(r.Notes) == 0 {
		t.Errorf("hybrid: %+v", r)
	}
	_, err := l.Search(t.Context(), api.SearchRequest{Query: "alpha", Mode: "vector"})
	fails(t, err, api.CodeUnsupported, "no vectors")
}
