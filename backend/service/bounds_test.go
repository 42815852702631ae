package service

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

func TestCheckQuery(t *testing.T) {
	tests := []struct {
		name, text string
		want       error
	}{
		{"good", "what is due?", nil},
		{"longest", strings.Repeat("ä", maxQuery), nil},
		{"empty", "", corpus.ErrInvalid},
		{"blank", " \n\t", corpus.ErrInvalid},
		{"too long", strings.Repeat("ä", maxQuery+1), corpus.ErrLimit},
		{"not UTF-8", "a\xff", corpus.ErrInvalid},
	}
	for _, tt := range tests {
		if err := checkQuery("query", tt.text); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestOverrides(t *testing.T) {
	d := config.Defaults().Search
	number := func(x float64) *float64 { return &x }
	tests := []struct {
		name string
		o    overrides
		want config.Search
		ok   bool
	}{
		{"nothing", overrides{}, d, true},
		{"all", overrides{100, "keyword", "rrf", number(0)}, config.Search{K: 100, Mode: "keyword", Fusion: "rrf", Weight: 0}, true},
		{"k", overrides{k: 101}, d, false},
		{"negative k", overrides{k: -1}, d, false},
		{"mode", overrides{mode: "Keyword"}, d, false},
		{"fusion", overrides{fusion: "sum"}, d, false},
		{"weight", overrides{weight: number(1.1)}, d, false},
		{"NaN", overrides{weight: number(math.NaN())}, d, false},
	}
	for _, tt := range tests {
		got, err := tt.o.over(d)
		if got != tt.want || (err == nil) != tt.ok || err != nil && !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	if checkScore(number(math.Inf(1))) == nil || checkScore(number(.3)) != nil || checkScore(nil) != nil {
		t.Error("scores are not checked")
	}
}

func TestFilter(t *testing.T) {
	notes := corpus.Source{ID: corpus.NewID(), Name: "notes"}
	many := make([]string, store.MaxFilterValues+1)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
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
		{"source by name", map[string][]string{"source": {"notes"}}, store.Filter{
			{Field: "source", Op: store.In, Values: []any{notes.ID.String()}},
		}, nil},
		{"unknown source", map[string][]string{"source": {"x"}}, nil, corpus.ErrNotFound},
		{"no value", map[string][]string{"type": {}}, nil, corpus.ErrInvalid},
		{"no name", map[string][]string{"": {"x"}}, nil, corpus.ErrInvalid},
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
