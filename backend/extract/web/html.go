// Package web extracts HTML pages and EPUB books.
package web

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// Routes are the extractors of this package.
func Routes() []extract.Route {
	return []extract.Route{
		{Types: []string{extract.TypeHTML}, Version: "html/1", Extractor: page{}},
		{Types: []string{extract.TypeEPUB}, Version: "epub/1", Extractor: epub{}},
	}
}

// page extracts a page. Where it is an article among menus and offers, the
// article is taken.
type page struct{}

func (page) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	text, report, err := extract.DecodeDeclared(in.Data, charsetOf(in.Data))
	if err != nil {
		return nil, err
	}
	b := extract.NewBuilder(in.Type)
	b.Report = report
	if err := writePage(ctx, b, text); err != nil {
		return nil, err
	}
	return b.Done()
}

// Append adds the content of a piece of HTML to a document, all of it but what
// is hidden: an e-mail, a chapter, a part of another document.
func Append(ctx context.Context, b *extract.Builder, data []byte) error {
	source, _, err := extract.DecodeDeclared(data, charsetOf(data))
	if err != nil {
		return err
	}
	root := parse(b, source)
	if root == nil {
		return stripTags(ctx, b, source)
	}
	dropHidden(b, root)
	return write(ctx, b, root)
}

func write(ctx context.Context, b *extract.Builder, root *html.Node) error {
	w := &writer{ctx: ctx, b: b}
	w.block(root)
	w.flush()
	return w.err()
}

// Limits of what is parsed into a tree. A tree takes many times the memory of
// its text.
const (
	maxTree  = 16 << 20 // bytes
	maxNodes = 400_000  // for the search of the article
)

func writePage(ctx context.Context, b *extract.Builder, text string) error {
	root := parse(b, text)
	if root == nil {
		return stripTags(ctx, b, text)
	}
	properties(b, root)
	dropHidden(b, root)
	heading := firstHeading(root)
	if heading != "" && strings.Contains(b.Title, heading) {
		b.Title = heading // without the name of the site
	}
	main, cut := article(root)
	if cut > 0 {
		b.Note("menus, margins and the like were left out: %d characters", cut)
	}
	if main != root && firstHeading(main) == "" {
		b.Heading(1, heading) // readability takes it off
	}
	return write(ctx, b, main)
}

// parse makes a tree, or nil, with a note, of what should not become one.
func parse(b *extract.Builder, text string) *html.Node {
	if len(text) > maxTree {
		b.Note("too long for the structure of HTML: read as running text")
		return nil
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil { // more than 512 open elements: a reader over a string has no other error
		b.Note("nested too deeply for the structure of HTML: read as running text")
		return nil
	}
	return root
}

// article returns the part of a page that is its content, and how many
// characters are not in it.
//
// The article that readability finds is taken if it holds most of the prose of
// the page: then the rest is menus, offers and links to other pages. A page
// that says that it is an article may have more prose by others below it.
// Otherwise the page is none, and nothing but what its elements declare to be
// menus and margins is left out. (On the 130 pages that readability is tested
// with this takes all 130 articles.)
func article(root *html.Node) (main *html.Node, cut int) {
	all := size(root)
	dropMargins(root)
	share := mostProse
	if declaresArticle(root) {
		share = someProse
	}
	found := readable(root)
	if found != nil && prose(found)*100 >= prose(root)*share {
		return found, max(all-size(found), 0)
	}
	return root, all - size(root)
}

// Shares of a page's prose that an article has, in percent.
const (
	mostProse = 60
	someProse = 10
)

// declaresArticle reports whether a page says that it is an article.
func declaresArticle(root *html.Node) bool {
	articles, typed := 0, false
	walk(root, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Article:
			articles++
		case atom.Meta:
			typed = typed || attr(n, "property") == "og:type" && attr(n, "content") == "article"
		}
		return true
	})
	return typed || articles == 1
}

