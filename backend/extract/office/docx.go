package office

import (
	"context"
	"path"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/web"
	"ibid/backend/extract/xmlwalk"
)

// docx extracts WordprocessingML (ECMA-376 part 1, 17).
type docx struct{}

func (docx) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	p, err := openPackage(ctx, in)
	if err != nil {
		return nil, err
	}
	main, rels, err := p.main()
	if err != nil {
		return nil, err
	}
	d := &word{opc: p, rels: rels, notes: map[string]map[string]string{}}
	first := func(kind, usual string) string {
		for _, part := range rels.of(kind) {
			return part
		}
		return path.Join(path.Dir(main), usual)
	}
	if d.styles, err = readStyles(p, first("styles", "styles.xml")); err != nil {
		return nil, err
	}
	if d.lists, err = readLists(p, first("numbering", "numbering.xml")); err != nil {
		return nil, err
	}
	for _, kind := range []string{"footnotes", "endnotes", "comments"} {
		if d.notes[kind], err = d.readNotes(first(kind, kind+".xml")); err != nil {
			return nil, err
		}
	}
	err = p.walkMain(main, "document", func(w *xmlwalk.Walker) error {
		return d.blocks(w, place{}, d.emit)
	})
	if err != nil {
		return nil, err
	}
	if err := d.margins(); err != nil {
		return nil, err
	}
	if err := p.properties(); err != nil {
		return nil, err
	}
	return p.b.Done()
}

// word is the reading of one document.
type word struct {
	*opc
	rels   relations
	styles map[string]style
	lists  lists
	// notes are the texts of footnotes, endnotes and comments by id, marked as
	// what they are.
	notes map[string]map[string]string
	list  string // of the last item
}

// node is a block of the body: a paragraph or a table.
type node struct {
	paragraph *paragraph
	table     *table
}

type paragraph struct {
	style string // id
	level int    // of a heading by its own outline level
	num   numbering
	text  string
	boxes []node   // text boxes anchored here
	notes []string // referred to here
}

type table struct{ rows []tableRow }

type tableRow struct {
	header bool
	cells  []cell
}

type cell struct {
	nodes  []node
	span   int  // columns
	merged bool // continues the cell above
}

// blocks reads block-level content.
func (d *word) blocks(w *xmlwalk.Walker, at place, emit func(node) error) error {
	return w.Children(func(e xmlwalk.Element) error { return d.block(w, e, at, emit) })
}

// block reads a block. Wrappers that only add meaning (content controls,
// insertions, custom XML) are looked through.
func (d *word) block(w *xmlwalk.Walker, e xmlwalk.Element, at place, emit func(node) error) error {
	switch e.Name {
	case "p":
		p, err := d.paragraph(w, at)
		if err != nil {
			return err
		}
		return emit(node{paragraph: p})
	case "tbl":
		t, err := d.table(w, at)
		if err != nil {
			return err
		}
		return emit(node{table: t})
	case "altChunk":
		return d.embedded(e.AttrIn("relationships", "id"))
	case "del", "moveFrom", "Fallback", "sectPr":
		return nil
	}
	return d.blocks(w, at, emit)
}

func (d *word) table(w *xmlwalk.Walker, at place) (*table, error) {
	at.filled = true
	t := &table{}
	return t, d.rows(w, at, t)
}

func (d *word) rows(w *xmlwalk.Walker, at place, t *table) error {
	return w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "tr":
			row, deleted := tableRow{}, false
			if err := d.cells(w, at, &row, &deleted); err != nil {
				return err
			}
			if !deleted {
				t.rows = append(t.rows, row)
			}
		case "sdt", "sdtContent", "customXml", "ins":
			return d.rows(w, at, t)
		}
		return nil
	})
}

func (d *word) cells(w *xmlwalk.Walker, at place, row *tableRow, deleted *bool) error {
	return w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "trPr":
			return w.Children(func(e xmlwalk.Element) error {
				switch e.Name {
				case "tblHeader":
					row.header = on(e)
				case "del":
					*deleted = true
				case "gridBefore":
					row.cells = append(row.cells, cell{span: columns(e)})
				}
				return nil
			})
		case "tc":
			c, err := d.cell(w, at)
			row.cells = append(row.cells, c)
			return err
		case "sdt", "sdtContent", "customXml":
			return d.cells(w, at, row, deleted)
		}
		return nil
	})
}

func (d *word) cell(w *xmlwalk.Walker, at place) (cell, error) {
	c := cell{span: 1}
	keep := func(n node) error { //nolint:unparam // as blocks wants it
		c.nodes = append(c.nodes, n)
		return nil
	}
	err := w.Children(func(e xmlwalk.Element) error {
		if e.Name != "tcPr" {
			return d.block(w, e, at, keep)
		}
		return w.Children(func(e xmlwalk.Element) error {
			switch e.Name {
			case "gridSpan":
				c.span = columns(e)
			case "vMerge":
				c.merged = e.Attr("val") != "restart"
			}
			return nil
		})
	})
	return c, err
}

// readNotes reads footnotes, endnotes or comments by id.
func (d *word) readNotes(part string) (map[string]string, error) {
	notes := map[string]string{}
	err := d.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			switch e.Attr("type") {
			case "separator", "continuationSeparator", "continuationNotice":
				return nil
			}
			var text []string
			err := d.blocks(w, place{}, func(n node) error {
				text = append(text, d.flat(n))
				return nil
			})
			mark := "[^" + e.Attr("id") + "]: "
			if e.Name == "comment" {
				mark = "[Comment] "
				if author := extract.Clean(e.Attr("author")); author != "" {
					mark = "[Comment by " + author + "] "
				}
			}
			if body := extract.Clean(strings.Join(text, " ")); body != "" {
				notes[e.Attr("id")] = mark + body
			}
			return err
		})
	})
	return notes, err
}

// margins adds the texts of page headers and footers, each once.
func (d *word) margins() error {
	seen := map[string]bool{}
	for _, kind := range []string{"header", "footer"} {
		for _, part := range d.rels.of(kind) {
			err := d.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
				return d.blocks(w, place{}, func(n node) error {
					text := extract.Clean(d.flat(n))
					if strings.ContainsFunc(text, isLetter) && !seen[text] {
						seen[text] = true
						d.b.Quote("[Page " + kind + "] " + text)
					}
					return nil
				})
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// embedded adds a part in HTML; parts in other formats are noted.
func (d *word) embedded(id string) error {
	part := d.rels.target(id)
	if part == "" {
		return nil
	}
	switch strings.ToLower(path.Ext(part)) {
	case ".htm", ".html", ".xhtml":
	default:
		d.b.Note("the embedded document %s was not read", path.Base(part))
		return nil
	}
	data, err := d.Read(part)
	if err != nil {
		return err
	}
	return web.Append(d.ctx, d.b, data)
}
