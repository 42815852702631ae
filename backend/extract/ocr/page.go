package ocr

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// paragraph is recognised text with the place of each of its lines.
type paragraph struct {
	text  string
	lines []corpus.Line
}

// recognised are the paragraphs of a page.
type recognised struct {
	page       int
	paragraphs []paragraph
}

const (
	// sure is the confidence in percent below which a word is left out, and
	// surer that of a paragraph: pictures are full of such words.
	sure  = 20
	surer = 45
)

// parse reads tesseract's table of words: level, page, block, paragraph, line
// and word, then left, top, width and height in pixels, confidence, text. scale
// is points a pixel. Lines that are no words are skipped.
func parse(tsv string, page int, scale float32) []paragraph {
	var list []paragraph
	var now builder
	var at, atLine string
	flush := func() {
		if p, ok := now.done(); ok {
			list = append(list, p)
		}
		now = builder{}
	}
	for row := range strings.SplitSeq(tsv, "\n") {
		f := strings.SplitN(row, "\t", 12)
		if len(f) < 12 || f[0] != "5" {
			continue
		}
		text := strings.ReplaceAll(extract.Clean(f[11]), "\n", " ")
		box, ok := boxOf(f[6:10], page, scale)
		confidence, err := strconv.ParseFloat(f[10], 64)
		if text == "" || !ok || err != nil || confidence < sure {
			continue
		}
		if p := f[2] + "/" + f[3]; p != at {
			flush()
			at, atLine = p, ""
		}
		line := f[2] + "/" + f[3] + "/" + f[4]
		now.word(text, box, confidence, line != atLine)
		atLine = line
	}
	flush()
	return list
}

func boxOf(f []string, page int, scale float32) (corpus.Box, bool) {
	var v [4]float32
	for i, s := range f {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > 1<<20 {
			return corpus.Box{}, false
		}
		v[i] = float32(n) * scale
	}
	round := func(x float32) float32 { return float32(math.Round(float64(x)*10) / 10) }
	return corpus.Box{Page: page, X0: round(v[0]), Y0: round(v[1]), X1: round(v[0] + v[2]), Y1: round(v[1] + v[3])}, true
}

// builder joins the words of a paragraph.
type builder struct {
	text  strings.Builder
	lines []corpus.Line
	words int
	sum   float64 // of confidences
}

func (b *builder) word(text string, box corpus.Box, confidence float64, newLine bool) {
	if b.text.Len() > 0 {
		b.text.WriteByte(' ')
	}
	start := b.text.Len()
	b.text.WriteString(text)
	b.words++
	b.sum += confidence
	if newLine || len(b.lines) == 0 {
		b.lines = append(b.lines, corpus.Line{Start: start, End: b.text.Len(), Box: box})
		return
	}
	l := &b.lines[len(b.lines)-1]
	l.End = b.text.Len()
	l.Box.X0, l.Box.Y0 = min(l.Box.X0, box.X0), min(l.Box.Y0, box.Y0)
	l.Box.X1, l.Box.Y1 = max(l.Box.X1, box.X1), max(l.Box.Y1, box.Y1)
}

func (b *builder) done() (paragraph, bool) {
	if b.words == 0 || b.sum < surer*float64(b.words) {
		return paragraph{}, false
	}
	return paragraph{b.text.String(), b.lines}, true
}

// merge puts recognised pages among the blocks of a document, behind what
// stands on the pages before. read is in the order of pages.
func merge(doc *corpus.Extraction, read []recognised) *corpus.Extraction {
	if len(read) == 0 {
		return doc
	}
	out := *doc
	out.Blocks = nil
	var text strings.Builder
	var above []string // headings over what comes next
	apart := func() {
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
	}
	insert := func(r recognised) {
		for _, p := range r.paragraphs {
			apart()
			start := text.Len()
			text.WriteString(p.text)
			out.Blocks = append(out.Blocks, corpus.Block{
				Kind: corpus.BlockParagraph, Start: start, End: text.Len(), Lines: p.lines,
				Anchor: corpus.Anchor{Page: r.page, Headings: above},
			})
		}
	}
	for _, b := range doc.Blocks {
		for len(read) > 0 && read[0].page < b.Anchor.Page {
			insert(read[0])
			read = read[1:]
		}
		apart()
		own := doc.Text[b.Start:b.End]
		b.Start = text.Len()
		text.WriteString(own)
		b.End = text.Len()
		out.Blocks = append(out.Blocks, b)
		above = b.Anchor.Headings
		if b.Kind == corpus.BlockHeading {
			above = append(slices.Clip(above), b.Title)
		}
	}
	for _, r := range read {
		insert(r)
	}
	out.Text = text.String()
	return &out
}
