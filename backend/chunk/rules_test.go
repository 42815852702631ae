package chunk

import (
	"errors"
	"testing"

	"ibid/backend/corpus"
)

func TestFor(t *testing.T) {
	none, much, minus, no := 0, 40, -1, false
	const prose = ", auto/1: qa/1 contract/1 catalogue/1"
	for _, c := range []struct {
		name, mediaType string
		rules           Rules
		want            string // recipe
		err             error
	}{
		{"Markdown", "text/markdown", Rules{}, "markdown/2 target=450 overlap=60 limit=256 breadcrumb" + prose, nil},
		{"parameters", "Text/HTML; charset=utf-8", Rules{}, "markdown/2 target=450 overlap=60 limit=256 breadcrumb" + prose, nil},
		{"plain text", "text/plain", Rules{}, "sentence/2 target=256 overlap=32 limit=256 breadcrumb, auto/1: markdown/2 qa/1 contract/1 catalogue/1", nil},
		{"rows", "text/csv", Rules{}, "rows/1 target=256 overlap=0 limit=256 breadcrumb", nil},
		{"slides", "application/vnd.oasis.opendocument.presentation", Rules{}, "slides/1 target=450 overlap=0 limit=256 breadcrumb", nil},
		{"program", "text/x-python", Rules{}, "code/1 target=450 overlap=0 limit=256 breadcrumb", nil},
		{"unknown", "application/x-thing", Rules{}, "recursive/2 target=256 overlap=0 limit=256 breadcrumb", nil},
		{"no type", "", Rules{}, "recursive/2 target=256 overlap=0 limit=256 breadcrumb", nil},
		{"other strategy", "text/csv", Rules{Strategy: "sentence"}, "sentence/2 target=256 overlap=32 limit=256 breadcrumb", nil},
		{"auto", "text/csv", Rules{Strategy: "auto"}, "rows/1 target=256 overlap=0 limit=256 breadcrumb", nil},
		{"other size", "text/markdown", Rules{Target: 150}, "markdown/2 target=150 overlap=20 limit=256 breadcrumb" + prose, nil},
		{"no overlap", "text/markdown", Rules{Overlap: &none}, "markdown/2 target=450 overlap=0 limit=256 breadcrumb" + prose, nil},
		{"all", "text/plain", Rules{Strategy: "fixed", Target: 99, Overlap: &much, Breadcrumb: &no}, "fixed/2 target=99 overlap=40 limit=256 bare", nil},
		{"no such strategy", "text/plain", Rules{Strategy: "semantic"}, "", corpus.ErrInvalid},
		{"negative size", "text/plain", Rules{Target: -1}, "", corpus.ErrInvalid},
		{"huge size", "text/plain", Rules{Target: MaxTarget + 1}, "", corpus.ErrInvalid},
		{"negative overlap", "text/plain", Rules{Overlap: &minus}, "", corpus.ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			choice, err := For(c.mediaType, c.rules)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			if got := choice.Recipe(256); got != c.want {
				t.Errorf("recipe %q, want %q", got, c.want)
			}
			d := choice.Decide(plain("Some words."))
			d.Options.Limit, d.Options.Count = 256, count
			mustChunk(t, d.Strategy, plain("Some words."), d.Options)
		})
	}
}

func TestStrategyNames(t *testing.T) {
	for _, name := range Names() {
		if got, err := byName(name); err != nil || got.Name() != name {
			t.Errorf("%q is not found by its name: %v", name, err)
		}
	}
}
