package pdf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// edge is the share of a page's height at its top and bottom in which
	// running headers and footers stand.
	edge = .12
	// edgeLines is how many lines there may be furniture at each edge.
	edgeLines = 3
	// running is how many pages a header is on at least, and the share of the
	// pages on both sides of it.
	running = 3
)

// furniture tells which lines of a document are running headers, footers and
// page numbers: it sets false for what is to stay. Of a running header the
// first one stays.
func furniture(pages []page, lines [][]line) [][]bool {
	drop := make([][]bool, len(lines))
	seen := map[string][]place{}
	for i := range lines {
		drop[i] = make([]bool, len(lines[i]))
		for _, j := range edges(lines[i], pages[i].height) {
			text := lines[i][j].text
			for _, k := range []string{pattern(text, i), literal + text} {
				seen[k] = append(seen[k], place{i, j})
			}
		}
	}
	for k, list := range seen {
		list = runs(list, lines)
		if len(list) < running {
			continue
		}
		for n, at := range list {
			// The number of a page says nothing, even once.
			counts := !strings.HasPrefix(k, literal) && !hasWords(k)
			drop[at.page][at.line] = drop[at.page][at.line] || n > 0 || counts
		}
	}
	return drop
}

// literal begins the key of lines that are alike letter by letter.
const literal = "= "

// place is a line of a page.
type place struct{ page, line int }

// edges are the lines at the top and the bottom of a page.
func edges(lines []line, height float32) []int {
	var list []int
	top, bottom := 0, 0
	for i, l := range lines {
		if l.table > 0 && len(l.cells) > 3 {
			continue
		}
		switch {
		case l.box.Y1 < edge*height:
			top++
			list = append(list, i)
		case l.box.Y0 > (1-edge)*height:
			bottom++
			list = append(list, i)
		}
	}
	if top > edgeLines && bottom > edgeLines { // the page is small
		return nil
	}
	kept := list[:0]
	for _, i := range list {
		if above := lines[i].box.Y1 < edge*height; above && top <= edgeLines || !above && bottom <= edgeLines {
			kept = append(kept, i)
		}
	}
	return kept
}

// pattern is what a line has in common with those of other pages: its text, in
// which numbers that count the pages say how far they are ahead of them. Other
// numbers stay: "Invoice 4711" is no header.
func pattern(text string, page int) string {
	words := strings.Fields(strings.ToLower(text))
	count := 0
	for i, w := range words {
		bare := strings.Trim(w, ".,:|-–—()[]")
		n, err := strconv.Atoi(bare)
		switch {
		case err == nil && (i == 0 || i == len(words)-1 || pageWord(words[i-1])) && count == 0:
			words[i] = fmt.Sprintf("#%+d", n-page)
			count++
		case err == nil && count > 0 && isOf(words[i-1]):
			words[i] = "#" // "of 12"
		case isRoman(bare) && len(words) == 1:
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}

func pageWord(w string) bool {
	return slices.Contains([]string{"page", "p.", "seite", "s.", "página", "pagina", "strona", "-", "–", "|"}, w)
}

func isOf(w string) bool { return slices.Contains([]string{"of", "/", "von", "de", "di", "z"}, w) }

// isRoman reports whether a text is a small Roman numeral.
func isRoman(s string) bool {
	return s != "" && len(s) <= 8 && strings.Trim(s, "ivxlc") == ""
}

// hasWords reports whether a pattern says more than the number of a page.
func hasWords(pattern string) bool {
	for w := range strings.FieldsSeq(pattern) {
		if !strings.HasPrefix(w, "#") && !pageWord(w) && !isOf(w) && strings.ContainsFunc(w, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// runs are the places at which a pattern stands at about the same height, on
// pages not far from each other.
func runs(list []place, lines [][]line) []place {
	var best []place
	var now []place
	for i, at := range list {
		if i > 0 {
			before := list[i-1]
			y := lines[at.page][at.line].box.Y0 - lines[before.page][before.line].box.Y0
			if at.page-before.page > 3 || at.page == before.page || max(y, -y) > 12 {
				if len(now) > len(best) {
					best = now
				}
				now = nil
			}
		}
		now = append(now, at)
	}
	if len(now) > len(best) {
		best = now
	}
	if len(best) > 0 && utf8.RuneCountInString(lines[best[0].page][best[0].line].text) > 200 {
		return nil
	}
	return best
}
