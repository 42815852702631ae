package office

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/xmlwalk"
)

// xlsx extracts SpreadsheetML (ECMA-376 part 1, 18): sheet by sheet, row by
// row as a stream. Cells show what they would show in the program; formulas
// have the value that was stored with them.
type xlsx struct{}

func (xlsx) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	p, err := openPackage(ctx, in)
	if err != nil {
		return nil, err
	}
	if p.Has("xl/workbook.bin") {
		return nil, fmt.Errorf("binary workbooks (XLSB) are %w; save it as XLSX", corpus.ErrUnsupported)
	}
	b, err := p.openBook()
	if err != nil {
		return nil, err
	}
	for _, ref := range b.sheets {
		if err := b.sheet(ref); err != nil {
			return nil, fmt.Errorf("sheet %q: %w", extract.Clean(ref.name), err)
		}
	}
	if b.textless > 0 {
		b.b.Note("%d cells are empty here: the file lacks their texts (its shared strings)", b.textless)
	}
	if err := p.properties(); err != nil {
		return nil, err
	}
	return p.b.Done()
}

// sheet writes a sheet with its drawings and comments.
func (b *book) sheet(ref sheetRef) error {
	name := extract.Clean(ref.name)
	if !b.Has(ref.part) {
		b.b.Note("sheet %q is missing in the file", name)
		return nil
	}
	if ref.hidden {
		b.b.Note("sheet %q is hidden and was left out", name)
		return b.rows(ref.part, func(r sheetRow) {
			for _, c := range r.cells {
				b.b.Hide(extract.Clean(c))
			}
		})
	}
	b.b.Place = corpus.Anchor{Sheet: name}
	b.b.Heading(2, name)
	t := &tabulator{b: b.b}
	if err := b.rows(ref.part, t.add); err != nil {
		return err
	}
	t.flush()
	rels, err := b.relations(ref.part)
	if err != nil {
		return err
	}
	if err := b.drawings(rels); err != nil {
		return err
	}
	if err := b.remarks(rels); err != nil {
		return err
	}
	return b.b.Err()
}

// sheetRow is a row with text.
type sheetRow struct {
	number int
	cells  []string // up to the last one with text
	words  bool     // no cell is a mere number
}

// rows reads the rows of a sheet part that have text, in order.
func (b *book) rows(part string, yield func(sheetRow)) error {
	number := 0
	return b.walk(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			switch e.Name {
			case "cols":
				return w.Children(func(e xmlwalk.Element) error {
					b.noteHidden(e)
					return nil
				})
			case "sheetData":
				return w.Children(func(e xmlwalk.Element) error {
					if e.Name != "row" {
						return nil
					}
					b.noteHidden(e)
					number++
					if n, err := strconv.Atoi(e.Attr("r")); err == nil && n > number {
						number = n
					}
					cells, words, err := b.cells(w)
					if len(cells) > 0 {
						b.b.Report.Rows++
						yield(sheetRow{number, cells, words})
					}
					if err == nil {
						err = b.b.Err()
					}
					return err
				})
			}
			return nil
		})
	})
}

// noteHidden notes rows and columns that are not shown. They are read: a
// filter hides rows, and what it hides is still the sheet's.
func (b *book) noteHidden(e xmlwalk.Element) {
	if e.Attr("hidden") == "1" || e.Attr("hidden") == "true" {
		b.b.Note("hidden rows or columns were read as well")
	}
}

// cells reads the cells of a row up to the last one with text.
func (b *book) cells(w *xmlwalk.Walker) (cells []string, words bool, err error) {
	column := 0
	words = true
	err = w.Children(func(e xmlwalk.Element) error {
		if e.Name != "c" {
			return nil
		}
		column++
		if n := columnOf(e.Attr("r")); n > column {
			column = n
		}
		kind, styleID, value, formula := e.Attr("t"), e.Attr("s"), "", false
		err := w.Children(func(e xmlwalk.Element) (err error) {
			switch e.Name {
			case "v":
				value, err = w.Text()
			case "is":
				value, err = richText(w)
			case "f":
				formula = true
			}
			return err
		})
		if err != nil {
			return err
		}
		if value == "" {
			if formula {
				b.b.Note("some formulas have no stored value and are empty here")
			}
			return nil
		}
		text, isWords := b.cellText(kind, styleID, value)
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		if column > maxColumns {
			b.b.Note("columns after the first %d were left out", maxColumns)
			return nil
		}
		for len(cells) < column-1 {
			cells = append(cells, "")
		}
		cells = append(cells, text)
		words = words && isWords
		return nil
	})
	return cells, words, err
}

// columnOf reads the column of a cell reference: 28 of "AB7"; 0 if there is none.
func columnOf(ref string) int {
	n := 0
	for _, c := range []byte(ref) {
		if c < 'A' || c > 'Z' || n > 1<<20 {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n
}

// drawings writes the texts of shapes and the titles of charts; their numbers
// stand in cells.
func (b *book) drawings(rels relations) error {
	for _, part := range rels.of("drawing") {
		own, err := b.relations(part)
		if err != nil {
			return err
		}
		s := &slide{opc: b.opc, rels: own}
		err = b.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error { return s.shapes(w) })
		if err != nil {
			return err
		}
		for _, sh := range s.list {
			for _, l := range sh.lines {
				b.b.Paragraph(l.text)
			}
		}
	}
	return nil
}

// remarks writes the comments on cells. Of a thread, the old kind of comment
// holds a copy, which is left out.
func (b *book) remarks(rels relations) error {
	threaded := map[string]bool{}
	for _, kind := range []string{"threadedComment", "comments"} {
		for _, part := range rels.of(kind) {
			err := b.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
				var walk func(e xmlwalk.Element) error
				walk = func(e xmlwalk.Element) error {
					cell := e.Attr("ref")
					switch e.Name {
					case "threadedComment":
						threaded[cell] = true
					case "comment":
						if threaded[cell] {
							return nil
						}
					case "commentList":
						return w.Children(walk)
					default:
						return nil
					}
					return b.remark(w, cell)
				}
				return w.Children(walk)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *book) remark(w *xmlwalk.Walker, cell string) error {
	return w.Children(func(e xmlwalk.Element) error {
		if e.Name != "text" {
			return nil
		}
		text, err := w.Text()
		if text = extract.Clean(text); text != "" {
			b.b.Quote("[Comment on " + extract.Clean(cell) + "] " + text)
		}
		return err
	})
}
