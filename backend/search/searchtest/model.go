package searchtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/search"
	"ibid/backend/store"
)

// Passages with the same words are one hit, and do not use up K (S16).
func duplicates(t *testing.T, s store.Store) {
	docs := []Document{{Path: "other.md", Text: "pump room", Language: "en"}}
	for i := range 9 {
		docs = append(docs, Document{Path: fmt.Sprintf("copy%d.md", i), Text: "The pump is\nin the room.", Language: "en"})
	}
	docs[1].Text = "The pump  is in the room." // the same words
	Fill(t.Context(), t, s, pumps, docs)
	r, _ := find(t, open(t, search.Options{Store: s, Embedder: pumps}), search.Request{Query: "pump", K: 3})
	if len(r.Hits) != 2 {
		t.Fatalf("%d hits, want 2", len(r.Hits))
	}
	if n := len(r.Hits[0].Duplicates) + len(r.Hits[1].Duplicates); n != 8 {
		t.Errorf("%d duplicates, want 8", n)
	}
}

// Whoever types a name gets what has it, whatever the model thinks (H2, S69).
func namesFirst(t *testing.T, s store.Store) {
	e := &topics{model: "a", names: []string{"fish", "fuse"}, as: map[string]string{
		"XC23": "fish", "What is in box XC23?": "fish", "box with fish": "fish",
	}}
	Fill(t.Context(), t, s, e, []Document{
		{Path: "fish.md", Text: "A box for fish. A box of fish in a box.", Language: "en"},
		{Path: "boxes.md", Text: "Box, box and box: what is in a box?", Language: "en"},
		{Path: "xc23.md", Text: "Box XC23 holds the fuses.", Language: "en"},
	})
	searcher := open(t, search.Options{Store: s, Embedder: e})
	weight := 1.0
	for _, tt := range []struct {
		query, first string
		weight       *float64
		pinned       bool
	}{
		{"XC23", "xc23.md", nil, true},
		{"XC23", "xc23.md", &weight, true},
		{"What is in box XC23?", "xc23.md", &weight, true},
		{"box with fish", "fish.md", nil, false},
	} {
		r, got := find(t, searcher, search.Request{Query: tt.query, Weight: tt.weight})
		if len(got) == 0 || got[0] != tt.first || r.Hits[0].Pinned != tt.pinned {
			t.Errorf("%q finds %v, want %s first", tt.query, got, tt.first)
		} else if tt.pinned && !strings.Contains(r.Hits[0].Why, "holds XC23") {
			t.Errorf("%q: why is %q", tt.query, r.Hits[0].Why)
		}
	}
}

// With a measured model, a query that no passage says anything about has no
// hits, and the result shows why (H4).
func nothingRelevant(t *testing.T, s store.Store) {
	e := &topics{model: "a", names: []string{"pump", "valve", "sonnet"}}
	Fill(t.Context(), t, s, e, []Document{
		{Path: "pump.md", Text: "The pump and its valve stand in the hall.", Language: "en"},
		{Path: "hall.md", Text: "The hall has a floor.", Language: "en"},
	})
	scale := search.Scale{Far: .3, Near: .6}
	searcher := open(t, search.Options{Store: s, Embedder: e, Scale: scale})
	r, _ := find(t, searcher, search.Request{Query: "who wrote the sonnet about roses"})
	if len(r.Hits) != 0 || !r.Diagnostics.Irrelevant || !noted(r, "the best passage supports the query by") || r.Diagnostics.BestSupport >= .15 {
		t.Errorf("%d hits, notes %q, diagnostics %+v", len(r.Hits), r.Notes, r.Diagnostics)
	}
	if diff := cmp.Diff([]string{"wrote", "sonnet", "roses"}, r.Unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
	if r, _ := find(t, searcher, search.Request{Query: "pump lang:de"}); len(r.Hits) != 0 || !noted(r, "no passage passes the filters") {
		t.Errorf("filtered: %d hits, notes %q", len(r.Hits), r.Notes)
	}
	low := -1.0
	for name, request := range map[string]search.Request{
		"near":                {Query: "pump"},
		"words":               {Query: "floor of the hall"},
		"asked for every one": {Query: "who wrote the sonnet", MinScore: &low},
		"by meaning":          {Query: "who wrote the sonnet", Mode: search.Vector},
	} {
		if r, _ := find(t, searcher, request); len(r.Hits) == 0 {
			t.Errorf("%s: %q has no hits: %q", name, request.Query, r.Notes)
		}
	}
	unmeasured := open(t, search.Options{Store: s, Embedder: e})
	if r, _ := find(t, unmeasured, search.Request{Query: "who wrote the sonnet"}); len(r.Hits) == 0 {
		t.Error("a model that was not measured was cut")
	}
}

// A passage without a vector is judged by its words alone, and the result says so.
func missingVectors(t *testing.T, s store.Store) {
	e := &topics{model: "a", names: []string{"pump", "valve"}}
	Fill(t.Context(), t, s, e, []Document{
		{Path: "new.md", Text: "zirconium pump", Language: "en", Unread: true},
		{Path: "old.md", Text: "A pump of steel and zirconium in a long sentence on pumps.", Language: "en"},
		{Path: "valve.md", Text: "valve", Language: "en"},
	})
	r, got := find(t, open(t, search.Options{Store: s, Embedder: e}), search.Request{Query: "zirconium"})
	if len(got) < 2 || got[0] != "new.md" || !noted(r, "1 of 3 passages have no vector") {
		t.Errorf("hits %v, notes %q", got, r.Notes)
	}
	if r.Hits[0].Vector != nil || math.Abs(r.Hits[0].Score-1) > 1e-9 {
		t.Errorf("the new passage has %+v, want the full score", r.Hits[0].Score)
	}
}

func noModel(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, nil, office())
	searcher := open(t, search.Options{Store: s})
	r, got := find(t, searcher, search.Request{Query: "boundary layer"})
	if len(got) != 2 || !noted(r, "no vectors") || math.Abs(r.Hits[0].Score-1) > 1e-9 {
		t.Errorf("hits %v, notes %q", got, r.Notes)
	}
	if r, _ := find(t, searcher, search.Request{Query: "boundary layer", Mode: search.Keyword}); len(r.Hits) != 2 || len(r.Notes) != 0 {
		t.Errorf("%d hits by words, notes %q", len(r.Hits), r.Notes)
	}
	if _, err := searcher.Search(t.Context(), search.Request{Query: "x", Mode: search.Vector}); !errors.Is(err, corpus.ErrUnsupported) {
		t.Errorf("vector search: %v", err)
	}
}

