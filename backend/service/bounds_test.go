package service

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

func TestCheckQuery(t *testing.T) {
	tests := []struct {
		name, text string
		want       error
	}{
		{"good", "what is due?", nil},
		{"longest", strings.Repeat("ä", corpus.MaxQueryCharacters), nil},
		{"empty", "", corpus.ErrInvalid},
		{"blank", " \n\t", corpus.ErrInvalid},
		{"too long", strings.Repeat("ä", corpus.MaxQueryCharacters+1), corpus.ErrLimit},
		{"not UTF-8", "a\xff", corpus.ErrInvalid},
	}
	for _, tt := range tests {
		if err := checkQuery("query", tt.text); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestCheckSearch(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	tests := []struct {
		name string
		r    api.SearchRequest
		ok   bool
	}{
		{"nothing", api.SearchRequest{}, true},
		{"all", api.SearchRequest{K: 100, Mode: "hybrid", Fusion: "rrf", Weight: number(0), MinScore: number(.3)}, true},
		{"k", api.SearchRequest{K: 101}, false},
		{"negative k", api.SearchRequest{K: -1}, false},
		{"mode", api.SearchRequest{Mode: "Keyword"}, false},
		{"fusion", api.SearchRequest{Fusion: "sum"}, false},
		{"weight", api.SearchRequest{Weight: number(1.1)}, false},
		{"weight that is no number", api.SearchRequest{Weight: number(math.NaN())}, false},
		{"infinite score", api.SearchRequest{MinScore: number(math.Inf(1))}, false},
	}
	for _, tt := range tests {
		tt.r.Query = "rent"
		if err := checkSearch(tt.r); (err == nil) != tt.ok || err != nil && !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if err := checkSearch(api.SearchRequest{}); !errors.Is(err, corpus.ErrInvalid) {
		t.Errorf("no query: %v", err)
	}
}

func TestFilter(t *testing.T) {
	notes := corpus.Source{ID: corpus.NewID(), Name: "notes"}
	many := make([]string, corpus.MaxFilterValues+1)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	var numbers []string
	var spelled []any
	for n := range corpus.MaxFilterValues {
		numbers = append(numbers, strconv.Itoa(n))
		spelled = append(spelled, strconv.Itoa(n), float64(n))
	}
	tests := []struct {
		name   string
		fields map[string][]string
		want   store.Filter
		err    error
	}{
		{"none", nil, nil, nil},
		{"record", map[string][]string{"type": {"text/plain"}, "path": {"2024"}}, store.Filter{
			{Field: "path", Op: store.In, Values: []any{"2024"}}, {Field: "type", Op: store.In, Values: []any{"text/plain"}},
		}, nil},
		{"metadata", map[string][]string{"year": {"2024", "none"}, "draft": {"true"}}, store.Filter{
			{Field: "draft", Op: store.In, Values: []any{"true", true}},
			{Field: "year", Op: store.In, Values: []any{"2024", 2024., "none"}},
		}, nil},
		{"type by its short name", map[string][]string{"type": {"md"}}, store.Filter{
			{Field: "type", Op: store.In, Values: []any{"text/markdown", "md"}},
		}, nil},
		{"dates", map[string][]string{"after": {"2026-03"}, "before": {"2026-04-01"}}, store.Filter{
			{Field: "modified", Op: store.Range, Values: []any{"2026-03-01T00:00:00Z", nil}},
			{Field: "modified", Op: store.Range, Values: []any{nil, "2026-03-31T23:59:59.999999999Z"}},
		}, nil},
		{"no date", map[string][]string{"after": {"foo"}}, nil, corpus.ErrInvalid},
		{"two dates", map[string][]string{"before": {"2025", "2026"}}, nil, corpus.ErrInvalid},
		{"source by name", map[string][]string{"source": {"notes"}}, store.Filter{
			{Field: "source", Op: store.In, Values: []any{notes.ID.String()}},
		}, nil},
		{"unknown source", map[string][]string{"source": {"x"}}, nil, corpus.ErrNotFound},
		{"no value", map[string][]string{"type": {}}, nil, corpus.ErrInvalid},
		{"no name", map[string][]string{"": {"x"}}, nil, corpus.ErrInvalid},
		{"a hundred numbers", map[string][]string{"year": numbers}, store.Filter{{Field: "year", Op: store.In, Values: spelled}}, nil},
		{"too many values", map[string][]string{"type": many}, nil, corpus.ErrLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := filter(tt.fields, []corpus.Source{notes})
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if d := cmp.Diff(tt.want, got); err == nil && d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
