package office

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/archive"
	"ibid/backend/extract/xmlwalk"
)

// odf extracts OpenDocument texts, sheets and slides (ISO/IEC 26300).
type odf struct{}

func (odf) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	p, err := openPackage(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := p.walkOptional("META-INF/manifest.xml", refuseEncrypted); err != nil {
		return nil, err
	}
	o := &openDocument{opc: p, hidden: map[string]bool{}, numbered: map[string]bool{}}
	for _, part := range []string{"styles.xml", "content.xml"} {
		err := p.walkOptional(part, func(w *xmlwalk.Walker, _ xmlwalk.Element) error { return o.readStyles(w) })
		if err != nil {
			return nil, err
		}
	}
	err = p.walk("content.xml", func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			if e.Name != "body" {
				return nil
			}
			return o.blocks(w)
		})
	})
	if err != nil {
		return nil, err
	}
	if err := o.properties(); err != nil {
		return nil, err
	}
	return p.b.Done()
}

func refuseEncrypted(w *xmlwalk.Walker, _ xmlwalk.Element) error {
	return w.Children(func(xmlwalk.Element) error {
		return w.Children(func(e xmlwalk.Element) error {
			if e.Name == "encryption-data" {
				return archive.ErrPassword
			}
			return nil
		})
	})
}

// openDocument is the reading of one document.
type openDocument struct {
	*opc
	hidden   map[string]bool // styles that hide
	numbered map[string]bool // list styles whose first level counts
	sheets   bool            // tables are sheets
	slides   int
	after    []func() error // what is anchored in the current paragraph
	lists    []odfList      // around the current place
}

type odfList struct {
	style    string
	numbered bool
	count    int
	begun    bool // the current item has a paragraph
}

// readStyles finds the styles that hide and the lists that count.
func (o *openDocument) readStyles(w *xmlwalk.Walker) error {
	return w.Children(func(e xmlwalk.Element) error {
		name := e.Attr("name")
		switch e.Name {
		case "body":
			return nil
		case "style":
			return w.Children(func(e xmlwalk.Element) error {
				if display := e.Attr("display"); display == "none" || display == "false" && e.Name == "table-properties" {
					o.hidden[name] = true
				}
				if e.Name == "drawing-page-properties" && e.Attr("visibility") == "hidden" {
					o.hidden[name] = true
				}
				return nil
			})
		case "list-style":
			return w.Children(func(e xmlwalk.Element) error {
				if e.Name == "list-level-style-number" && e.Attr("num-format") != "" {
					o.numbered[name+"/"+e.Attr("level")] = true
				}
				return nil
			})
		}
		return o.readStyles(w)
	})
}

// properties reads meta.xml.
func (o *openDocument) properties() error {
	names := map[string]string{"initial-creator": "creator", "creation-date": "created", "keyword": "keywords"}
	return o.walkOptional("meta.xml", func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		return w.Children(func(xmlwalk.Element) error {
			return w.Children(func(e xmlwalk.Element) error {
				text, err := w.Text()
				name := e.Name
				if n, ok := names[name]; ok {
					name = n
				}
				o.b.Property(name, text)
				return err
			})
		})
	})
}

// blocks reads the children of the element that w is in as blocks.
func (o *openDocument) blocks(w *xmlwalk.Walker) error {
	return w.Children(func(e xmlwalk.Element) error {
		if err := o.block(w, e); err != nil {
			return err
		}
		return o.b.Err()
	})
}

func (o *openDocument) block(w *xmlwalk.Walker, e xmlwalk.Element) error {
	switch e.Name {
	case "h", "p":
		text, err := o.text(w, o.hidden[e.Attr("style-name")])
		if err != nil {
			return err
		}
		o.paragraph(e, text)
		return o.flush()
	case "list":
		return o.list(w, e)
	case "table":
		if o.sheets {
			return o.sheet(w, e)
		}
		return o.table(w)
	case "page":
		return o.slide(w, e)
	case "notes":
		return o.marked(w, "[Speaker notes] ")
	case "annotation":
		return o.annotation(w)
	case "table-of-content":
		o.b.Note("the table of contents was left out")
		return nil
	case "frame":
		if class := e.Attr("class"); class == "title" {
			return o.slideTitle(w)
		}
	case "tracked-changes", "forms", "hidden-paragraph", "desc", "title", "event-listeners":
		return nil
	case "spreadsheet":
		o.sheets = true
	}
	return o.blocks(w)
}

func (o *openDocument) paragraph(e xmlwalk.Element, text string) {
	switch n := len(o.lists); {
	case e.Name == "h":
		level, _ := strconv.Atoi(e.Attr("outline-level"))
		o.b.Heading(level, text)
	case n == 0 && e.Attr("style-name") == "Title":
		o.b.Heading(1, text)
	case n == 0:
		o.b.Paragraph(text)
	default:
		l, marker := &o.lists[n-1], "-"
		switch {
		case l.begun:
			marker = ""
		case l.numbered:
			marker = strconv.Itoa(l.count) + "."
		}
		l.begun = l.begun || text != ""
		o.b.Item(n-1, marker, text)
	}
}

