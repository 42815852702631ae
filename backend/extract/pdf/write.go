package pdf

import (
	"fmt"
	"strconv"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// write builds the document of its pages.
func write(b *extract.Builder, pages []page, outline []bookmark, declared int) {
	w := writer{b: b, pages: pages}
	lines := w.lines()
	w.words = newVocabulary(lines)
	list := paragraphs(lines)
	levels := headings(list, outline)
	for i, p := range list {
		w.marksBefore(p[0].page)
		w.paragraph(p, levels[i])
	}
	w.marksBefore(len(pages) + 1)
	w.report(declared)
}

// writer writes one document.
type writer struct {
	b      *extract.Builder
	pages  []page
	words  vocabulary
	marked int // pages whose marks are written
	left   int // lines of furniture left out
}

// lines are the document's lines without furniture.
func (w *writer) lines() []line {
	region, table := 0, 0
	byPage := make([][]line, len(w.pages))
	for i := range w.pages {
		byPage[i] = linesOf(&w.pages[i], &region, &table)
	}
	drop := furniture(w.pages, byPage)
	var list []line
	for i := range byPage {
		for j, l := range byPage[i] {
			if drop[i][j] {
				w.left++
				continue
			}
			list = append(list, l)
		}
	}
	return list
}

// at sets the place of what follows.
func (w *writer) at(first, last int) {
	w.b.Place = corpus.Anchor{Page: first, PageLabel: w.pages[first-1].label}
	if last > first {
		w.b.Place.PageEnd = last
	}
}

func (w *writer) paragraph(p paragraph, level int) {
	w.at(p[0].page, p[len(p)-1].page)
	if p[0].table > 0 {
		w.table(p)
		return
	}
	text, places := w.words.text(p)
	if level > 0 {
		w.b.Heading(level, text)
	} else {
		w.b.Paragraph(text)
	}
	w.b.Lines(places)
}

// table writes the rows of a table.
func (w *writer) table(p paragraph) {
	w.b.Break()
	before := w.b.Len()
	for _, l := range p {
		w.b.Row(extract.Row{Cells: l.cells})
	}
	w.b.Break()
	text := w.b.Last()
	if w.b.Len() == before {
		return
	}
	var places []corpus.Line
	start := 0
	for i, row := range strings.Split(text, "\n") {
		if i < len(p) {
			places = append(places, corpus.Line{Start: start, End: start + len(row), Box: boxOn(p[i].page, p[i].box)})
		}
		start += len(row) + 1
	}
	w.b.Lines(places)
}

// marksBefore writes the notes and form values of the pages before a page.
func (w *writer) marksBefore(page int) {
	for ; w.marked < min(page-1, len(w.pages)); w.marked++ {
		p := &w.pages[w.marked]
		for _, m := range p.marks {
			w.at(p.number, p.number)
			w.b.Quote(m.text)
			if m.box != (corpus.Box{}) {
				w.b.Lines([]corpus.Line{{End: len(w.b.Last()), Box: boxOn(p.number, m.box)}})
			}
		}
	}
}

// report says how well the pages could be read.
func (w *writer) report(declared int) {
	r := &w.b.Report
	r.Pages = len(w.pages)
	var failed, garbled, rescued []int
	runes, bad := 0, 0.0
	for _, p := range w.pages {
		r.Hidden += p.hidden
		switch {
		case p.failed:
			failed = append(failed, p.number)
		case len(p.segments) == 0 && len(p.marks) == 0 && p.drawn:
			r.NoTextPages = append(r.NoTextPages, p.number)
		}
		n := 0
		for _, s := range p.segments {
			n += len(s.text)
		}
		runes += n
		bad += p.garble * float64(n)
		if p.garble >= corpus.GarbledFrom {
			garbled = append(garbled, p.number)
		}
		if p.rescued {
			rescued = append(rescued, p.number)
		}
	}
	if runes > 0 {
		r.Garble = float64(int(100*bad/float64(runes))) / 100
	}
	w.note(garbled, "is garbled: its fonts do not say which letters they show", "are garbled: their fonts do not say which letters they show")
	w.note(rescued, "was read by the second reader", "were read by the second reader")
	w.note(failed, "is damaged and was left out", "are damaged and were left out")
	if declared > len(w.pages) {
		w.b.Note("the document declares %s pages; those after page %s are missing", number(declared), number(len(w.pages)))
	}
	if w.left > 0 {
		w.b.Note("%s repeated headers, footers and page numbers were left out", number(w.left))
	}
}

// note remarks on pages.
func (w *writer) note(pages []int, one, several string) {
	switch {
	case len(pages) == 1:
		w.b.Note("page %d %s", pages[0], one)
	case len(pages) > 1:
		w.b.Note("pages %s %s", list(pages), several)
	}
}

// list names pages: "2–5, 9 and 12 more".
func list(pages []int) string {
	const most = 8
	var parts []string
	for i := 0; i < len(pages); {
		if len(parts) == most {
			return fmt.Sprintf("%s and %s more", strings.Join(parts, ", "), number(len(pages)-i))
		}
		j := i
		for j+1 < len(pages) && pages[j+1] == pages[j]+1 {
			j++
		}
		part := number(pages[i])
		if j > i {
			part += "–" + number(pages[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// number writes a number with thousands separators.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
