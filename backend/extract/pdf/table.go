package pdf

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"ibid/backend/corpus"
)

const (
	// minRows is how many rows of several cells make a table.
	minRows = 3
	// maxCell is the mean length of a table's cells in characters; what is
	// longer is text that only stands side by side.
	maxCell = 60
	// between is how many rows of one cell may stand between others: the second
	// lines of their cells.
	between = 2
)

// table is a run of rows in which the same upright strips are free.
type table struct {
	start, end int // rows
	free       []strip
}

// tables finds the tables of a region.
func tables(rows []row) []table {
	var list []table
	for i := 0; i < len(rows); {
		if t, ok := tableAt(rows, i); ok {
			list = append(list, t)
			i = t.end
			continue
		}
		i++
	}
	return list
}

// tableAt returns the table that begins with a row.
func tableAt(rows []row, start int) (table, bool) {
	if len(rows[start]) < 2 {
		return table{}, false
	}
	t := table{start: start, end: start, free: spaces(rows[start])}
	full, single, cells, runes := 0, 0, 0, 0
	for i := start; i < len(rows); i++ {
		r := rows[i]
		if i > start && !follows(rows[i-1], r) {
			break
		}
		left := narrow(t.free, r)
		if len(left) == 0 {
			break
		}
		if len(r) < 2 {
			if single++; single > between {
				break
			}
			continue
		}
		t.free, t.end, single = left, i+1, 0
		full++
		for _, c := range r {
			cells++
			runes += utf8.RuneCountInString(c.text)
		}
	}
	// Rows of one cell did not narrow the strips, but do not cross all of them.
	return t, full >= minRows && runes <= maxCell*cells
}

// cells divides a row by the strips.
func (t table) cells(r row) []string {
	cells := make([]string, len(t.free)+1)
	for _, s := range r {
		column := 0
		for column < len(t.free) && s.box.X0 >= t.free[column].from {
			column++
		}
		if cells[column] != "" {
			cells[column] += " "
		}
		cells[column] += s.text
	}
	return cells
}

// follows reports whether a row stands below another one, not far away.
func follows(above, below row) bool {
	a, b := extent(above), extent(below)
	return b.Y0 > a.Y0 && b.Y0-a.Y1 < 2.5*(a.Y1-a.Y0)
}

// strip is an upright strip of a page.
type strip struct{ from, to float32 }

// minStrip is how wide a strip between columns is at least, in points.
const minStrip = 3

// spaces are the strips between the cells of a row.
func spaces(r row) []strip {
	sorted := slices.Clone(r)
	slices.SortStableFunc(sorted, func(a, b segment) int { return cmp.Compare(a.box.X0, b.box.X0) })
	var list []strip
	for i := 1; i < len(sorted); i++ {
		if s := (strip{sorted[i-1].box.X1, sorted[i].box.X0}); s.to-s.from >= minStrip {
			list = append(list, s)
		}
	}
	return list
}

// narrow takes from strips what a row's cells cover.
func narrow(strips []strip, r row) []strip {
	for _, c := range r {
		var left []strip
		for _, s := range strips {
			if c.box.X1 <= s.from || c.box.X0 >= s.to {
				left = append(left, s)
				continue
			}
			for _, part := range []strip{{s.from, c.box.X0}, {c.box.X1, s.to}} {
				if part.to-part.from >= minStrip {
					left = append(left, part)
				}
			}
		}
		strips = left
	}
	return strips
}

func extent(r row) corpus.Box {
	var box corpus.Box
	for _, s := range r {
		box = union(box, s.box)
	}
	return box
}