func anotherModel(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	other := &topics{model: "b", names: pumps.names}
	searcher := open(t, search.Options{Store: s, Embedder: other})
	if r, got := find(t, searcher, search.Request{Query: "boundary layer"}); len(got) != 2 || !noted(r, "the model set is") {
		t.Errorf("hits %v, notes %q", got, r.Notes)
	}
	if _, err := searcher.Search(t.Context(), search.Request{Query: "x", Mode: search.Vector}); !errors.Is(err, corpus.ErrUnsupported) {
		t.Errorf("vector search: %v", err)
	}
}

func failingModel(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	down := errors.New("connection refused")
	searcher := open(t, search.Options{Store: s, Embedder: &topics{model: "a", names: pumps.names, fail: down}})
	if r, got := find(t, searcher, search.Request{Query: "boundary layer"}); len(got) != 2 || !noted(r, "did not answer") {
		t.Errorf("hits %v, notes %q", got, r.Notes)
	}
	if _, err := searcher.Search(t.Context(), search.Request{Query: "x", Mode: search.Vector}); !errors.Is(err, down) {
		t.Errorf("vector search: %v", err)
	}
}

// switching shows, as often as it is set to, a generation that is gone by the
// time it is searched.
type switching struct {
	store.Store
	gone int
}

type gone struct{ store.Reader }

func (g gone) Info(ctx context.Context) (store.Info, error) {
	info, err := g.Reader.Info(ctx)
	for i := range info.Generations {
		info.Generations[i].ID += 1000
	}
	return info, err
}

func (s *switching) View(ctx context.Context, fn func(store.Reader) error) error {
	s.gone--
	return s.Store.View(ctx, func(r store.Reader) error {
		if s.gone >= 0 {
			r = gone{r}
		}
		return fn(r)
	})
}

// A search that another generation overtakes begins again instead of finding nothing.
func switchedModel(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	once := open(t, search.Options{Store: &switching{s, 1}, Embedder: pumps})
	if _, got := find(t, once, search.Request{Query: "boundary layer"}); len(got) == 0 {
		t.Error("nothing was found")
	}
	always := open(t, search.Options{Store: &switching{s, 100}, Embedder: pumps})
	if _, err := always.Search(t.Context(), search.Request{Query: "boundary layer"}); !errors.Is(err, corpus.ErrBusy) {
		t.Errorf("error %v", err)
	}
}

// The vector leg weighs less where the model does not know the language.
func unknownLanguage(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	searcher := open(t, search.Options{Store: s, Embedder: pumps, Languages: []string{"en"}})
	half := .5
	for _, tt := range []struct {
		request search.Request
		weight  float64
	}{
		{search.Request{Query: "Wo steht die Pumpe und was ist sie auf Englisch?"}, .3},
		{search.Request{Query: "Where is the pump that was in the hall?"}, .5},
		{search.Request{Query: "pump"}, .5}, // most of the library is English
		{search.Request{Query: "Wo steht die Pumpe und was ist sie?", Weight: &half}, .5},
	} {
		r, _ := find(t, searcher, tt.request)
		if r.Diagnostics.Weight != tt.weight || noted(r, "does not know") != (tt.weight < .5) {
			t.Errorf("%q: weight %v, want %v; notes %q", tt.request.Query, r.Diagnostics.Weight, tt.weight, r.Notes)
		}
	}
}

