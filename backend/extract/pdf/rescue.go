package pdf

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	second "github.com/ledongthuc/pdf"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// rescue reads pages whose text is missing or garbled a second time, with
// another reader that takes fonts for something else where they do not say what
// they are. It is much worse in general, may hang or exhaust its stack, and is
// used only where the process may end (see extract.Risk).
func rescue(ctx context.Context, data []byte, pages []page) {
	var sick []*page
	for i := range pages {
		p := &pages[i]
		p.garble = garble(p.text())
		if p.painted && len(p.segments) == 0 || p.garble >= corpus.GarbledFrom {
			sick = append(sick, p)
		}
	}
	if len(sick) == 0 || !extract.Risk(ctx) {
		return
	}
	r, err := openSecond(data)
	if err != nil {
		return // it is of no help
	}
	for _, p := range sick {
		if ctx.Err() != nil {
			return
		}
		segments, err := readSecond(r, p)
		if err != nil {
			continue
		}
		if better := (&page{segments: segments}); cleaner(better.text(), p.text()) {
			p.segments, p.rescued, p.garble = segments, true, garble(better.text())
		}
	}
}

// cleaner reports whether text reads better than other by so much that it is to
// be taken.
func cleaner(text, other string) bool {
	score := garble(text)
	if other == "" {
		return text != "" && score < corpus.GarbledFrom
	}
	return len(text) > len(other)/3 && score < garble(other)-.1
}

// text is all text of a page in the order in which it is painted.
func (p *page) text() string {
	var b strings.Builder
	for i := range p.segments {
		b.WriteString(p.segments[i].text)
		b.WriteByte('\n')
	}
	return b.String()
}

func openSecond(data []byte) (r *second.Reader, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("second reader: %v", p)
		}
	}()
	return second.NewReader(bytes.NewReader(data), int64(len(data)))
}

// usualSize stands in for a font's size, in points.
const usualSize = 10

// readSecond reads a page's text with its places.
func readSecond(r *second.Reader, p *page) (list []segment, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("second reader: %v", p)
		}
	}()
	content := r.Page(p.number).Content()
	var s segmenter
	for _, t := range content.Text {
		size := float32(t.FontSize)
		if size <= 0 { // of turned text it is not told
			size = usualSize
		}
		x, y := float32(t.X), float32(t.Y)
		width := float32(t.W)
		if width <= 0 { // the font does not say
			width = .5 * size * float32(utf8.RuneCountInString(t.S))
		}
		box := p.shown.box(x, y-.2*size, x+width, y+.8*size)
		if s.text.Len() > 0 {
			switch {
			case apart(s.last.box.Y0, s.last.box.Y1, box.Y0, box.Y1) > -.3*size && !near(s.last, glyph{box: box}):
				s.newLine()
			case apart(s.last.box.X0, s.last.box.X1, box.X0, box.X1) > .2*size:
				s.space = true
			}
		}
		for _, r := range t.S {
			if takesRoom(r) {
				s.add(glyph{r: r, box: box, size: size})
			} else {
				s.space = s.text.Len() > 0
			}
		}
	}
	return s.done(), nil
}
