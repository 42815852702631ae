package chunk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func TestBreadcrumb(t *testing.T) {
	w := newWriter(2)
	body := ""
	for count(body) < 400 {
		body += w.paragraph() + "\n\n"
	}
	text := "# Book\n\n" + body + "## Chapter\n\n" + body + "### Part of the chapter with quite a long name\n\n" + body + "## Other\n\n" + body
	all := [][]string{nil, {"Chapter"}, {"Chapter", "Part of the chapter with quite a long name"}, {"Other"}}
	for _, c := range []struct {
		name  string
		limit int
		edit  func(d *corpus.Extraction, o *Options)
		title string
		want  [][]string // of the chunks that start in a section's text, in order
	}{
		{"all", 128, func(*corpus.Extraction, *Options) {}, "Book", all},
		{"none", 128, func(_ *corpus.Extraction, o *Options) { o.Breadcrumb = false }, "Book", [][]string{nil}},
		{
			"other title", 128, func(d *corpus.Extraction, _ *Options) { d.Title = "A title" }, "A title",
			[][]string{{"Book"}, {"Book", "Chapter"}, {"Book", "Chapter", "Part of the chapter with quite a long name"}, {"Book", "Other"}},
		},
		{
			"outermost left out", 56, func(*corpus.Extraction, *Options) {}, "Book",
			[][]string{nil, {"Chapter"}, {"Part of the chapter with quite a long name"}, {"Other"}},
		},
		{
			"innermost cut", 40, func(*corpus.Extraction, *Options) {}, "Book",
			[][]string{nil, {"Chapter"}, {"Part of the chapter with…"}, {"Other"}},
		},
		{
			"long title", 64, func(d *corpus.Extraction, o *Options) { d.Title = strings.Repeat("word ", 30); o.Breadcrumb = false },
			strings.TrimSpace(strings.Repeat("word ", 15)) + "…",
			[][]string{nil},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, opt := outlineText(text), options(Markdown(), c.limit)
			c.edit(doc, &opt)
			var got [][]string
			for _, chunk := range mustChunk(t, Markdown(), doc, opt) {
				heading := strings.HasPrefix(chunk.Content, "#")
				if want := c.title; chunk.Title != want && (!strings.HasPrefix(chunk.Content, "# Book") || chunk.Title != "") {
					t.Errorf("title %q, want %q", chunk.Title, want)
				}
				if !heading && (len(got) == 0 || !cmp.Equal(got[len(got)-1], chunk.Breadcrumb)) {
					got = append(got, chunk.Breadcrumb)
				}
				if own, _, _ := strings.Cut(strings.TrimLeft(chunk.Content, "# "), "\n"); heading && chunk.Location.Headings[len(chunk.Location.Headings)-1] != own {
					t.Errorf("chunk %d begins with %q and says to stand under %q", chunk.Index, own, chunk.Location.Headings)
				}
				above := chunk.Location.Headings
				if len(above) > 0 && !strings.Contains(text[:chunk.Location.End], "# "+above[len(above)-1]) {
					t.Errorf("chunk %d says to stand under %q", chunk.Index, above)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// C2: headings without text are kept.
func TestHeadingsOnly(t *testing.T) {
	text := strings.Repeat("# Part\n\n## Chapter of it\n\n", 100)
	for _, s := range Strategies() {
		var all strings.Builder
		for _, c := range mustChunk(t, s, outlineText(text), options(s, 64)) {
			all.WriteString(c.Content + "\n")
		}
		if got := strings.Count(all.String(), "## Chapter of it"); got != 100 {
			t.Errorf("%s: %d of 100 headings", s.Name(), got)
		}
	}
}

// No strategy parts a heading from its text.
func TestHeadingsKeepTheirText(t *testing.T) {
	w := newWriter(11)
	var text strings.Builder
	for range 300 {
		text.WriteString("# Heading\n\n" + w.sentence() + "\n\n")
	}
	for _, s := range []Strategy{Markdown(), Sentence(), Recursive()} {
		for i, c := range mustChunk(t, s, outlineText(text.String()), options(s, 128)) {
			if strings.HasSuffix(c.Content, "# Heading") {
				t.Errorf("%s: chunk %d ends in a heading", s.Name(), i)
			}
		}
	}
}

// Sections that only anchors tell, as from a PDF's outline, share no overlap.
func TestOverlapOfOutline(t *testing.T) {
	w := newWriter(12)
	doc := &corpus.Extraction{}
	for i := range 30 {
		start := len(doc.Text)
		doc.Text += w.sentence() + " " + w.sentence()
		doc.Blocks = append(doc.Blocks, corpus.Block{
			Kind: corpus.BlockParagraph, Start: start, End: len(doc.Text),
			Anchor: corpus.Anchor{Headings: []string{string(rune('A' + i))}},
		})
		doc.Text += "\n\n"
	}
	for i, c := range mustChunk(t, Markdown(), doc, options(Markdown(), 128)) {
		if own := strings.TrimSpace(doc.Text[c.Location.Start:c.Location.End]); c.Content != own && !strings.Contains(own, "\n") {
			t.Errorf("chunk %d repeats another section: %q", i, strings.TrimSuffix(c.Content, own))
		}
	}
}

// A section starts a chunk, and no chunk ends in a heading or a lead-in.
func TestSectionsStartChunks(t *testing.T) {
	w := newWriter(4)
	var text strings.Builder
	sections := 40
	for i := range sections {
		text.WriteString("## Section\n\n")
		for range 3 + i%5 {
			text.WriteString(w.sentence() + " " + w.sentence() + "\n\nAs follows:\n\n- " + w.sentence() + "\n\n")
		}
	}
	chunks := mustChunk(t, Markdown(), outlineText(text.String()), options(Markdown(), 256))
	starts := 0
	for i, c := range chunks {
		if strings.HasPrefix(c.Content, "## Section") {
			starts++
		}
		if strings.HasSuffix(c.Content, "## Section") || strings.HasSuffix(c.Content, ":") {
			t.Errorf("chunk %d ends in %q", i, c.Content[max(0, len(c.Content)-20):])
		}
	}
	if starts != sections {
		t.Errorf("%d of %d sections start a chunk", starts, sections)
	}
}
