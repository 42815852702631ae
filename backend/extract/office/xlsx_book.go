package office

import (
	"path"
	"strconv"
	"strings"

	"ibid/backend/extract/xmlwalk"
)

// book is what all sheets of a workbook share.
type book struct {
	*opc
	from1904 bool
	sheets   []sheetRef
	strings  []string
	formats  []numberFormat // by cell style
	textless int            // cells whose shared string is missing
}

// sheetRef names a sheet.
type sheetRef struct {
	name, part string
	hidden     bool
}

func (p *opc) openBook() (*book, error) {
	main, rels, err := p.main()
	if err != nil {
		return nil, err
	}
	b := &book{opc: p}
	err = p.walkMain(main, "workbook", func(w *xmlwalk.Walker) error {
		return w.Children(func(e xmlwalk.Element) error {
			switch e.Name {
			case "workbookPr":
				b.from1904 = e.Attr("date1904") == "1" || e.Attr("date1904") == "true"
			case "sheets":
				return w.Children(func(e xmlwalk.Element) error {
					b.sheets = append(b.sheets, sheetRef{
						name:   e.Attr("name"),
						part:   rels.target(e.AttrIn("relationships", "id")),
						hidden: strings.HasSuffix(strings.ToLower(e.Attr("state")), "hidden"),
					})
					return nil
				})
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if err := b.each(rels, main, "sharedStrings", b.readStrings); err != nil {
		return nil, err
	}
	if err := b.each(rels, main, "styles", func(part string) error {
		if !b.Has(part) {
			b.b.Note("%s is missing in the file: dates and amounts are bare numbers", part)
			return nil
		}
		return b.readFormats(part)
	}); err != nil {
		return nil, err
	}
	return b, nil
}

// each reads the parts of a kind; where nothing names one, the one that stands
// where programs put it.
func (b *book) each(rels relations, main, kind string, read func(part string) error) error {
	parts := rels.of(kind)
	if usual := path.Join(path.Dir(main), kind+".xml"); len(parts) == 0 && b.Has(usual) {
		parts = []string{usual}
	}
	for _, part := range parts {
		if err := read(part); err != nil {
			return err
		}
	}
	return nil
}

// readStrings reads the shared strings. Where they are missing, the cells say so.
func (b *book) readStrings(part string) error {
	return b.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			if e.Name != "si" {
				return nil
			}
			s, err := richText(w)
			b.strings = append(b.strings, s)
			return err
		})
	})
}

// richText is the text of a string with its runs, without the phonetic guide.
func richText(w *xmlwalk.Walker) (string, error) {
	var all string
	err := w.Children(func(e xmlwalk.Element) (err error) {
		var s string
		switch e.Name {
		case "t":
			s, err = w.Text()
		case "r":
			s, err = richText(w)
		}
		all += s
		return err
	})
	return all, err
}

// readFormats reads the number formats of the cell styles.
func (b *book) readFormats(part string) error {
	codes := map[string]string{}
	return b.walk(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			switch e.Name {
			case "numFmts":
				return w.Children(func(e xmlwalk.Element) error {
					codes[e.Attr("numFmtId")] = e.Attr("formatCode")
					return nil
				})
			case "cellXfs":
				return w.Children(func(e xmlwalk.Element) error {
					id := e.Attr("numFmtId")
					code, ok := codes[id]
					if !ok {
						n, _ := strconv.Atoi(id)
						code = builtinFormats[n]
					}
					b.formats = append(b.formats, parseFormat(code))
					return nil
				})
			}
			return nil
		})
	})
}

// cellText is what a cell shows, and whether that is words.
func (b *book) cellText(kind, styleID, value string) (text string, words bool) {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(value); err == nil && i >= 0 && i < len(b.strings) {
			return b.strings[i], true
		}
		b.textless++
		return "", false
	case "b":
		if value == "1" {
			return "TRUE", false
		}
		return "FALSE", false
	case "str", "inlineStr":
		return value, true
	case "e", "d":
		return value, false
	}
	f := numberFormat{general: true}
	if i, err := strconv.Atoi(styleID); err == nil && i >= 0 && i < len(b.formats) {
		f = b.formats[i]
	}
	return f.show(value, b.from1904), f.date || isYear(value)
}

// isYear reports a number that is likely a year: years stand in headers.
func isYear(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 1900 && n <= 2100
}
