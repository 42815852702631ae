package office

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/xmlwalk"
)

// pptx extracts PresentationML (ECMA-376 part 1, 19): slide by slide, each
// with its title as heading, its speaker notes and comments marked.
type pptx struct{}

func (pptx) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	p, err := openPackage(ctx, in)
	if err != nil {
		return nil, err
	}
	main, rels, err := p.main()
	if err != nil {
		return nil, err
	}
	var slides []string
	err = p.walkMain(main, "presentation", func(w *xmlwalk.Walker) error {
		return w.Children(func(e xmlwalk.Element) error {
			if e.Name != "sldIdLst" {
				return nil
			}
			return w.Children(func(e xmlwalk.Element) error {
				slides = append(slides, rels.target(e.AttrIn("relationships", "id")))
				return nil
			})
		})
	})
	if err != nil {
		return nil, err
	}
	p.b.Report.Pages = len(slides)
	for i, part := range slides {
		p.b.Place.Slide = i + 1
		if !p.Has(part) {
			p.b.Note("slide %d is missing in the file", i+1)
			continue
		}
		if err := p.slide(part); err != nil {
			return nil, fmt.Errorf("slide %d: %w", i+1, err)
		}
	}
	if err := p.properties(); err != nil {
		return nil, err
	}
	return p.b.Done()
}

// slide writes a slide with what belongs to it.
func (p *opc) slide(part string) error {
	rels, err := p.relations(part)
	if err != nil {
		return err
	}
	s := &slide{opc: p, rels: rels}
	hidden := false
	err = p.walk(part, func(w *xmlwalk.Walker, root xmlwalk.Element) error {
		hidden = root.Attr("show") == "0" || root.Attr("show") == "false"
		return w.Children(func(e xmlwalk.Element) error {
			if e.Name != "cSld" {
				return nil
			}
			return s.shapes(w)
		})
	})
	if err != nil {
		return err
	}
	if hidden {
		for _, sh := range s.list {
			p.b.Hide(extract.Clean(sh.plain()))
		}
		p.b.Note("slide %d is hidden and was left out", p.b.Place.Slide)
		return nil
	}
	s.emit()
	if err := s.notes(); err != nil {
		return err
	}
	if err := s.comments(); err != nil {
		return err
	}
	return p.b.Err()
}

// slide is the reading of one slide.
type slide struct {
	*opc
	rels relations
	list []shape
}

// shape is a shape with text, in the order of the file.
type shape struct {
	role  string // placeholder type; "-" for none
	lines []line
	rows  [][]string // of a table
}

type line struct {
	text   string
	depth  int
	marker string // "" inherits
}

func (s shape) plain() string {
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
	}
	for _, row := range s.rows {
		b.WriteString(strings.Join(row, " ") + "\n")
	}
	return b.String()
}

// shapes reads a tree of shapes; groups are looked through.
func (s *slide) shapes(w *xmlwalk.Walker) error {
	return w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "sp", "graphicFrame":
			return s.shape(w)
		case "Fallback":
			return nil
		}
		return s.shapes(w)
	})
}

// shape reads a shape or a frame with a table, chart or diagram.
func (s *slide) shape(w *xmlwalk.Walker) error {
	sh, hidden := shape{role: "-"}, false
	var walk func(e xmlwalk.Element) error
	walk = func(e xmlwalk.Element) error {
		switch e.Name {
		case "cNvPr":
			hidden = e.Attr("hidden") == "1" || e.Attr("hidden") == "true"
		case "ph":
			if sh.role = e.Attr("type"); sh.role == "" {
				sh.role = "obj"
			}
		case "p":
			l, err := paragraphOf(w)
			if strings.TrimSpace(l.text) != "" {
				sh.lines = append(sh.lines, l)
			}
			return err
		case "tbl":
			rows, err := tableOf(w)
			sh.rows = append(sh.rows, rows...)
			return err
		case "chart":
			c, err := s.chart(s.rels.target(e.AttrIn("relationships", "id")))
			if c.title != "" {
				sh.lines = append(sh.lines, line{text: c.title})
			}
			sh.rows = append(sh.rows, c.rows...)
			return err
		case "relIds":
			lines, err := s.diagram(s.rels.target(e.AttrIn("relationships", "dm")))
			for _, text := range lines {
				sh.lines = append(sh.lines, line{text: text})
			}
			return err
		case "Fallback", "spPr", "style":
		default:
			return w.Children(walk)
		}
		return nil
	}
	err := w.Children(walk)
	if hidden {
		s.b.Hide(extract.Clean(sh.plain()))
		return err
	}
	s.list = append(s.list, sh)
	return err
}

