package pdf

import (
	"ibid/backend/corpus"
)

// page is a page as it was read, before anything is made of it. Coordinates
// are points of the page as it is shown, from its top left corner.
type page struct {
	number        int // from 1
	label         string
	width, height float32
	shown         matrix
	segments      []segment
	marks         []mark
	hidden        int  // characters of text that nobody sees
	painted       bool // text was painted, even if it cannot be read
	drawn         bool // a page without text shows something
	failed        bool // the page cannot be read
	garble        float64
	rescued       bool // by the second reader
}

// glyph is a character on a page.
type glyph struct {
	r    rune
	box  corpus.Box
	size float32 // of its font, in points on the page
	bold bool
}

// segment is a run of characters in a line without a wide gap.
type segment struct {
	text string
	box  corpus.Box
	size float32 // of its font
	bold bool    // all of it
	line int     // lines are counted as the document paints them
	// hyphen: the line ends in the middle of a word.
	hyphen bool
}

// mark is what is attached to a page: a note, or a form's field.
type mark struct {
	text string
	box  corpus.Box
	form bool
}

// matrix turns a place on the page as it is stored into one as it is shown.
type matrix struct {
	left, bottom, right, top float32 // what is shown
	turns                    int     // clockwise, of 90°
}

func (m matrix) size() (width, height float32) {
	width, height = m.right-m.left, m.top-m.bottom
	if m.turns%2 == 1 {
		width, height = height, width
	}
	return width, height
}

// box turns a rectangle (ISO 32000-1, 7.9.5; table 30, Rotate).
func (m matrix) box(left, bottom, right, top float32) corpus.Box {
	x0, x1 := left-m.left, right-m.left
	y0, y1 := m.top-top, m.top-bottom
	w, h := m.right-m.left, m.top-m.bottom
	switch m.turns {
	case 1:
		x0, y0, x1, y1 = h-y1, x0, h-y0, x1
	case 2:
		x0, y0, x1, y1 = w-x1, h-y1, w-x0, h-y0
	case 3:
		x0, y0, x1, y1 = y0, w-x1, y1, w-x0
	}
	return corpus.Box{X0: min(x0, x1), Y0: min(y0, y1), X1: max(x0, x1), Y1: max(y0, y1)}
}

// union is the smallest box around two.
func union(a, b corpus.Box) corpus.Box {
	if a == (corpus.Box{}) {
		return b
	}
	return corpus.Box{X0: min(a.X0, b.X0), Y0: min(a.Y0, b.Y0), X1: max(a.X1, b.X1), Y1: max(a.Y1, b.Y1)}
}

// apart is the distance of two intervals, negative where they overlap.
func apart(a0, a1, b0, b1 float32) float32 { return max(b0-a1, a0-b1) }
