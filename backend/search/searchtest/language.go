package searchtest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/search"
	"ibid/backend/store"
)

func day(d int) time.Time { return time.Date(2025, 3, d, 12, 0, 0, 0, time.UTC) }

// office is a small library about pumps.
func office() []Document {
	return []Document{
		{Path: "docs/pumps.md", Title: "Pumps", Text: "The boundary layer of the pump is thin.", Language: "en", Modified: day(1), Metadata: corpus.Metadata{"author": "Ann", "year": 2024.0}},
		{Path: "docs/layers.md", Title: "Layers", Text: "A layer at the boundary of the pump.", Language: "en", Modified: day(2), Metadata: corpus.Metadata{"author": "Ben", "year": "2024"}},
		{Path: "notes/pump.csv", Title: "Stock", Text: "pump;3\nvalve;7", Type: "text/csv", Language: "en", Modified: day(3), Metadata: corpus.Metadata{"tags": []string{"stock", "draft"}}},
		{Path: "notes/pumpe.md", Title: "Pumpe", Text: "Die Pumpe steht im Keller; pump heißt sie auf Englisch.", Language: "de", Modified: day(4)},
		{Path: "notes/kanji.md", Title: "漢字", Text: "東京都の pump", Language: "ja", Modified: day(5)},
		{Path: "notes/server.md", Title: "Server", Text: "The pump server listens at localhost:8080.", Language: "en", Modified: day(6)},
	}
}

var pumps = &topics{model: "a", names: []string{"pump", "layer", "valve"}}

func queryLanguage(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	searcher := open(t, search.Options{Store: s, Embedder: pumps})
	tests := []struct {
		query string
		want  []string // paths, in any order
		note  string
	}{
		{`pump "boundary layer"`, []string{"docs/pumps.md"}, ""},
		{`"of the pump"`, []string{"docs/pumps.md", "docs/layers.md"}, ""},
		{`pump -boundary`, []string{"notes/pump.csv", "notes/pumpe.md", "notes/kanji.md", "notes/server.md"}, ""},
		{`pump -"boundary layer" type:md lang:en`, []string{"docs/layers.md", "notes/server.md"}, ""},
		{`pump -東 path:notes/`, []string{"notes/pump.csv", "notes/pumpe.md", "notes/server.md"}, ""},
		{`pump "東"`, []string{"notes/kanji.md"}, ""},
		{"pump path:docs/", []string{"docs/pumps.md", "docs/layers.md"}, ""},
		{"pump title:Pump", []string{"docs/pumps.md", "notes/pumpe.md"}, ""},
		{"pump type:csv", []string{"notes/pump.csv"}, ""},
		{"pump -type:md", []string{"notes/pump.csv"}, ""},
		{"pump lang:de lang:ja", []string{"notes/pumpe.md", "notes/kanji.md"}, ""},
		{"pump after:2025-03-05", []string{"notes/kanji.md", "notes/server.md"}, ""},
		{"pump before:2025-03-02", []string{"docs/pumps.md"}, ""},
		{"pump source:shelf path:docs/", []string{"docs/pumps.md", "docs/layers.md"}, ""},
		{"pump -source:Shelf", nil, ""},
		{"pump path:shelf/docs/", []string{"docs/pumps.md", "docs/layers.md"}, ""}, // as hits show it
		{"pump path:Shelf/docs/pumps.md", []string{"docs/pumps.md"}, ""},
		{"pump path:shelf/ type:csv", []string{"notes/pump.csv"}, ""},
		{"pump path:shelf/nowhere", nil, ""},
		{"valve type:xyz path:notes/pump.csv", []string{"notes/pump.csv"}, "there is no type \"xyz\""},
		{"valve source:cellar path:notes/pump.csv", []string{"notes/pump.csv"}, "no source is named \"cellar\""},
		{`"no such phrase" pump path:docs/`, []string{"docs/pumps.md", "docs/layers.md"}, "no passage has the phrase"},
		{"type:csv", nil, "no words"},
	}
	for _, tt := range tests {
		for _, mode := range []search.Mode{search.Keyword, search.Vector, search.Hybrid} {
			t.Run(string(mode)+"/"+tt.query, func(t *testing.T) {
				r, got := find(t, searcher, search.Request{Query: tt.query, Mode: mode, K: 20})
				want := append([]string{}, tt.want...)
				slices.Sort(want)
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("hits (-want +got):\n%s", diff)
				}
				if tt.note != "" && !noted(r, tt.note) {
					t.Errorf("notes %q do not say %q", r.Notes, tt.note)
				}
			})
		}
	}
	t.Run("literal", func(t *testing.T) {
		if r, _ := find(t, searcher, search.Request{Query: `pump type:csv "boundary layer"`, Literal: true, K: 20}); len(r.Hits) != 6 {
			t.Errorf("%d hits, want all 6", len(r.Hits))
		}
	})
}

func metadata(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	searcher := open(t, search.Options{Store: s, Embedder: pumps})
	tests := []struct {
		query string
		want  []string
		note  string
	}{
		{"pump author:Ann", []string{"docs/pumps.md"}, ""},
		{"pump year:2024", []string{"docs/pumps.md", "docs/layers.md"}, ""},
		{"pump tags:draft", []string{"notes/pump.csv"}, ""},
		{"pump -author:Ann type:md lang:en", []string{"docs/layers.md", "notes/server.md"}, ""},
		// What no metadata fulfils was text.
		{"server localhost:8080 path:notes/server", []string{"notes/server.md"}, "no document has localhost 8080"},
		{"localhost:8080 path:notes/server", []string{"notes/server.md"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			r, got := find(t, searcher, search.Request{Query: tt.query, K: 20})
			slices.Sort(tt.want)
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
			if (tt.note != "") != noted(r, "read as words") || !noted(r, tt.note) {
				t.Errorf("notes %q, want %q", r.Notes, tt.note)
			}
		})
	}
}

func requestFilters(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	searcher := open(t, search.Options{Store: s, Embedder: pumps})
	tests := []struct {
		name      string
		condition store.Condition
		want      []string
	}{
		{"equal", store.Condition{Field: "language", Op: store.Eq, Values: []any{"de"}}, []string{"notes/pumpe.md"}},
		{"any of", store.Condition{Field: "author", Op: store.In, Values: []any{"Ann", "Ben"}}, []string{"docs/layers.md", "docs/pumps.md"}},
		{"none of", store.Condition{Field: "path", Op: store.Not, Values: []any{"docs/pumps.md", "docs/layers.md", "notes/kanji.md", "notes/server.md"}}, []string{"notes/pump.csv", "notes/pumpe.md"}},
		{"prefix", store.Condition{Field: "path", Op: store.Prefix, Values: []any{"notes/pump"}}, []string{"notes/pump.csv", "notes/pumpe.md"}},
		{"range", store.Condition{Field: "modified", Op: store.Range, Values: []any{day(2).Format(time.RFC3339), day(3).Format(time.RFC3339)}}, []string{"docs/layers.md", "notes/pump.csv"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := find(t, searcher, search.Request{Query: "pump", K: 20, Filter: store.Filter{tt.condition}})
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
		})
	}
}