func explanation(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	searcher := open(t, search.Options{Store: s, Embedder: pumps})
	var stages []string
	r, _ := find(t, searcher, search.Request{Query: "thin layers zebra", K: 2, Explain: true, Stage: func(s string) { stages = append(stages, s) }})
	if diff := cmp.Diff([]string{"embed", "retrieve"}, stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"zebra"}, r.Unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
	h := r.Hits[0]
	if h.Keyword == nil || h.Vector == nil || math.Abs(h.Keyword.Share+h.Vector.Share-h.Score) > 1e-9 {
		t.Fatalf("first hit %+v", h)
	}
	sum := 0.0
	for _, term := range h.Terms {
		sum += term.Score
	}
	if math.Abs(sum-h.Keyword.Score) > 1e-9 || len(h.Terms) != 2 {
		t.Errorf("terms %+v add up to %v of %v", h.Terms, sum, h.Keyword.Score)
	}
	if !strings.Contains(h.Why, "by words") || !strings.Contains(h.Why, "by meaning") {
		t.Errorf("why: %q", h.Why)
	}
	if d := r.Diagnostics; d.K != 2 || d.KeywordFound != 2 || d.VectorFound != 6 || !strings.Contains(h.Snippet.Text, "layer") {
		t.Errorf("diagnostics %+v, snippet %q", d, h.Snippet.Text)
	}
	native, _ := find(t, searcher, search.Request{Query: "thin layers", Mode: search.Keyword})
	if top := native.Hits[0]; top.Score != top.Keyword.Score || top.Score == 1 {
		t.Errorf("keyword mode scores %v, BM25 is %v", top.Score, top.Keyword.Score)
	}
	least := native.Hits[1].Score + 1e-6
	if cut, _ := find(t, searcher, search.Request{Query: "thin layers", Mode: search.Keyword, MinScore: &least}); len(cut.Hits) != 1 {
		t.Errorf("%d hits above the second score", len(cut.Hits))
	}
}

func refusals(t *testing.T, s store.Store) {
	Fill(t.Context(), t, s, pumps, office())
	searcher := open(t, search.Options{Store: s, Embedder: pumps})
	half, more, nan := .5, 1.5, math.NaN()
	for name, tt := range map[string]struct {
		request search.Request
		want    error
	}{
		"k":                  {search.Request{Query: "x", K: 101}, corpus.ErrInvalid},
		"k below one":        {search.Request{Query: "x", K: -1}, corpus.ErrInvalid},
		"mode":               {search.Request{Query: "x", Mode: "best"}, corpus.ErrInvalid},
		"fusion":             {search.Request{Query: "x", Fusion: "sum"}, corpus.ErrInvalid},
		"fusion of one leg":  {search.Request{Query: "x", Mode: search.Keyword, Fusion: search.RRF}, corpus.ErrInvalid},
		"weight of one leg":  {search.Request{Query: "x", Mode: search.Vector, Weight: &half}, corpus.ErrInvalid},
		"weight":             {search.Request{Query: "x", Weight: &more}, corpus.ErrInvalid},
		"weight, no number":  {search.Request{Query: "x", Weight: &nan}, corpus.ErrInvalid},
		"min score":          {search.Request{Query: "x", MinScore: &nan}, corpus.ErrInvalid},
		"query":              {search.Request{Query: strings.Repeat("x", search.MaxQuery+1)}, corpus.ErrLimit},
		"filter":             {search.Request{Query: "x", Filter: store.Filter{{Field: "path"}}}, corpus.ErrInvalid},
		"filters of a query": {search.Request{Query: "x" + strings.Repeat(" path:a", corpus.MaxFilterFields+1)}, corpus.ErrLimit},
	} {
		if _, err := searcher.Search(t.Context(), tt.request); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if _, err := search.New(search.Options{Store: s}); !errors.Is(err, corpus.ErrInvalid) {
		t.Errorf("settings: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := searcher.Search(ctx, search.Request{Query: "pump"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func emptyLibrary(t *testing.T, s store.Store) {
	searcher := open(t, search.Options{Store: s, Embedder: pumps})
	for _, mode := range []search.Mode{search.Keyword, search.Vector, search.Hybrid} {
		for _, query := range []string{"pump", "", "??", `"`} {
			if r, _ := find(t, searcher, search.Request{Query: query, Mode: mode}); len(r.Hits) != 0 {
				t.Errorf("%s %q has hits", mode, query)
			}
		}
	}
}
