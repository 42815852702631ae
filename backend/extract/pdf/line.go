package pdf

import (
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// line is a line of text as it is read.
type line struct {
	text   string
	cells  []string // of a table's row; else nil
	box    corpus.Box
	size   float32
	page   int
	region int // of the document
	table  int // of the document, from 1; 0: none
	hyphen bool
	bold   bool
}

// row is what stands on one line of a region.
type row []segment

// linesOf reads a page's lines. The numbers of regions and tables go on from
// those of the pages before.
func linesOf(p *page, region, tableCount *int) []line {
	var list []line
	for _, r := range arrange(p.segments) {
		*region++
		rows := rowsOf(p.segments, r)
		at := 0
		add := func(end int) {
			for ; at < end; at++ {
				if l := newLine(rows[at], p.number, *region); l.text != "" {
					list = append(list, l)
				}
			}
		}
		for _, t := range tables(rows) {
			add(t.start)
			*tableCount++
			first := len(list)
			add(t.end)
			for i := first; i < len(list); i++ {
				list[i].table = *tableCount
				list[i].cells = t.cells(rows[t.start+i-first])
			}
		}
		add(len(rows))
	}
	return list
}

// rowsOf joins the segments of a region that stand side by side and follow each
// other.
func rowsOf(segments []segment, r region) []row {
	var rows []row
	for n, i := range r {
		s := segments[i]
		if n > 0 && beside(rows[len(rows)-1], s) {
			rows[len(rows)-1] = append(rows[len(rows)-1], s)
			continue
		}
		rows = append(rows, row{s})
	}
	for i := range rows {
		rows[i] = joinMarker(rows[i])
	}
	return rows
}

// joinMarker makes one segment of a list's bullet or number and what it marks:
// they are no columns of a table.
func joinMarker(r row) row {
	if len(r) < 2 || !startsItem(r[0].text+" ") || utf8.RuneCountInString(r[0].text) > 4 {
		return r
	}
	s := r[1]
	s.text = r[0].text + " " + s.text
	s.box = union(r[0].box, s.box)
	s.bold = s.bold && r[0].bold
	return append(row{s}, r[2:]...)
}

// beside reports whether a segment continues a row: it is of the same line, or
// at the same height behind its end.
func beside(r row, s segment) bool {
	last := r[len(r)-1]
	if last.hyphen {
		return false
	}
	if last.line == s.line {
		return true
	}
	overlap := -apart(last.box.Y0, last.box.Y1, s.box.Y0, s.box.Y1)
	least := min(last.box.Y1-last.box.Y0, s.box.Y1-s.box.Y0)
	return overlap > .6*least && s.box.X0 >= last.box.X1-.2*last.size
}

func newLine(r row, page, region int) line {
	l := line{page: page, region: region, bold: true}
	parts := make([]string, 0, len(r))
	longest := 0
	for _, s := range r {
		parts = append(parts, s.text)
		l.box = union(l.box, s.box)
		l.bold = l.bold && s.bold
		l.hyphen = s.hyphen
		if len(s.text) > longest { // a large initial does not make a large line
			longest, l.size = len(s.text), s.size
		}
	}
	l.text = strings.ReplaceAll(extract.Clean(strings.Join(parts, " ")), "\n", " ")
	return l
}
