package office

import (
	"slices"
	"strings"

	"ibid/backend/extract"
)

// maxColumns is the largest number of columns of a table that are read.
const maxColumns = 1000

// emit writes a node of the body.
func (d *word) emit(n node) error {
	if n.table != nil {
		d.emitTable(n.table)
	} else {
		d.emitParagraph(n.paragraph)
	}
	return d.b.Err()
}

func (d *word) emitParagraph(p *paragraph) {
	s := d.styles[p.style]
	level := p.level
	if level == 0 {
		level = s.level
	}
	blank := strings.TrimSpace(p.text) == ""
	num := d.numbering(p)
	depth, marker, listed := 0, "", false
	if !blank { // word processors count no empty paragraph
		depth, marker, listed = d.lists.next(num)
	}
	switch {
	case blank:
	case strings.HasPrefix(s.name, "toc "):
		d.b.Note("the table of contents was left out")
	case level > 0:
		d.b.Heading(level, strings.TrimSpace(strings.TrimPrefix(marker, "-")+" "+p.text))
	case listed && marker != "":
		if depth == 0 && num.list != d.list {
			d.b.Break()
		}
		d.list = num.list
		d.b.Item(depth, marker, p.text)
	case strings.Contains(s.name, "quote"):
		d.b.Quote(p.text)
	default:
		d.b.Paragraph(p.text)
	}
	d.emitAttached(p)
}

// numbering is the paragraph's own, else its style's.
func (d *word) numbering(p *paragraph) numbering {
	if p.num.list != "" {
		return p.num
	}
	return d.styles[p.style].num
}

// emitAttached writes what is anchored in a paragraph.
func (d *word) emitAttached(p *paragraph) {
	for _, n := range p.boxes {
		_ = d.emit(n) // the builder keeps its error
	}
	for _, note := range p.notes {
		d.b.Quote(note)
	}
}

// emitTable writes a table; one that only arranges text becomes the text.
func (d *word) emitTable(t *table) {
	if d.layout(t) {
		for _, row := range t.rows {
			for _, c := range row.cells {
				for _, n := range c.nodes {
					_ = d.emit(n)
				}
			}
		}
		return
	}
	d.b.Break()
	headers := len(t.rows) > 1 && !t.rows[0].header // then the first row is one
	above := map[int]string{}                       // text by column
	for i, row := range t.rows {
		var cells []string
		for _, c := range row.cells {
			column := len(cells)
			text := d.flatAll(c.nodes)
			if c.merged {
				text = above[column]
			}
			above[column] = text
			cells = append(cells, text)
			cells = append(cells, slices.Repeat([]string{""}, max(c.span-1, 0))...)
			if len(cells) > maxColumns {
				cells = cells[:maxColumns]
				break
			}
		}
		header := headers && i == 0 || row.header && i+1 < len(t.rows)
		d.b.Row(extract.Row{Cells: cells, Header: header})
	}
	d.b.Break()
	for _, row := range t.rows {
		for _, c := range row.cells {
			d.attachedIn(c.nodes)
		}
	}
}

// attachedIn writes what is anchored in the paragraphs of a cell.
func (d *word) attachedIn(nodes []node) {
	for _, n := range nodes {
		if n.paragraph != nil {
			d.emitAttached(n.paragraph)
			continue
		}
		for _, row := range n.table.rows {
			for _, c := range row.cells {
				d.attachedIn(c.nodes)
			}
		}
	}
}

// layout reports whether a table arranges text and does not list facts: it has
// one column, or a cell with a table or with more text than a cell of facts.
func (d *word) layout(t *table) bool {
	single := true
	for _, row := range t.rows {
		single = single && len(row.cells) <= 1
		for _, c := range row.cells {
			length := 0
			for _, n := range c.nodes {
				if n.table != nil {
					return true
				}
				length += len(n.paragraph.text)
			}
			if length > extract.MaxCell {
				return true
			}
		}
	}
	return single
}

func (d *word) flatAll(nodes []node) string {
	parts := make([]string, 0, len(nodes))
	for _, n := range nodes {
		if s := d.flat(n); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// flat is a node's text in a line, without what is anchored in it.
func (d *word) flat(n node) string {
	if p := n.paragraph; p != nil {
		if strings.TrimSpace(p.text) == "" {
			return ""
		}
		if _, marker, ok := d.lists.next(d.numbering(p)); ok && marker != "" {
			return marker + " " + p.text
		}
		return p.text
	}
	var parts []string
	for _, row := range n.table.rows {
		for _, c := range row.cells {
			if s := d.flatAll(c.nodes); s != "" {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, " ")
}