// flush writes what was anchored in the paragraph before, outside of any list.
func (o *openDocument) flush() error {
	for len(o.after) > 0 {
		after := o.after
		o.after = nil
		for _, f := range after {
			if err := f(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *openDocument) list(w *xmlwalk.Walker, e xmlwalk.Element) error {
	style := e.Attr("style-name")
	if style == "" && len(o.lists) > 0 {
		style = o.lists[0].style
	}
	numbered := o.numbered[style+"/"+strconv.Itoa(len(o.lists)+1)]
	if len(o.lists) == 0 {
		o.b.Break()
	}
	o.lists = append(o.lists, odfList{style: style, numbered: numbered})
	at := len(o.lists) - 1
	err := w.Children(func(xmlwalk.Element) error {
		o.lists[at].count++
		o.lists[at].begun = false
		return o.blocks(w)
	})
	o.lists = o.lists[:at]
	return err
}

// text reads the content of a paragraph.
func (o *openDocument) text(w *xmlwalk.Walker, hidden bool) (string, error) {
	var b strings.Builder
	put := func(s string) {
		if hidden {
			o.b.Hide(extract.Clean(s))
		} else {
			b.WriteString(s)
		}
	}
	err := w.Mixed(put, func(e xmlwalk.Element) error {
		switch e.Name {
		case "s":
			put(" ")
		case "tab":
			put("\t")
		case "line-break":
			put("\n")
		case "span", "a", "meta", "ruby", "ruby-base", "bookmark-ref", "sequence", "meta-field":
			text, err := o.text(w, hidden || o.hidden[e.Attr("style-name")])
			b.WriteString(text)
			return err
		case "hidden-text", "hidden-paragraph":
			text, err := w.Text()
			o.b.Hide(extract.Clean(text + e.Attr("string-value")))
			return err
		case "note":
			mark, err := o.note(w)
			put(mark)
			return err
		case "annotation":
			return o.annotation(w)
		case "frame", "custom-shape", "rect", "g":
			// Text boxes stand after the paragraph that they are anchored in.
			lines, err := o.lines(w)
			o.after = append(o.after, func() error {
				for _, l := range lines {
					o.b.Paragraph(l)
				}
				return nil
			})
			return err
		case "ruby-text", "change", "change-start", "change-end":
		default: // fields
			text, err := w.Text()
			put(text)
			return err
		}
		return nil
	})
	return b.String(), err
}

// lines reads the paragraphs within the element that w is in.
func (o *openDocument) lines(w *xmlwalk.Walker) ([]string, error) {
	var lines []string
	err := w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "p", "h":
			text, err := o.text(w, o.hidden[e.Attr("style-name")])
			if text = extract.Clean(text); text != "" {
				lines = append(lines, text)
			}
			return err
		case "annotation":
			return o.annotation(w)
		case "creator", "date", "date-string", "tracked-changes", "desc", "title":
			return nil
		}
		more, err := o.lines(w)
		lines = append(lines, more...)
		return err
	})
	return lines, err
}

// note reads a footnote or endnote; its text follows the paragraph.
func (o *openDocument) note(w *xmlwalk.Walker) (mark string, err error) {
	err = w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "note-citation":
			text, err := w.Text()
			mark = "[^" + strings.TrimSpace(text) + "]"
			return err
		case "note-body":
			lines, err := o.lines(w)
			o.quote(mark+": ", lines)
			return err
		}
		return nil
	})
	return mark, err
}

// annotation reads a comment; it follows the paragraph.
func (o *openDocument) annotation(w *xmlwalk.Walker) error {
	mark := "[Comment] "
	var lines []string
	err := w.Children(func(e xmlwalk.Element) error {
		switch e.Name {
		case "creator":
			text, err := w.Text()
			mark = "[Comment by " + extract.Clean(text) + "] "
			return err
		case "p":
			text, err := o.text(w, false)
			lines = append(lines, text)
			return err
		case "list":
			more, err := o.lines(w)
			lines = append(lines, more...)
			return err
		}
		return nil
	})
	o.quote(mark, lines)
	return err
}

// quote leaves a marked text for after the paragraph.
func (o *openDocument) quote(mark string, lines []string) {
	if len(lines) == 0 {
		return
	}
	o.after = append(o.after, func() error {
		o.b.Quote(mark + strings.Join(lines, "\n"))
		return nil
	})
}

func (o *openDocument) marked(w *xmlwalk.Walker, mark string) error {
	lines, err := o.lines(w)
	o.quote(mark, lines)
	if err != nil {
		return err
	}
	return o.flush()
}

func (o *openDocument) slide(w *xmlwalk.Walker, e xmlwalk.Element) error {
	o.slides++
	o.b.Report.Pages = o.slides
	o.b.Place = corpus.Anchor{Slide: o.slides}
	o.b.Section()
	if o.hidden[e.Attr("style-name")] {
		lines, err := o.lines(w)
		o.b.Hide(strings.Join(lines, ""))
		o.b.Note("slide %d is hidden and was left out", o.slides)
		o.after = nil
		return err
	}
	if err := o.blocks(w); err != nil {
		return fmt.Errorf("slide %d: %w", o.slides, err)
	}
	return nil
}

func (o *openDocument) slideTitle(w *xmlwalk.Walker) error {
	lines, err := o.lines(w)
	o.b.Heading(1, strings.Join(lines, " "))
	return err
}
