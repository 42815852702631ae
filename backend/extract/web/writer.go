package web

import (
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ibid/backend/extract"
)

// writer writes a tree as blocks. Inline text gathers until a block begins or
// ends.
type writer struct {
	ctx   context.Context //nolint:containedctx // a writer lives for one call of Extract
	b     *extract.Builder
	nodes int
	fault error

	inline strings.Builder
	quote  int    // how many quotations are around
	lists  []list // around
	marker string // of the item whose first text is awaited
}

type list struct {
	ordered bool
	next    int
}

func (w *writer) err() error {
	if w.fault != nil {
		return w.fault
	}
	return w.b.Err()
}

// block writes n and what is below it.
func (w *writer) block(n *html.Node) {
	if w.nodes++; w.nodes%1024 == 0 && w.fault == nil {
		w.fault = w.ctx.Err()
	}
	if w.fault != nil {
		return
	}
	if n.Type == html.TextNode {
		w.inline.WriteString(strings.Map(oneSpace, n.Data))
		return
	}
	if n.Type != html.ElementNode && n.Type != html.DocumentNode || noText[n.DataAtom] {
		return
	}
	switch n.DataAtom {
	case atom.Br:
		w.inline.WriteByte('\n')
		return
	case atom.Hr:
		w.flush()
		return
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.flush()
		w.b.Heading(int(n.Data[1]-'0'), inlineText(n))
		return
	case atom.Pre, atom.Listing, atom.Xmp:
		w.flush()
		w.b.Code(language(n), preText(n))
		return
	case atom.Table:
		w.flush()
		w.table(n)
		return
	case atom.Ul, atom.Ol, atom.Menu:
		w.list(n)
		return
	case atom.Li:
		w.item(n)
		return
	case atom.Dt:
		w.flush()
		w.inline.WriteString(inlineText(n))
		return // its description goes on
	case atom.Dd:
		if term := strings.TrimSpace(w.inline.String()); term != "" {
			w.inline.Reset()
			w.inline.WriteString(term + ": ")
		}
		w.children(n)
		w.flush()
		return
	case atom.Blockquote:
		w.flush()
		w.quote++
		defer func() { w.quote-- }()
	}
	apart := blockElements[n.DataAtom]
	if apart {
		w.flush()
	}
	w.children(n)
	if apart {
		w.flush()
	}
}

func (w *writer) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.block(c)
	}
}

// flush writes the gathered text as a block.
func (w *writer) flush() {
	text := w.inline.String()
	w.inline.Reset()
	if strings.TrimSpace(text) == "" {
		return
	}
	switch {
	case len(w.lists) > 0:
		w.b.Item(len(w.lists)-1, w.marker, text)
		w.marker = ""
	case w.quote > 0:
		w.b.Quote(text)
	default:
		w.b.Paragraph(text)
	}
}

func (w *writer) list(n *html.Node) {
	w.flush()
	if len(w.lists) == 0 {
		w.b.Break()
	}
	l := list{ordered: n.DataAtom == atom.Ol, next: 1}
	if start, err := strconv.Atoi(attr(n, "start")); err == nil {
		l.next = start
	}
	w.lists = append(w.lists, l)
	w.children(n)
	w.flush()
	w.lists = w.lists[:len(w.lists)-1]
	if len(w.lists) == 0 {
		w.b.Break()
	}
}

func (w *writer) item(n *html.Node) {
	w.flush()
	w.marker = "-"
	if depth := len(w.lists); depth > 0 && w.lists[depth-1].ordered {
		w.marker = strconv.Itoa(w.lists[depth-1].next) + "."
		w.lists[depth-1].next++
	}
	w.children(n)
	w.flush()
	w.marker = ""
}

