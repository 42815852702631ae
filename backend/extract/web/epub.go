package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/archive"
	"ibid/backend/extract/xmlwalk"
)

// epub extracts a book (EPUB 2 and 3): its chapters in reading order.
type epub struct{}

func (epub) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	a, err := archive.Open(ctx, in.Data)
	if err != nil {
		return nil, err
	}
	k := &book{ctx: ctx, Archive: a, b: extract.NewBuilder(in.Type), labels: map[string]string{}}
	if err := k.open(); err != nil {
		return nil, err
	}
	for _, part := range k.spine {
		if err := k.chapter(part); err != nil {
			return nil, fmt.Errorf("chapter %s: %w", path.Base(part), err)
		}
	}
	return k.b.Done()
}

// book is the reading of one book.
type book struct {
	ctx context.Context //nolint:containedctx // a book lives for one call of Extract
	*archive.Archive
	b      *extract.Builder
	spine  []string          // parts in reading order
	labels map[string]string // what the table of contents calls a part
}

// item is a part of the book in its manifest.
type item struct{ part, properties string }

// open reads the container, the package document and the table of contents.
func (k *book) open() error {
	main := ""
	err := k.walk("META-INF/container.xml", func(_ *xmlwalk.Walker, e xmlwalk.Element) error {
		if e.Name == "rootfile" && main == "" {
			main = e.Attr("full-path")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if main == "" {
		return errors.New("the container names no package document")
	}
	items := map[string]item{}
	contents := ""
	err = k.walk(main, func(w *xmlwalk.Walker, e xmlwalk.Element) error {
		switch e.Name {
		case "title", "creator", "subject", "description":
			text, err := w.Text()
			if e.Name == "title" && k.b.Title == "" {
				k.b.Title = text
			}
			k.b.Property(e.Name, text)
			return err
		case "item":
			it := item{beside(main, e.Attr("href")), e.Attr("properties")}
			items[e.Attr("id")] = it
			if strings.Contains(it.properties, "nav") || e.Attr("media-type") == "application/x-dtbncx+xml" {
				contents = it.part
			}
		case "itemref":
			if it, ok := items[e.Attr("idref")]; ok && !strings.Contains(it.properties, "nav") {
				k.spine = append(k.spine, it.part)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := k.refuseLocked(); err != nil {
		return err
	}
	return k.readContents(contents)
}

// walk calls f for each element of a part whose content f has not read.
func (k *book) walk(part string, f func(w *xmlwalk.Walker, e xmlwalk.Element) error) error {
	r, err := k.Part(part)
	if err != nil {
		return err
	}
	err = xmlwalk.Walk(k.ctx, r, func(w *xmlwalk.Walker, _ xmlwalk.Element) error {
		var each func(e xmlwalk.Element) error
		each = func(e xmlwalk.Element) error {
			depth := w.Depth()
			if err := f(w, e); err != nil || w.Depth() < depth {
				return err
			}
			return w.Children(each)
		}
		return w.Children(each)
	})
	if err != nil {
		return fmt.Errorf("read %s: %w", part, errors.Join(err, r.Close()))
	}
	return r.Close()
}

// refuseLocked fails if a chapter is encrypted. Fonts often are.
func (k *book) refuseLocked() error {
	const part = "META-INF/encryption.xml"
	if !k.Has(part) {
		return nil
	}
	return k.walk(part, func(_ *xmlwalk.Walker, e xmlwalk.Element) error {
		locked := beside("", e.Attr("URI"))
		for _, chapter := range k.spine {
			if e.Name == "CipherReference" && strings.EqualFold(chapter, locked) {
				return fmt.Errorf("the book is locked by its seller: %w", archive.ErrPassword)
			}
		}
		return nil
	})
}

// readContents reads the labels of the table of contents, of either kind.
func (k *book) readContents(part string) error {
	if part == "" || !k.Has(part) {
		return nil
	}
	label := ""
	keep := func(target, label string) {
		target = beside(part, target)
		if _, ok := k.labels[target]; !ok {
			k.labels[target] = label
		}
	}
	err := k.walk(part, func(w *xmlwalk.Walker, e xmlwalk.Element) (err error) {
		switch {
		case e.Name == "a" && e.Has("href"):
			label, err = w.Text()
			keep(e.Attr("href"), label)
		case e.Name == "text":
			label, err = w.Text()
		case e.Name == "content":
			keep(e.Attr("src"), label)
		}
		return err
	})
	if err != nil && !errors.Is(err, corpus.ErrLimit) && k.ctx.Err() == nil {
		k.b.Note("the table of contents cannot be read")
		return nil
	}
	return err
}

// beside resolves a reference in a part to another part.
func beside(part, ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	return strings.TrimPrefix(path.Join("/", path.Dir(part), ref), "/")
}

// chapter writes a part. One without heading has what the table of contents
// calls it.
func (k *book) chapter(part string) error {
	if !k.Has(part) {
		k.b.Note("the chapter %s is missing in the file", path.Base(part))
		return nil
	}
	data, err := k.Read(part)
	if err != nil {
		return err
	}
	text, _, err := extract.DecodeDeclared(data, charsetOf(data))
	if err != nil {
		return err
	}
	k.b.Section()
	root := parse(k.b, openTags(text))
	if root == nil {
		return stripTags(k.ctx, k.b, text)
	}
	dropHidden(k.b, root)
	if label := k.labels[part]; label != "" && !hasHeading(root) {
		k.b.Heading(1, label)
	}
	return write(k.ctx, k.b, root)
}

func hasHeading(root *html.Node) bool {
	found := false
	walk(root, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			found = true
		}
		return !found
	})
	return found
}

// emptyElement is an element of XHTML that has no content: <a id="x"/>.
var emptyElement = regexp.MustCompile(`<([a-zA-Z][a-zA-Z0-9]*)((?:\s[^<>]*)?)/>`)

// voidElements have no end tag in HTML.
var voidElements = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "source": true, "track": true, "wbr": true,
}

// openTags gives empty elements the end tags without which HTML takes all that
// follows for their content.
func openTags(xhtml string) string {
	return emptyElement.ReplaceAllStringFunc(xhtml, func(tag string) string {
		m := emptyElement.FindStringSubmatch(tag)
		if voidElements[strings.ToLower(m[1])] {
			return tag
		}
		return "<" + m[1] + m[2] + "></" + m[1] + ">"
	})
}
