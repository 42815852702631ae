package pdf

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// region is a part of a page that is read from top to bottom: a column, or
// what stands above, below or between columns. It holds indexes of segments.
type region []int

const (
	// minColumn is how many segments a column has at least.
	minColumn = 4
	// proseRunes is the mean length of a column's segments. Cells are shorter:
	// tables are read by rows.
	proseRunes = 14
	// proseFill is the mean share of a column's width that its segments take.
	proseFill = .45
	// spanning is the share of segments that may cross a gutter: headings and
	// figures over all columns.
	spanning = 5
	// maxColumns bounds the depth of the recursion.
	maxColumns = 6
)

// arrange divides a page into regions in reading order. Documents mostly paint
// their text in that order, and know better than any rule; geometry decides
// only where the order goes back and forth between columns.
func arrange(segments []segment) []region {
	all := make(region, len(segments))
	for i := range all {
		all[i] = i
	}
	columns := divide(segments, all, 0)
	if len(columns) < 2 {
		return []region{all}
	}
	of := make([]int, len(segments))
	for r, list := range columns {
		for _, i := range list {
			of[i] = r
		}
	}
	var painted []region
	for i := range segments {
		if i == 0 || of[i] != of[i-1] {
			painted = append(painted, nil)
		}
		last := len(painted) - 1
		painted[last] = append(painted[last], i)
	}
	if len(painted) <= 2*len(columns) {
		return painted
	}
	return columns
}

// divide divides a region by its gutters.
func divide(segments []segment, all region, depth int) []region {
	gutter, ok := findGutter(segments, all)
	if !ok || depth >= maxColumns {
		return []region{all}
	}
	byHeight := slices.Clone(all)
	slices.SortStableFunc(byHeight, func(a, b int) int {
		return cmp.Compare(segments[a].box.Y0+segments[a].box.Y1, segments[b].box.Y0+segments[b].box.Y1)
	})
	var parts []region
	var whole, left, right region // whole: read as one
	inOrder := func(r region) region { slices.Sort(r); return r }
	flush := func() {
		if len(whole) > 0 {
			parts = append(parts, inOrder(whole))
			whole = nil
		}
	}
	band := func() {
		if prose(segments, left) && prose(segments, right) {
			flush()
			sides := []region{inOrder(left), inOrder(right)}
			if rightToLeft(segments, all) {
				slices.Reverse(sides)
			}
			for _, side := range sides {
				parts = append(parts, divide(segments, side, depth+1)...)
			}
		} else {
			whole = append(append(whole, left...), right...)
		}
		left, right = nil, nil
	}
	for _, i := range byHeight {
		switch b := segments[i].box; {
		case b.X1 <= gutter:
			left = append(left, i)
		case b.X0 >= gutter:
			right = append(right, i)
		default:
			band()
			whole = append(whole, i)
		}
	}
	band()
	flush()
	if len(parts) == 1 {
		return []region{all}
	}
	return parts
}

// prose reports whether segments are the lines of a column of text.
func prose(segments []segment, list region) bool {
	if len(list) < minColumn {
		return false
	}
	box := segments[list[0]].box
	runes, width := 0, float32(0)
	for _, i := range list {
		s := &segments[i]
		box = union(box, s.box)
		runes += utf8.RuneCountInString(s.text)
		width += s.box.X1 - s.box.X0
	}
	n := len(list)
	return runes >= proseRunes*n && width >= proseFill*float32(n)*(box.X1-box.X0)
}

// maxBins is the width of the widest page that is looked at, in points.
const maxBins = 15_000

// findGutter looks for the upright strip that the fewest segments cross.
func findGutter(segments []segment, list region) (float32, bool) {
	if len(list) < 2*minColumn {
		return 0, false
	}
	box, heights := segments[list[0]].box, make([]float32, 0, len(list))
	for _, i := range list {
		box = union(box, segments[i].box)
		heights = append(heights, segments[i].size)
	}
	slices.Sort(heights)
	need := max(6, int(.6*heights[len(heights)/2]))
	n := int(box.X1 - box.X0)
	if n < 60 || n > maxBins {
		return 0, false
	}
	crossing := make([]int, n+2)
	for _, i := range list {
		b := segments[i].box
		crossing[min(n, max(0, int(b.X0-box.X0)))]++
		crossing[min(n, max(0, int(b.X1-box.X0)))+1]--
	}
	for i := 1; i < len(crossing); i++ {
		crossing[i] += crossing[i-1]
	}
	allowed := len(list) / spanning
	for most := 0; most <= allowed; most += max(1, allowed/8) {
		if middle, ok := widest(crossing, most, need); ok {
			return box.X0 + middle, true
		}
	}
	return 0, false
}

// widest finds the middle of the widest strip that at most so many segments
// cross. The margins of the region are none.
func widest(crossing []int, most, need int) (float32, bool) {
	best, at, run := 0, 0, 0
	margin := len(crossing) / 8
	for i := margin; i < len(crossing)-margin; i++ {
		if crossing[i] > most {
			run = 0
			continue
		}
		if run++; run > best {
			best, at = run, i
		}
	}
	return float32(at) - float32(best)/2, best >= need
}

// rightToLeft reports whether most letters are of a script written so.
func rightToLeft(segments []segment, list region) bool {
	right, letters := 0, 0
	for _, i := range list {
		for _, r := range segments[i].text {
			if !unicode.IsLetter(r) {
				continue
			}
			letters++
			if p, _ := bidi.LookupRune(r); p.Class() == bidi.R || p.Class() == bidi.AL {
				right++
			}
		}
	}
	return 2*right > letters
}
