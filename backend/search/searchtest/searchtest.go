package searchtest

import (
	"context"
	"strings"
	"testing"

	"ibid/backend/embed/hash"
	"ibid/backend/search"
	"ibid/backend/store"
)

// Exercise runs the suite. open makes an empty library that lives until the
// test's end.
func Exercise(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, c := range []struct {
		name  string
		check func(t *testing.T, s store.Store)
	}{
		{"golden", golden},
		{"language of queries", queryLanguage},
		{"metadata", metadata},
		{"filters of the request", requestFilters},
		{"duplicates", duplicates},
		{"names stand first", namesFirst},
		{"nothing relevant", nothingRelevant},
		{"missing vectors", missingVectors},
		{"no model", noModel},
		{"another model", anotherModel},
		{"failing model", failingModel},
		{"switched model", switchedModel},
		{"unknown language", unknownLanguage},
		{"scores and explanation", explanation},
		{"refusals", refusals},
		{"empty library", emptyLibrary},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, open(t))
		})
	}
}

// golden holds that names, words of scripts without spaces, and words typed
// without their accents put the one document that has them first (H2, S69, S70).
func golden(t *testing.T, s store.Store) {
	ctx := context.Background()
	e, err := hash.New(0)
	if err != nil {
		t.Fatal(err)
	}
	docs, _ := Golden(t)
	Fill(ctx, t, s, e, docs)
	searcher := open(t, search.Options{Store: s, Embedder: e})
	lines(t, "cases.tsv", func(line string) {
		query, want, _ := strings.Cut(line, "\t")
		for _, mode := range []search.Mode{search.Keyword, search.Hybrid} {
			t.Run(string(mode)+"/"+strings.ReplaceAll(query, "/", "∕"), func(t *testing.T) {
				r, err := searcher.Search(ctx, search.Request{Query: query, Mode: mode})
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Hits) == 0 {
					t.Fatalf("no hit; notes %q", r.Notes)
				}
				if got := r.Hits[0].Document.Path; got != want {
					t.Errorf("first is %s, want %s", got, want)
					for _, h := range r.Hits {
						t.Logf("%d %.3f %s: %s", h.Rank, h.Score, h.Document.Path, h.Why)
					}
				}
			})
		}
	})
}

func open(t *testing.T, o search.Options) *search.Searcher {
	t.Helper()
	if o.Settings == (search.Settings{}) {
		o.Settings = search.DefaultSettings()
	}
	s, err := search.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// find searches and returns the result with the paths of its hits.
func find(t *testing.T, s *search.Searcher, r search.Request) (*search.Result, []string) {
	t.Helper()
	result, err := s.Search(t.Context(), r)
	if err != nil {
		t.Fatalf("search %q: %v", r.Query, err)
	}
	paths := []string{}
	for i, h := range result.Hits {
		paths = append(paths, h.Document.Path)
		if h.Rank != i+1 {
			t.Errorf("search %q: hit %d has the rank %d", r.Query, i+1, h.Rank)
		}
		if i > 0 && h.Score > result.Hits[i-1].Score {
			t.Errorf("search %q: hit %d scores more than the one before", r.Query, i+1)
		}
	}
	return result, paths
}

// noted tells whether one of the notes says what.
func noted(r *search.Result, what string) bool {
	return strings.Contains(strings.Join(r.Notes, "\n"), what)
}
