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
	t.Run("golden", func(t *testing.T) { t.Parallel(); golden(t, open(t)) })
}

// golden holds that names, words of scripts without spaces, and words typed
// without their accents put the one document that has them first (H2, S69, S70).
func golden(t *testing.T, s store.Store) {
	ctx := context.Background()
	e, err := hash.New(0)
	if err != nil {
		t.Fatal(err)
	}
	Fill(ctx, t, s, e, documents(t))
	searcher, err := search.New(search.Options{Store: s, Embedder: e, Settings: search.DefaultSettings()})
	if err != nil {
		t.Fatal(err)
	}
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
