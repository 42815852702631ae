package chunk

import (
	"errors"
	"testing"

	"ibid/backend/corpus"
)

func TestFor(t *testing.T) {
	none, much, minus, no := 0, 40, -1, false
	for _, c := range []struct {
		name, mediaType string
		rules           Rules
		want            string // recipe
		err             error
	}{
		{"Markdown", "text/markdown", Rules{}, "markdown/1 target=450 overlap=60 limit=256 breadcrumb", nil},
		{"parameters", "Text/HTML; charset=utf-8", Rules{}, "markdown/1 target=450 overlap=60 limit=256 breadcrumb", nil},
		{"plain text", "text/plain", Rules{}, "sentence/1 target=256 overlap=32 limit=256 breadcrumb", nil},
		{"rows", "text/csv", Rules{}, "fixed/1 target=256 overlap=0 limit=256 breadcrumb", nil},
		{"unknown", "application/x-thing", Rules{}, "recursive/1 target=256 overlap=0 limit=256 breadcrumb", nil},
		{"no type", "", Rules{}, "recursive/1 target=256 overlap=0 limit=256 breadcrumb", nil},
		{"other strategy", "text/csv", Rules{Strategy: "sentence"}, "sentence/1 target=256 overlap=32 limit=256 breadcrumb", nil},
		{"other size", "text/markdown", Rules{Target: 150}, "markdown/1 target=150 overlap=20 limit=256 breadcrumb", nil},
		{"no overlap", "text/markdown", Rules{Overlap: &none}, "markdown/1 target=450 overlap=0 limit=256 breadcrumb", nil},
		{"all", "text/plain", Rules{Strategy: "fixed", Target: 99, Overlap: &much, Breadcrumb: &no}, "fixed/1 target=99 overlap=40 limit=256 bare", nil},
		{"no such strategy", "text/plain", Rules{Strategy: "semantic"}, "", corpus.ErrInvalid},
		{"negative size", "text/plain", Rules{Target: -1}, "", corpus.ErrInvalid},
		{"negative overlap", "text/plain", Rules{Overlap: &minus}, "", corpus.ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, opt, err := For(c.mediaType, c.rules)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			opt.Limit, opt.Count = 256, count
			if got := s.Recipe(opt); got != c.want {
				t.Errorf("recipe %q, want %q", got, c.want)
			}
			mustChunk(t, s, plain("Some words."), opt)
		})
	}
}

func TestStrategyNames(t *testing.T) {
	for _, s := range Strategies() {
		if got, err := byName(s.Name()); err != nil || got.Name() != s.Name() {
			t.Errorf("%q is not found by its name: %v", s.Name(), err)
		}
	}
}
