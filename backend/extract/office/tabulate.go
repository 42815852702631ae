package office

import (
	"slices"

	"ibid/backend/extract"
)

// tabulator divides the rows of a sheet into tables with headers. It looks one
// row ahead and keeps nothing else, so that sheets of any length pass through.
//
// A table begins at the first row, after more than maxGap empty rows, or after
// fewer where a row of words follows rows with numbers. Its first row is the
// header if all its cells are words or years, another row follows at once, and
// it is filled about as well as that one; a sparse row of words above another
// row of words (groups of columns) is the first row of a header. A single cell
// above a table is its caption. What goes on after a wide gap without a header
// of its own repeats the header above.
type tabulator struct {
	b    *extract.Builder
	next *sheetRow // not written yet

	open    bool
	header  [][]string // of the last table
	heading bool       // the next row may belong to the header
	numbers bool       // a row of the table has a number
	last    int        // row number
}

// maxGap is how many empty rows a table may have within.
const maxGap = 2

// maxHeader is how many rows a header may have.
const maxHeader = 3

// add takes the next row.
func (t *tabulator) add(r sheetRow) {
	if t.next != nil {
		t.write(*t.next, &r)
	}
	t.next = &r
}

// flush writes the last row.
func (t *tabulator) flush() {
	if t.next != nil {
		t.write(*t.next, nil)
	}
	t.next = nil
	t.b.Break()
}

func (t *tabulator) write(r sheetRow, next *sheetRow) {
	if next != nil && next.number != r.number+1 {
		next = nil
	}
	gap := r.number - t.last - 1
	another := gap > 0 && next != nil && r.words && t.numbers
	if t.open && gap <= maxGap && !another {
		for n := t.last + 1; n < r.number; n++ {
			t.heading = false
			t.b.Row(extract.Row{Number: n})
		}
		t.row(r, t.heading && t.heads(r, next))
		return
	}
	t.b.Break()
	continues := t.open
	t.open, t.numbers = true, false
	filled, below := filledIn(r.cells), 0
	if next != nil {
		below = filledIn(next.cells)
	}
	above := t.header
	t.header = nil
	switch {
	case filled == 1 && below != 1: // a caption, or a cell for itself
		t.b.Place.RowStart, t.b.Place.RowEnd = r.number, r.number
		t.b.Paragraph(r.cells[len(r.cells)-1])
		t.b.Place.RowStart, t.b.Place.RowEnd = 0, 0
		t.open, t.last = false, r.number
	case filled > 1 && t.heads(r, next):
		t.row(r, true)
	case continues && len(above) > 0 && len(above[0]) == len(r.cells):
		for _, cells := range above {
			t.b.Row(extract.Row{Cells: cells, Header: true})
		}
		t.header = above
		t.row(r, false)
	default:
		t.row(r, false)
	}
}

// heads reports whether a row belongs to the header of the table.
func (t *tabulator) heads(r sheetRow, next *sheetRow) bool {
	t.heading = false
	if next == nil || !r.words || len(t.header) == maxHeader {
		return false
	}
	if filledIn(r.cells)*4 >= filledIn(next.cells)*3 {
		return true
	}
	t.heading = next.words
	return t.heading
}

func (t *tabulator) row(r sheetRow, header bool) {
	if header {
		t.header = append(t.header, slices.Clone(r.cells))
	}
	t.numbers = t.numbers || !r.words
	t.last = r.number
	t.b.Row(extract.Row{Cells: r.cells, Header: header, Number: r.number})
}

// filledIn is the number of cells with text.
func filledIn(cells []string) int {
	n := 0
	for _, c := range cells {
		if c != "" {
			n++
		}
	}
	return n
}