// readable asks readability for the article of a copy of the page, unless that
// is too large to be copied.
func readable(root *html.Node) *html.Node {
	nodes := 0
	walk(root, func(*html.Node) bool {
		nodes++
		return true
	})
	if nodes > maxNodes {
		return nil
	}
	p := readability.NewParser()
	p.KeepClasses = true // they name the language of code
	nowhere, _ := url.Parse("http://localhost/")
	a, err := p.ParseDocument(root, nowhere)
	if err != nil {
		return nil
	}
	return a.Node
}

// size is the number of bytes of text below n, without white space.
func size(n *html.Node) int {
	total := 0
	if noText[n.DataAtom] {
		return 0
	}
	if n.Type == html.TextNode {
		for field := range strings.FieldsSeq(n.Data) {
			total += len(field)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		total += size(c)
	}
	return total
}

// prose is the number of bytes of running text below n: blocks of some length
// that are not made of links, code, and cells of tables.
func prose(root *html.Node) int {
	const long, linked = 80, 3 // bytes; the share of links is less than a third
	total := 0
	text, links := 0, 0
	end := func(least int) {
		if text >= least && links*linked < text {
			total += text
		}
		text, links = 0, 0
	}
	var visit func(n *html.Node, inLink bool)
	visit = func(n *html.Node, inLink bool) {
		if n.Type == html.TextNode {
			s := size(n)
			text += s
			if inLink {
				links += s
			}
			return
		}
		if noText[n.DataAtom] {
			return
		}
		least := long
		switch n.DataAtom {
		case atom.Pre, atom.Td, atom.Th:
			least = 1
		case atom.A:
			inLink = true
		}
		apart := blockElements[n.DataAtom]
		if apart {
			end(long)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c, inLink)
		}
		if apart {
			end(least)
		}
	}
	visit(root, false)
	end(long)
	return total
}

// dropMargins removes what declares itself to be no content, unless that is
// all there is.
func dropMargins(root *html.Node) {
	var margins []*html.Node
	inMargins := 0
	walk(root, func(n *html.Node) bool {
		switch {
		case n.Type != html.ElementNode:
		case n.DataAtom == atom.Nav, n.DataAtom == atom.Aside, n.DataAtom == atom.Footer && !within(n, atom.Article, atom.Blockquote),
			attr(n, "role") == "navigation", attr(n, "role") == "search", attr(n, "role") == "contentinfo":
			margins = append(margins, n)
			inMargins += size(n)
			return false
		}
		return true
	})
	if inMargins*2 > size(root) {
		return
	}
	for _, n := range margins {
		n.Parent.RemoveChild(n)
	}
}

// within reports whether n stands in one of these elements.
func within(n *html.Node, elements ...atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if slices.Contains(elements, p.DataAtom) {
			return true
		}
	}
	return false
}

// walk calls f for n and, where it returns true, for what is below.
func walk(n *html.Node, f func(*html.Node) bool) {
	if !f(n) {
		return
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		walk(c, f)
		c = next
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// properties reads the title and what the head says of the page.
func properties(b *extract.Builder, root *html.Node) {
	names := map[string]string{
		"author": "creator", "article:author": "creator", "dc.creator": "creator",
		"description": "description", "og:description": "description", "keywords": "keywords",
		"article:published_time": "created", "date": "created", "dc.date": "created",
	}
	walk(root, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Body, atom.Svg:
			return false
		case atom.Title:
			if b.Title == "" {
				b.Title = inlineText(n)
			}
		case atom.Meta:
			name := strings.ToLower(attr(n, "name") + attr(n, "property"))
			if property, ok := names[name]; ok {
				b.Property(property, attr(n, "content"))
			}
		}
		return true
	})
}

// firstHeading is the text of the first heading of level 1.
func firstHeading(root *html.Node) string {
	text := ""
	walk(root, func(n *html.Node) bool {
		if n.DataAtom == atom.H1 && text == "" {
			text = extract.Clean(inlineText(n))
		}
		return text == ""
	})
	return text
}
