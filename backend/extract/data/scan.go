package data

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// record is one record of a CSV file: text[start:end], its line end included.
// A blank line is a record without fields.
type record struct {
	start, end, fields int
}

const (
	// maxCell is the longest quoted cell in bytes. A quote that is not closed
	// within it is a character like others.
	maxCell = 64 << 10
	// maxOpen is how many quotes may be found open before quoting is given up.
	maxOpen = 20
)

// scanner divides CSV as RFC 4180 and its many readers do: quotes count only at
// the start of a cell, and a quote within one need not be doubled.
type scanner struct {
	text  string
	delim byte
	open  int // quotes that were never closed
}

// next returns the record at pos.
func (s *scanner) next(pos int) record {
	r := record{start: pos}
	if strings.TrimSpace(s.line(pos)) == "" {
		r.end = pos + len(s.line(pos))
		return r
	}
	for {
		r.fields++
		pos = s.cell(pos)
		if pos >= len(s.text) || s.text[pos] == '\n' {
			r.end = min(pos+1, len(s.text))
			return r
		}
		pos++ // the delimiter
	}
}

// line is the line at pos.
func (s *scanner) line(pos int) string {
	if i := strings.IndexByte(s.text[pos:], '\n'); i >= 0 {
		return s.text[pos : pos+i+1]
	}
	return s.text[pos:]
}

// cell returns where the cell at pos ends: at a delimiter, a line end, or the
// end of the text.
func (s *scanner) cell(pos int) int {
	if pos < len(s.text) && s.text[pos] == '"' && s.open < maxOpen {
		limit := min(len(s.text), pos+maxCell)
		for i := pos + 1; i < limit; i++ {
			switch {
			case s.text[i] != '"':
			case i+1 < len(s.text) && s.text[i+1] == '"':
				i++
			case i+1 == len(s.text) || s.text[i+1] == s.delim || s.text[i+1] == '\n':
				return i + 1
			}
		}
		s.open++
	}
	for pos < len(s.text) && s.text[pos] != s.delim && s.text[pos] != '\n' {
		pos++
	}
	return pos
}

// cells returns the texts of a record's cells without their quotes.
func (s *scanner) cells(r record) []string {
	var list []string
	for pos := r.start; len(list) < r.fields; pos++ {
		end := s.cell(pos)
		list = append(list, strings.TrimSpace(strings.Trim(s.text[pos:end], `"`)))
		pos = end
	}
	return list
}

// records divides the text, or its first most records.
func (s *scanner) records(most int) []record {
	list := make([]record, 0, min(most, strings.Count(s.text, "\n")+1))
	for pos := 0; pos < len(s.text) && len(list) < most; {
		r := s.next(pos)
		list = append(list, r)
		pos = r.end
	}
	return list
}

// sample is how many records decide about delimiter and width.
const sample = 100

// delimiterOf returns the delimiter with which most of the first records have
// the same number of fields, more than one; of equals the one with more fields.
func delimiterOf(text string) byte {
	best, bestShare, bestWidth := byte(','), 0.0, 0
	for _, d := range []byte(",;\t|") {
		s := &scanner{text: text, delim: d}
		width, share := width(s.records(sample))
		if width > 1 && (share > bestShare || share == bestShare && width > bestWidth) {
			best, bestShare, bestWidth = d, share, width
		}
	}
	return best
}

// width is the most frequent number of fields and the share of records with it.
func width(records []record) (fields int, share float64) {
	count, total := map[int]int{}, 0
	for _, r := range records[:min(len(records), sample)] {
		if r.fields > 0 {
			count[r.fields]++
			total++
		}
	}
	for n, c := range count {
		if c > count[fields] || c == count[fields] && n > fields {
			fields = n
		}
	}
	if total == 0 {
		return 0, 0
	}
	return fields, float64(count[fields]) / float64(total)
}

// maxPreamble is how many lines may stand before the header.
const maxPreamble = 20

// tableStart returns the first record that is not blank and not of a preamble:
// lines with another number of fields than the table has.
func tableStart(records []record) int {
	fields, _ := width(records)
	filled := slices.IndexFunc(records, func(r record) bool { return r.fields > 0 })
	wide := slices.IndexFunc(records, func(r record) bool { return r.fields == fields })
	if fields > 1 && wide <= maxPreamble {
		return wide
	}
	return filled
}

// isHeader reports cells that name columns: words or years, at least half of
// them filled.
func isHeader(cells []string) bool {
	filled := 0
	for _, c := range cells {
		if c == "" {
			continue
		}
		filled++
		year, err := strconv.Atoi(c)
		if !strings.ContainsFunc(c, unicode.IsLetter) && (err != nil || year < 1900 || year > 2100) {
			return false
		}
	}
	return filled*2 >= len(cells)
}
