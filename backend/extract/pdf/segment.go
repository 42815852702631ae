package pdf

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lineHyphen is what pdfium makes of a hyphen at the end of a line, whose end
// it then leaves out.
const lineHyphen = 0x02

// gap is the space beyond which a line is in two segments, in heights of its
// characters: that of columns and cells.
const gap = 1.0

// segmenter makes segments of characters in the order in which they are painted.
type segmenter struct {
	list []segment
	now  segment
	text strings.Builder
	last glyph
	line int
	// space: white space came since the last character.
	space bool
}

func (s *segmenter) add(g glyph) {
	switch {
	case g.r == '\r' || g.r == '\n':
		s.newLine()
	case g.r == lineHyphen || g.r == 0xfffe:
		if s.text.Len() > 0 {
			s.text.WriteByte('-')
			s.now.hyphen = true
		}
		s.newLine()
	case g.r == 0xad: // a soft hyphen is seen only at the end of a line
		s.now.hyphen = s.text.Len() > 0
	case g.r == 0 || unicode.Is(unicode.Cc, g.r):
	case unicode.IsSpace(g.r):
		s.space = s.text.Len() > 0
	default:
		s.visible(g)
	}
}

func (s *segmenter) newLine() {
	s.flush()
	s.line++
}

func (s *segmenter) visible(g glyph) {
	if s.text.Len() > 0 && !near(s.last, g) {
		s.flush()
	}
	if s.text.Len() == 0 {
		s.now = segment{line: s.line, size: g.size, bold: g.bold}
	}
	s.now.hyphen = false
	s.now.bold = s.now.bold && g.bold
	if s.space {
		s.text.WriteByte(' ')
		s.space = false
	}
	if g.r == lam && s.last.box == g.box && slices.Contains(alefs, s.last.r) {
		s.swap()
	} else {
		writeRune(&s.text, g.r)
	}
	s.now.box = union(s.now.box, g.box)
	s.last = g
}

// lam and alef in one glyph are given in the order in which they stand, from
// left to right, unlike all others.
const lam = 'ل'

var alefs = []rune("اأإآ")

// swap writes lam before the alef that was written last.
func (s *segmenter) swap() {
	text := strings.TrimSuffix(s.text.String(), string(s.last.r))
	s.text.Reset()
	s.text.WriteString(text)
	s.text.WriteRune(lam)
	s.text.WriteRune(s.last.r)
}

// near reports whether b may continue what a ends: beside it in either
// direction, or, in vertical text, below or above.
func near(a, b glyph) bool {
	x := apart(a.box.X0, a.box.X1, b.box.X0, b.box.X1)
	y := apart(a.box.Y0, a.box.Y1, b.box.Y0, b.box.Y1)
	height := max(a.box.Y1-a.box.Y0, b.box.Y1-b.box.Y0)
	width := max(a.box.X1-a.box.X0, b.box.X1-b.box.X0)
	return y < 0 && x < gap*height || x < 0 && y < gap*width
}

func (s *segmenter) flush() {
	if s.text.Len() > 0 {
		s.now.text = s.text.String()
		s.list = append(s.list, s.now)
	}
	s.text.Reset()
	s.space = false
}

// done returns the segments.
func (s *segmenter) done() []segment {
	s.flush()
	return s.list
}

// writeRune writes ligatures and Arabic presentation forms as the letters that
// they show, so that words are found.
func writeRune(b *strings.Builder, r rune) {
	if r >= 0xfb00 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc {
		b.WriteString(norm.NFKC.String(string(r)))
		return
	}
	b.WriteRune(r)
}
