package office

import (
	"strconv"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/xmlwalk"
)

// sheet reads a table of a spreadsheet.
func (o *openDocument) sheet(w *xmlwalk.Walker, e xmlwalk.Element) error {
	name := extract.Clean(e.Attr("name"))
	t := &tabulator{b: o.b}
	if o.hidden[e.Attr("style-name")] {
		o.b.Note("sheet %q is hidden and was left out", name)
		_, err := o.rows(w, 0, func(r sheetRow, _ bool) {
			for _, c := range r.cells {
				o.b.Hide(extract.Clean(c))
			}
		})
		o.after = nil
		return err
	}
	o.b.Place = corpus.Anchor{Sheet: name}
	o.b.Heading(2, name)
	_, err := o.rows(w, 0, func(r sheetRow, _ bool) {
		o.b.Report.Rows++
		t.add(r)
	})
	if err != nil {
		return err
	}
	t.flush()
	return o.flush()
}

// table reads a table of a text or slide; one that arranges text becomes it.
func (o *openDocument) table(w *xmlwalk.Walker) error {
	var rows [][]string
	headers := 0
	_, err := o.rows(w, 0, func(r sheetRow, header bool) {
		rows = append(rows, r.cells)
		if header {
			headers = len(rows)
		}
	})
	if err != nil {
		return err
	}
	o.b.Table(rows, max(headers, 1))
	return o.flush()
}

// rows reads the rows of the table that w is in, after row number.
func (o *openDocument) rows(w *xmlwalk.Walker, number int, yield func(r sheetRow, header bool)) (int, error) {
	err := w.Children(func(e xmlwalk.Element) (err error) {
		switch e.Name {
		case "table-row":
			repeat := repeated(e, "number-rows-repeated")
			if v := e.Attr("visibility"); v == "collapse" || v == "filter" {
				o.b.Note("hidden rows or columns were read as well")
			}
			cells, words, err := o.cells(w)
			if err != nil {
				return err
			}
			if len(cells) == 0 {
				number += repeat
				return nil
			}
			for range repeat {
				number++
				yield(sheetRow{number, cells, words}, false)
				if err := o.b.Err(); err != nil {
					return err
				}
			}
		case "table-header-rows":
			number, err = o.rows(w, number, func(r sheetRow, _ bool) { yield(r, true) })
		case "table-rows", "table-row-group":
			number, err = o.rows(w, number, yield)
		}
		return err
	})
	return number, err
}

// cells reads the cells of a row up to the last one with text.
func (o *openDocument) cells(w *xmlwalk.Walker) (cells []string, words bool, err error) {
	column := 0
	words = true
	err = w.Children(func(e xmlwalk.Element) error {
		if e.Name != "table-cell" && e.Name != "covered-table-cell" {
			return nil
		}
		repeat := repeated(e, "number-columns-repeated")
		lines, err := o.lines(w)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			column += repeat
			return nil
		}
		text := strings.Join(lines, " ")
		switch e.Attr("value-type") {
		case "float", "percentage", "currency", "boolean":
			words = words && isYear(text)
		}
		for range repeat {
			if column >= maxColumns {
				o.b.Note("columns after the first %d were left out", maxColumns)
				return nil
			}
			for len(cells) < column {
				cells = append(cells, "")
			}
			cells = append(cells, text)
			column++
		}
		return nil
	})
	return cells, words, err
}

// repeated reads how often a row or cell stands.
func repeated(e xmlwalk.Element, name string) int {
	n, err := strconv.Atoi(e.Attr(name))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxRepeat)
}

// maxRepeat is the number of rows of a sheet in any program.
const maxRepeat = 1 << 20
