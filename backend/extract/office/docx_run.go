package office

import (
	"strconv"
	"strings"
	"unicode"

	"ibid/backend/extract"
	"ibid/backend/extract/xmlwalk"
)

// place tells where a paragraph stands.
type place struct {
	filled bool // before a ground of unknown colour: in a table or a text box
	shaded bool // before a ground that is not white
	hidden bool // by its paragraph's style
}

func (d *word) paragraph(w *xmlwalk.Walker, at place) (*paragraph, error) {
	p := &paragraph{}
	var text strings.Builder
	err := d.runs(w, at, p, &text)
	p.text = text.String()
	return p, err
}

// runs reads the content of a paragraph.
func (d *word) runs(w *xmlwalk.Walker, at place, p *paragraph, text *strings.Builder) error {
	return w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "pPr":
			err := d.paragraphStyle(w, p, &at)
			at.hidden = d.styles[p.style].hidden
			return err
		case "r":
			return d.run(w, at, p, text)
		case "oMath":
			formula, err := readMath(w)
			text.WriteString(formula)
			return err
		case "del", "moveFrom", "Fallback":
			return nil
		}
		return d.runs(w, at, p, text)
	})
}

func (d *word) paragraphStyle(w *xmlwalk.Walker, p *paragraph, at *place) error {
	return w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "pStyle":
			p.style = e.Attr("val")
		case "outlineLvl":
			p.level = outlineLevel(e)
		case "numPr":
			p.num.style = p.style
			return readNumbering(w, &p.num)
		case "shd":
			at.shaded = shaded(e)
		}
		return nil
	})
}

// run reads a run: text of one look. What is hidden, or white on white, or
// too small for any eye, is counted and dropped.
func (d *word) run(w *xmlwalk.Walker, at place, p *paragraph, text *strings.Builder) error {
	hidden, white, shade := at.hidden, false, at.shaded || at.filled
	var own strings.Builder
	var content func(e xmlwalk.Element) error
	content = func(e xmlwalk.Element) error {
		switch e.Name {
		case "rPr":
			return w.Children(func(e xmlwalk.Element) error {
				switch e.Name {
				case "vanish":
					hidden = on(e)
				case "rStyle":
					hidden = hidden || d.styles[e.Attr("val")].hidden
				case "color":
					white = strings.EqualFold(e.Attr("val"), "FFFFFF")
				case "shd":
					shade = shaded(e) || shade
				case "highlight":
					shade = true
				case "sz":
					if n, err := strconv.Atoi(e.Attr("val")); err == nil && n <= tinyHalfPoints {
						hidden = true
					}
				}
				return nil
			})
		case "t":
			t, err := w.Text()
			own.WriteString(t)
			return err
		case "tab", "ptab":
			own.WriteByte('\t')
		case "br", "cr":
			own.WriteByte('\n')
		case "noBreakHyphen":
			own.WriteByte('-')
		case "sym":
			own.WriteString(symbol(e))
		case "footnoteReference", "endnoteReference":
			kind := strings.TrimSuffix(e.Name, "Reference") + "s"
			if note := d.notes[kind][e.Attr("id")]; note != "" {
				own.WriteString("[^" + e.Attr("id") + "]")
				p.notes = append(p.notes, note)
			}
		case "commentReference":
			if note := d.notes["comments"][e.Attr("id")]; note != "" {
				p.notes = append(p.notes, note)
			}
		case "chart":
			nodes, err := d.chartNodes(e.AttrIn("relationships", "id"))
			p.boxes = append(p.boxes, nodes...)
			return err
		case "relIds":
			lines, err := d.diagram(d.rels.target(e.AttrIn("relationships", "dm")))
			for _, line := range lines {
				p.boxes = append(p.boxes, node{paragraph: &paragraph{text: line}})
			}
			return err
		case "txbxContent":
			at := place{filled: true}
			return d.blocks(w, at, func(n node) error {
				p.boxes = append(p.boxes, n)
				return nil
			})
		case "delText", "instrText", "Fallback", "rt", "del", "moveFrom":
		default:
			return w.Children(content)
		}
		return nil
	}
	if err := w.Children(content); err != nil {
		return err
	}
	if s := own.String(); hidden || white && !shade {
		d.b.Hide(extract.Clean(s))
	} else {
		text.WriteString(s)
	}
	return nil
}

// tinyHalfPoints is a font size, in half points, that no eye can read.
const tinyHalfPoints = 2

// shaded reports whether w:shd paints something other than white.
func shaded(e xmlwalk.Element) bool {
	fill := strings.ToUpper(e.Attr("fill"))
	return fill != "" && fill != "AUTO" && fill != "FFFFFF"
}

// symbol is a character of a symbol font, which stand in the private use area.
// Only what is a character of its own can be told; the rest is a sign.
func symbol(e xmlwalk.Element) string {
	n, err := strconv.ParseUint(e.Attr("char"), 16, 32)
	if err != nil {
		return ""
	}
	if r := rune(n); n < 0xe000 && unicode.IsPrint(r) {
		return string(r)
	}
	return "•"
}

func columns(e xmlwalk.Element) int {
	n, err := strconv.Atoi(e.Attr("val"))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxColumns)
}

func isLetter(r rune) bool { return unicode.IsLetter(r) }
