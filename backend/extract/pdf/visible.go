package pdf

import (
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"ibid/backend/corpus"
)

// visibility looks at the style of a page's text, and tells which characters a
// reader sees: not those beside the page, without size or colour, or white on
// white. Text that is painted in the invisible mode stays: it is what a
// scanner's text recognition lays under the picture of a page.
type visibility struct {
	document *document
	text     references.FPDF_TEXTPAGE
	ref      requests.Page
	m        matrix

	size   float32 // of the font of what is read now
	bold   bool
	height float32 // of the character of which these are
	line   int     // of that character, from 1

	pale     bool // the colour of what is read now is white or none
	none     bool // it is none
	grounds  []corpus.Box
	searched bool
}

// minSize is the height below which text is not to be read, in points.
const minSize = .8

// seen reports whether character i is. The colour is asked for at the start
// of segments, and from word to word where it is white.
func (v *visibility) seen(i int, g glyph, s *segmenter) bool {
	w, h := v.m.size()
	if g.box.X1 <= 0 || g.box.Y1 <= 0 || g.box.X0 >= w || g.box.Y0 >= h {
		return false
	}
	if g.box.Y1-g.box.Y0 < minSize && g.box.X1-g.box.X0 < minSize && !v.hasShape(i) {
		return false
	}
	if s.text.Len() == 0 || s.space && v.pale || !near(s.last, g) {
		v.colour(i)
		if h := g.box.Y1 - g.box.Y0; v.line != s.line+1 || h > 1.02*v.height || h < .98*v.height {
			v.font(i, h)
			v.height, v.line = h, s.line+1
		}
	}
	return !v.none && (!v.pale || v.grounded(g.box))
}

// hasShape looks at the character itself: some fonts do not tell how tall they are.
func (v *visibility) hasShape(i int) bool {
	b, err := v.document.lib.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: v.text, Index: i})
	return err == nil && (b.Top-b.Bottom >= minSize/2 || b.Right-b.Left >= minSize/2)
}

// white is the least value of each component of a colour that is taken for white.
const white = 250

func (v *visibility) colour(i int) {
	c, err := v.document.lib.FPDFText_GetFillColor(&requests.FPDFText_GetFillColor{TextPage: v.text, Index: i})
	// A pattern is no colour, and is seen.
	v.none = err == nil && c.A == 0
	v.pale = err == nil && c.R >= white && c.G >= white && c.B >= white
}

// font finds the size and weight of a character's font. The size is scaled by
// the text's matrix; where that says nothing, the character's height stands in.
func (v *visibility) font(i int, height float32) {
	lib := v.document.lib
	v.size, v.bold = height, false
	size, err := lib.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: v.text, Index: i})
	if err != nil {
		return
	}
	m, err := lib.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: v.text, Index: i})
	if err != nil {
		return
	}
	scaled := float32(size.FontSize * math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D)))
	if scaled > height/4 && scaled < 4*height {
		v.size = scaled
	}
	if name, err := lib.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: v.text, Index: i}); err == nil {
		v.bold = boldFont(name.FontName, name.Flags)
	}
}

// boldFont goes by a font's name, and by the flag ForceBold (ISO 32000-1, table 123).
func boldFont(name string, flags int) bool {
	const forceBold = 1 << 18
	name = strings.ToLower(name)
	for _, weight := range []string{"bold", "black", "heavy", "medi", "cmbx", "sfbx"} {
		if strings.Contains(name, weight) {
			return true
		}
	}
	return flags&forceBold != 0
}

// grounded reports whether something that is not white lies under a box.
func (v *visibility) grounded(b corpus.Box) bool {
	if !v.searched {
		v.searched = true
		v.document.objects(v.ref, func(o object) bool {
			if o.kind != kindText && !o.white {
				v.grounds = append(v.grounds, v.m.box(o.left, o.bottom, o.right, o.top))
			}
			return true
		})
	}
	x, y := (b.X0+b.X1)/2, (b.Y0+b.Y1)/2
	for _, g := range v.grounds {
		if g.X0 <= x && x <= g.X1 && g.Y0 <= y && y <= g.Y1 {
			return true
		}
	}
	return false
}

// object is something painted on a page.
type object struct {
	kind                     enums.FPDF_PAGEOBJ
	left, bottom, right, top float32
	white                    bool // it paints nothing, or white
}

const kindText = enums.FPDF_PAGEOBJ_TEXT

// maxObjects is how many objects of a page are looked at.
const maxObjects = 5000

// objects calls f with the objects of a page until it returns false. What
// stands within a form object counts as one with it.
func (d *document) objects(ref requests.Page, f func(object) bool) {
	count, err := d.lib.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: ref})
	if err != nil {
		return
	}
	for i := range min(count.Count, maxObjects) {
		got, err := d.lib.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: ref, Index: i})
		if err != nil {
			continue
		}
		o, ok := d.object(got.PageObject)
		if ok && !f(o) {
			return
		}
	}
}

func (d *document) object(ref references.FPDF_PAGEOBJECT) (object, bool) {
	kind, err := d.lib.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: ref})
	if err != nil {
		return object{}, false
	}
	o := object{kind: kind.Type}
	if o.kind == kindText {
		return o, true
	}
	bounds, err := d.lib.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: ref})
	if err != nil {
		return object{}, false
	}
	o.left, o.bottom, o.right, o.top = bounds.Left, bounds.Bottom, bounds.Right, bounds.Top
	if o.kind == enums.FPDF_PAGEOBJ_PATH {
		mode, err := d.lib.FPDFPath_GetDrawMode(&requests.FPDFPath_GetDrawMode{PageObject: ref})
		if err != nil || mode.FillMode == enums.FPDF_FILLMODE_NONE {
			o.white = true
			return o, true
		}
		fill, err := d.lib.FPDFPageObj_GetFillColor(&requests.FPDFPageObj_GetFillColor{PageObject: ref})
		if err == nil {
			c := fill.FillColor
			o.white = c.A == 0 || c.R >= white && c.G >= white && c.B >= white
		}
	}
	return o, true
}
