package chunk

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// ranked returns the ranked units of a text.
func ranked(t *testing.T, doc *corpus.Extraction) *divider {
	t.Helper()
	opt := options(Markdown(), 256)
	b, err := newBudget(opt, false)
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDivider(doc, Markdown().grammar, b, opt.Breadcrumb)
	if err == nil {
		err = d.splitRegions()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.rankBoundaries()
	return d
}

// Winners lie at least a radius apart, chunks end at them, and a text before
// them moves none but the first ones.
func TestWinners(t *testing.T) {
	const radius = 150
	w := newWriter(1)
	var text strings.Builder
	for range 600 {
		text.WriteString(w.sentence() + " ")
	}
	opt := options(Markdown(), 256)
	opt.Overlap = 0
	winners := func(text string) (rests []string) {
		d := ranked(t, plain(text))
		last := -radius
		for _, i := range d.winners(radius) {
			u := d.units[i]
			if u.before-last < radius {
				t.Errorf("winners are %d tokens apart", u.before-last)
			}
			last = u.before
			rests = append(rests, text[u.start:])
		}
		starts := map[string]bool{}
		for _, c := range mustChunk(t, Markdown(), plain(text), opt) {
			starts[text[c.Location.Start:]] = true
		}
		missed := 0
		for _, rest := range rests {
			if !starts[rest] {
				missed++
			}
		}
		if missed > len(rests)/10 {
			t.Errorf("%d of %d winners start no chunk", missed, len(rests))
		}
		return rests
	}
	one := winners(text.String())
	two := winners(w.sentence() + " " + w.sentence() + " " + text.String())
	if len(one) < 20 {
		t.Fatalf("%d winners", len(one))
	}
	if d := cmp.Diff(one[2:], two[len(two)-len(one)+2:]); d != "" {
		t.Error(d)
	}
}

// What belongs together is parted only where nothing else can be.
func TestGlue(t *testing.T) {
	text := "# Heading\n\nText.\n\n```go\n" + strings.Repeat("call(a, b, c)\n", 80) + "```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n" +
		strings.Repeat("Text. ", 300)
	d := ranked(t, outlineText(text))
	for _, c := range []struct {
		at   string
		glue bool
	}{
		{"Text.", true},
		{"```go", false},
		{"call(", true},
		{"```\n\n|", true},
		{"|---", true},
		{"| 1", true},
		{"| 3", false},
	} {
		i := slices.IndexFunc(d.units, func(u unit) bool { return strings.HasPrefix(text[u.start:], c.at) })
		if i < 0 {
			t.Fatalf("no boundary before %q", c.at)
		}
		if glue := d.units[i].level == levelGlue; glue != c.glue {
			t.Errorf("boundary before %q has level %d", c.at, d.units[i].level)
		}
	}
}

func TestWeaken(t *testing.T) {
	w := newWriter(3)
	long := w.sentence() + " " + w.sentence() + " " + w.sentence() + " " + w.sentence() + "\n\n"
	text := "# One\n\n" + long + long + "Short.\n\n# Two\n\n" + long + "As follows:\n\n- item\n- item\n\n" + long + long + "End."
	d := ranked(t, outlineText(text))
	for _, c := range []struct {
		at   string
		weak bool
	}{
		{"Short.", true}, // a short rest before the section
		{"# Two", false},
		{"As follows", false},
		{"- item", true}, // announced
		{"End.", true},   // a short rest before the end
	} {
		i := slices.IndexFunc(d.units, func(u unit) bool { return strings.HasPrefix(text[u.start:], c.at) })
		if i < 0 {
			t.Fatalf("no boundary before %q", c.at)
		}
		if weak := d.units[i].level == levelWeak; weak != c.weak {
			t.Errorf("boundary before %q has level %d", c.at, d.units[i].level)
		}
	}
}
