package chunk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func TestAnchors(t *testing.T) {
	w := newWriter(8)
	var text strings.Builder
	doc := &corpus.Extraction{}
	for page := 1; page <= 9; page++ {
		start := text.Len()
		first := w.sentence()
		text.WriteString(first + " " + w.sentence())
		doc.Blocks = append(doc.Blocks, corpus.Block{Kind: corpus.BlockParagraph, Start: start, End: text.Len(), Anchor: corpus.Anchor{
			Page: page, LineStart: 10 * page, LineEnd: 10*page + 1, Headings: []string{"Outline"},
		}, Lines: []corpus.Line{
			{End: len(first), Box: corpus.Box{Page: page, Y0: 1}},
			{Start: len(first) + 1, End: text.Len() - start, Box: corpus.Box{Page: page, Y0: 2}},
		}})
		text.WriteString("\n\n")
	}
	doc.Text = text.String()
	opt := options(Sentence(), 160)
	opt.Overlap = 0
	chunks := mustChunk(t, Sentence(), doc, opt)
	if len(chunks) < 2 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, c := range chunks {
		var pages []int
		var boxes []corpus.Box
		for _, b := range doc.Blocks {
			for _, l := range b.Lines {
				if b.Start+l.Start < c.Location.End && b.Start+l.End > c.Location.Start {
					pages = append(pages, l.Box.Page)
					boxes = append(boxes, l.Box)
				}
			}
		}
		first, last := pages[0], pages[len(pages)-1]
		want := corpus.Anchor{
			Page: first, Boxes: boxes,
			LineStart: 10 * first, LineEnd: 10*last + 1, Headings: []string{"Outline"},
		}
		if last > first {
			want.PageEnd = last
		}
		if d := cmp.Diff(want, c.Location.Anchor); d != "" {
			t.Errorf("chunk %d: %s", i, d)
		}
	}
}