// table writes a table. One that holds blocks of its own arranges the page.
func (w *writer) table(n *html.Node) {
	var rows [][]string
	headers, layout := 0, false
	above := map[int]span{} // cells that reach into the rows below, by column
	walk(n, func(c *html.Node) bool {
		switch c.DataAtom {
		case atom.Caption:
			w.b.Paragraph(inlineText(c))
			return false
		case atom.Tr:
			row, header := tableRow(c, above)
			if len(row) > 0 {
				rows = append(rows, row)
				if header && headers == len(rows)-1 {
					headers = len(rows)
				}
			}
		case atom.Table:
			layout = layout || c != n
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.Ul, atom.Ol, atom.Pre:
			layout = true
		}
		return !layout
	})
	if layout {
		w.children(n)
		w.flush()
		return
	}
	if headers == len(rows) {
		headers = 0 // a column of headings, not a row
	}
	w.b.Table(rows, max(headers, 1))
}

// span is a cell that reaches into so many more rows.
type span struct {
	text string
	left int
}

// maxColumns and maxSpan bound tables.
const (
	maxColumns = 1000
	maxSpan    = 1000
)

// tableRow reads a row; header says that it has only heading cells. A cell that
// reaches down repeats its text in each row.
func tableRow(n *html.Node, above map[int]span) (row []string, header bool) {
	header = true
	fill := func() {
		for s := above[len(row)]; s.left > 0; s = above[len(row)] {
			s.left--
			above[len(row)] = s
			row = append(row, s.text)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		fill()
		if len(row) >= maxColumns {
			break
		}
		header = header && c.DataAtom == atom.Th
		text := inlineText(c)
		above[len(row)] = span{text, count(c, "rowspan") - 1}
		row = append(row, text)
		for range min(count(c, "colspan")-1, maxColumns-len(row)) {
			row = append(row, "")
		}
	}
	fill()
	return row, header && len(row) > 0
}

func count(n *html.Node, name string) int {
	v, err := strconv.Atoi(attr(n, name))
	if err != nil {
		return 1
	}
	return min(max(v, 1), maxSpan)
}

// inlineText is the text below n in one line.
func inlineText(n *html.Node) string {
	var s strings.Builder
	walk(n, func(c *html.Node) bool {
		switch {
		case c.Type == html.TextNode:
			s.WriteString(strings.Map(oneSpace, c.Data))
		case noText[c.DataAtom]:
			return false
		case c.DataAtom == atom.Br, blockElements[c.DataAtom]:
			s.WriteByte(' ')
		}
		return true
	})
	return s.String()
}

// preText is the text below n as it stands.
func preText(n *html.Node) string {
	var s strings.Builder
	walk(n, func(c *html.Node) bool {
		switch {
		case c.Type == html.TextNode:
			s.WriteString(c.Data)
		case c.DataAtom == atom.Br:
			s.WriteByte('\n')
		}
		return true
	})
	return s.String()
}

// language is what the class of a pre element or the code in it names.
func language(n *html.Node) string {
	name := ""
	walk(n, func(c *html.Node) bool {
		for class := range strings.FieldsSeq(attr(c, "class")) {
			for _, prefix := range []string{"language-", "lang-", "highlight-source-"} {
				if l, ok := strings.CutPrefix(class, prefix); ok && name == "" {
					name = l
				}
			}
		}
		return name == ""
	})
	return name
}

// oneSpace makes white space in HTML source a space: a line end there is no
// line break.
func oneSpace(r rune) rune {
	switch r {
	case '\n', '\r', '\t', '\f':
		return ' '
	}
	return r
}

// blockElements stand apart from the text around them.
var blockElements = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Caption: true,
	atom.Center: true, atom.Dd: true, atom.Details: true, atom.Dialog: true, atom.Dir: true, atom.Div: true, atom.Dl: true,
	atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true, atom.Form: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true,
	atom.Hgroup: true, atom.Hr: true, atom.Html: true, atom.Legend: true, atom.Li: true, atom.Main: true, atom.Nav: true,
	atom.Ol: true, atom.P: true, atom.Pre: true, atom.Section: true, atom.Summary: true, atom.Table: true, atom.Tbody: true,
	atom.Td: true, atom.Tfoot: true, atom.Th: true, atom.Thead: true, atom.Tr: true, atom.Ul: true,
}
