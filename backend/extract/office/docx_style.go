package office

import (
	"strconv"
	"strings"

	"ibid/backend/extract/xmlwalk"
)

// style is what this package asks of a paragraph or character style.
type style struct {
	name   string // lower case
	base   string
	level  int // of headings, from 1; 0: none
	num    numbering
	hidden bool
}

// numbering is a place in a numbered or bulleted list.
type numbering struct {
	list  string // numId; "": in no list; "0": expressly in none
	level int    // from 0; -1: that of the list to which style belongs
	style string // the paragraph style that says so
}

// maxBases bounds a chain of styles, which may be a circle.
const maxBases = 20

// readStyles reads styles.xml.
func readStyles(p *opc, part string) (map[string]style, error) {
	styles := map[string]style{}
	err := p.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			if e.Name != "style" {
				return nil
			}
			id, s := e.Attr("styleId"), style{}
			err := w.Children(func(e xmlwalk.Element) error {
				switch e.Name {
				case "name":
					s.name = strings.ToLower(e.Attr("val"))
				case "basedOn":
					s.base = e.Attr("val")
				case "pPr":
					return w.Children(func(e xmlwalk.Element) error {
						switch e.Name {
						case "outlineLvl":
							s.level = outlineLevel(e)
						case "numPr":
							s.num.style = id
							return readNumbering(w, &s.num)
						}
						return nil
					})
				case "rPr":
					return w.Children(func(e xmlwalk.Element) error {
						if e.Name == "vanish" {
							s.hidden = on(e)
						}
						return nil
					})
				}
				return nil
			})
			if s.level == 0 {
				s.level = levelByName(s.name)
			}
			styles[id] = s
			return err
		})
	})
	whole := make(map[string]style, len(styles))
	for id := range styles {
		whole[id] = inherit(styles, id)
	}
	return whole, err
}

// levelByName is the level of the styles that are headings by their name alone.
func levelByName(name string) int {
	if name == "title" {
		return 1
	}
	if n, ok := strings.CutPrefix(name, "heading "); ok {
		level, _ := strconv.Atoi(n) // 0 of another name
		return level
	}
	return 0
}

// inherit returns a style with what its bases give it.
func inherit(styles map[string]style, id string) style {
	s := styles[id]
	base := s.base
	for range maxBases {
		b, ok := styles[base]
		if !ok {
			break
		}
		if s.level == 0 {
			s.level = b.level
		}
		if s.num.list == "" {
			s.num = b.num
		}
		s.hidden = s.hidden || b.hidden
		base = b.base
	}
	return s
}

// outlineLevel reads w:outlineLvl: 0–8 are headings, 9 is body text.
func outlineLevel(e xmlwalk.Element) int {
	if n, err := strconv.Atoi(e.Attr("val")); err == nil && n >= 0 && n < 9 {
		return n + 1
	}
	return 0
}

func readNumbering(w *xmlwalk.Walker, n *numbering) error {
	n.level = -1
	return w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "numId":
			n.list = e.Attr("val")
		case "ilvl":
			n.level, _ = strconv.Atoi(e.Attr("val"))
		}
		return nil
	})
}

// on reads a toggle: present means on.
func on(e xmlwalk.Element) bool {
	switch e.Attr("val") {
	case "0", "false", "off":
		return false
	}
	return true
}
