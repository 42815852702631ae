package extract

import (
	"strings"
	"unicode"
)

// findTable finds a GFM table in a paragraph: where it begins and the length
// of its header, which is the first two lines if rows follow. A table ends with
// its paragraph.
func findTable(paragraph string) (start, header int, ok bool) {
	paragraph = strings.TrimRightFunc(paragraph, unicode.IsSpace)
	before := 0
	for pos := lineEnd(paragraph, 0); pos < len(paragraph); {
		next := lineEnd(paragraph, pos)
		n := delimiters(paragraph[pos:next])
		if head := paragraph[before:pos]; n > 0 && n == cells(head) && !isBlank(head) {
			if next < len(paragraph) {
				header = next - before
			}
			return before, header, true
		}
		before, pos = pos, next
	}
	return 0, 0, false
}

// delimiters returns the number of columns of a delimiter row, 0 if line is none.
func delimiters(line string) int {
	line = strings.TrimSpace(line)
	if strings.Trim(line, "|-: \t") != "" || !strings.Contains(line, "|") {
		return 0
	}
	row := strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	n := 0
	for cell := range strings.SplitSeq(row, "|") {
		cell = strings.TrimSpace(cell)
		cell = strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if cell == "" || strings.Trim(cell, "-") != "" {
			return 0
		}
		n++
	}
	return n
}

// cells returns the number of cells of a table row.
func cells(line string) int {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	n := 1
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			if i+1 < len(line) {
				n++
			}
		}
	}
	return n
}