// paragraphOf reads a DrawingML paragraph with its place in a list.
func paragraphOf(w *xmlwalk.Walker) (line, error) {
	var l line
	var b strings.Builder
	err := w.Children(func(e xmlwalk.Element) error {
		if e.Name == "pPr" {
			l.depth, _ = strconv.Atoi(e.Attr("lvl")) // 0 if it is not said
			return w.Children(func(e xmlwalk.Element) error {
				switch e.Name {
				case "buNone":
					l.marker = "none"
				case "buChar", "buBlip":
					l.marker = "-"
				case "buAutoNum":
					l.marker = "1."
				}
				return nil
			})
		}
		text, err := runOf(w, e)
		b.WriteString(text)
		return err
	})
	l.text = b.String()
	return l, err
}

// tableOf reads a DrawingML table. Cells that continue one above repeat it, so
// that each row stands for itself.
func tableOf(w *xmlwalk.Walker) ([][]string, error) {
	var rows [][]string
	err := w.Children(func(e xmlwalk.Element) error {
		if e.Name != "tr" {
			return nil
		}
		var cells []string
		err := w.Children(func(e xmlwalk.Element) error {
			if e.Name != "tc" || len(cells) >= maxColumns {
				return nil
			}
			text, err := runsOf(w)
			if column := len(cells); e.Attr("vMerge") == "1" && len(rows) > 0 && column < len(rows[len(rows)-1]) {
				text = rows[len(rows)-1][column]
			}
			cells = append(cells, text)
			return err
		})
		rows = append(rows, cells)
		return err
	})
	return rows, err
}

// emit writes the shapes: the title first, then the others in the order of the
// file. Dates, footers and slide numbers are no content.
func (s *slide) emit() {
	title := -1
	for i, sh := range s.list {
		if (sh.role == "title" || sh.role == "ctrTitle") && len(sh.lines) > 0 {
			title = i
			s.b.Heading(1, strings.TrimSpace(strings.ReplaceAll(sh.plain(), "\n", " ")))
			break
		}
	}
	if title < 0 {
		s.b.Section()
	}
	for i, sh := range s.list {
		switch {
		case i == title, sh.role == "dt", sh.role == "ftr", sh.role == "sldNum", sh.role == "hdr":
			continue
		}
		s.emitShape(sh)
	}
}

func (s *slide) emitShape(sh shape) {
	s.b.Break()
	// The master gives body placeholders bullets; a single paragraph is no list.
	bullets := (sh.role == "obj" || sh.role == "body") && len(sh.lines) > 1
	numbers := map[int]int{}
	for _, l := range sh.lines {
		marker := l.marker
		if marker == "" && (bullets || l.depth > 0) {
			marker = "-"
		}
		if marker == "1." {
			numbers[l.depth]++
			marker = fmt.Sprintf("%d.", numbers[l.depth])
		} else {
			delete(numbers, l.depth)
		}
		if marker == "" || marker == "none" {
			s.b.Paragraph(l.text)
		} else {
			s.b.Item(l.depth, marker, l.text)
		}
	}
	s.b.Break()
	for i, row := range sh.rows {
		s.b.Row(extract.Row{Cells: row, Header: i == 0 && len(sh.rows) > 1})
	}
}

// notes writes the speaker notes.
func (s *slide) notes() error {
	for _, part := range s.rels.of("notesSlide") {
		notes := &slide{opc: s.opc}
		err := s.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error { return notes.shapes(w) })
		if err != nil {
			return err
		}
		for _, sh := range notes.list {
			if sh.role == "body" {
				s.marked("[Speaker notes] ", sh.plain())
			}
		}
	}
	return nil
}

// comments writes the comments, old and new ones.
func (s *slide) comments() error {
	for _, part := range s.rels.of("comments") {
		err := s.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
			return w.Children(func(xmlwalk.Element) error { return s.comment(w) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// comment reads a comment; answers to it follow.
func (s *slide) comment(w *xmlwalk.Walker) error {
	var text strings.Builder
	var walk func(e xmlwalk.Element) error
	walk = func(e xmlwalk.Element) error {
		switch e.Name {
		case "text", "t":
			own, err := w.Text()
			text.WriteString(own)
			return err
		case "p":
			defer text.WriteByte('\n')
		case "reply":
			s.marked("[Comment] ", text.String())
			text.Reset()
			return s.comment(w)
		}
		return w.Children(walk)
	}
	err := w.Children(walk)
	s.marked("[Comment] ", text.String())
	return err
}

// marked writes a text that does not stand on the slide.
func (s *slide) marked(mark, text string) {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) }) {
		s.b.Quote(mark + text)
	}
}
