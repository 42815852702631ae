package chunk

import (
	"strings"

	"ibid/backend/corpus"
)

// locator finds the anchors of the chunks of a document, in order and in one
// pass over the text.
type locator struct {
	doc   *corpus.Extraction
	first int // first block that may reach into the next chunk

	chunk lineCounter
	block lineCounter
	rows  rows
}

// lineCounter counts line ends before a place. Places must not go back.
type lineCounter struct {
	text       string
	pos, count int
}

func (l *lineCounter) at(pos int) int {
	if pos > l.pos {
		l.count += strings.Count(l.text[l.pos:pos], "\n")
		l.pos = pos
	}
	return l.count
}

// rows tells where the body of a table stands, as lines of the text.
type rows struct {
	block       int // index, from 1
	body, end   int // without white space
	first, last int // lines
}

// locate fills in the anchor of the chunk at a location.
func (l *locator) locate(loc *corpus.Location) {
	own := l.doc.Text[loc.Start:loc.End]
	start := loc.Start + leadingSpace(own)
	end := start + len(strings.TrimSpace(own))
	blocks := l.doc.Blocks
	for l.first < len(blocks) && blocks[l.first].End <= start {
		l.first++
	}
	line := l.chunk.at(start)
	a := &loc.Anchor
	for i := l.first; i < len(blocks) && blocks[i].Start < end; i++ {
		b := blocks[i].Anchor
		if len(blocks[i].Lines) > 0 {
			b = onPages(blocks[i], start, end)
		}
		if b.RowStart > 0 {
			b.RowStart, b.RowEnd = l.part(i, max(start, blocks[i].Start), min(end, blocks[i].End))
		}
		merge(a, b)
	}
	if l.doc.FirstLine > 0 {
		a.LineStart = l.doc.FirstLine + line
		a.LineEnd = l.doc.FirstLine + l.chunk.at(end-1)
	}
}

// onPages is the anchor of a block's part in text[start:end]: the pages and
// boxes of its lines there.
func onPages(b corpus.Block, start, end int) corpus.Anchor {
	a := b.Anchor
	first := true
	for _, line := range b.Lines {
		if b.Start+line.Start >= end || b.Start+line.End <= start {
			continue
		}
		if page := line.Box.Page; first {
			first = false
			if page != a.Page {
				a.PageLabel = ""
			}
			a.Page, a.PageEnd = page, 0
		} else if page > a.Page {
			a.PageEnd = page
		}
		a.Boxes = append(a.Boxes, line.Box)
	}
	return a
}

// part returns the rows of text[start:end] within table i: its lines, where
// the table has one for each row, else all its rows.
func (l *locator) part(i, start, end int) (first, last int) {
	b := &l.doc.Blocks[i]
	if l.rows.block != i+1 {
		r := rows{block: i + 1, body: b.Start + b.Header}
		r.body += leadingSpace(l.doc.Text[r.body:b.End])
		r.end = r.body + len(strings.TrimSpace(l.doc.Text[r.body:b.End]))
		r.first, r.last = l.block.at(r.body), l.block.at(r.end)
		l.rows = r
	}
	first, last = b.Anchor.RowStart, b.Anchor.RowEnd
	if last-(l.rows.last-l.rows.first) < first {
		return first, last
	}
	if start >= l.rows.body {
		first = last - (l.rows.last - l.chunk.at(start))
	}
	return first, max(first, last-(l.rows.last-l.chunk.at(min(end, l.rows.end))))
}

// merge widens a by b. Sheets and slides share no chunk.
func merge(a *corpus.Anchor, b corpus.Anchor) {
	if a.Page == 0 {
		a.Page, a.PageLabel = b.Page, b.PageLabel
	}
	if end := max(b.Page, b.PageEnd); end > max(a.Page, a.PageEnd) {
		a.PageEnd = end
	}
	a.Boxes = append(a.Boxes, b.Boxes...)
	if b.LineStart > 0 {
		if a.LineStart == 0 {
			a.LineStart = b.LineStart
		}
		a.LineEnd = max(a.LineEnd, b.LineStart, b.LineEnd)
	}
	if a.Sheet == "" {
		a.Sheet = b.Sheet
	}
	if b.RowStart > 0 {
		if a.RowStart == 0 {
			a.RowStart = b.RowStart
		}
		a.RowEnd = max(a.RowEnd, b.RowEnd)
	}
	if a.Slide == 0 {
		a.Slide = b.Slide
	}
}
