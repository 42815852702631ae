// Package xmlwalk reads XML as a stream within bounds of depth and time. It
// does not keep a tree, so that memory does not grow with the document;
// entities other than XML's own five are errors.
package xmlwalk

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"ibid/backend/corpus"
)

// MaxDepth is how deep elements may nest.
const MaxDepth = 400

// Element is an element's start.
type Element struct {
	Name  string // without prefix
	attrs []xml.Attr
}

// Attr returns the value of an attribute, named without prefix, or "".
func (e Element) Attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// AttrIn is Attr for names that stand in several namespaces: the address of
// the one that is meant ends in space.
func (e Element) AttrIn(space, name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name && strings.HasSuffix(a.Name.Space, space) {
			return a.Value
		}
	}
	return ""
}

// Has reports whether the attribute stands there.
func (e Element) Has(name string) bool {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return true
		}
	}
	return false
}

// Walker is a place in a document: inside an element.
type Walker struct {
	ctx    context.Context //nolint:containedctx // a Walker lives for one call of Walk
	dec    *xml.Decoder
	depth  int
	tokens int
}

// Walk calls f within the root element. Errors wrap corpus.ErrLimit for depth
// and are ctx's when it ends.
func Walk(ctx context.Context, r io.Reader, f func(w *Walker, root Element) error) error {
	buffered := bufio.NewReader(r)
	var text io.Reader = buffered
	charset := func(label string, r io.Reader) (io.Reader, error) {
		e, err := htmlindex.Get(label)
		if err != nil {
			return nil, fmt.Errorf("encoding %q: %w", label, err)
		}
		return transform.NewReader(r, e.NewDecoder()), nil
	}
	if bom, err := buffered.Peek(2); err == nil && (bom[0] == 0xff && bom[1] == 0xfe || bom[0] == 0xfe && bom[1] == 0xff) {
		text = transform.NewReader(buffered, unicode.BOMOverride(unicode.UTF8.NewDecoder()))
		charset = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	}
	w := &Walker{ctx: ctx, dec: xml.NewDecoder(text)}
	w.dec.CharsetReader = charset
	for {
		t, err := w.token()
		if err != nil {
			return err
		}
		if e, ok := t.(xml.StartElement); ok {
			return f(w, element(e))
		}
	}
}

// Children calls f for each child element of the one that w is in, and leaves
// it. What f does not read of its element is skipped.
func (w *Walker) Children(f func(Element) error) error { return w.Mixed(nil, f) }

// Mixed is Children that also calls text, unless nil, for the character data
// between them.
func (w *Walker) Mixed(text func(string), f func(Element) error) error {
	level := w.depth
	for {
		t, err := w.token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := f(element(t)); err != nil {
				return err
			}
			for w.depth > level {
				if _, err := w.token(); err != nil {
					return err
				}
			}
		case xml.EndElement:
			return nil
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		}
	}
}

// Depth is how many elements w is in: less than before when one was left.
func (w *Walker) Depth() int { return w.depth }

// Text returns all character data of the element that w is in, and leaves it.
func (w *Walker) Text() (string, error) {
	level := w.depth
	var b strings.Builder
	for w.depth >= level {
		t, err := w.token()
		if err != nil {
			return "", err
		}
		if data, ok := t.(xml.CharData); ok {
			b.Write(data)
		}
	}
	return b.String(), nil
}

func (w *Walker) token() (xml.Token, error) {
	if w.tokens++; w.tokens%1024 == 0 {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
	}
	t, err := w.dec.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	switch t.(type) {
	case xml.StartElement:
		if w.depth++; w.depth > MaxDepth {
			return nil, fmt.Errorf("%w: elements nest deeper than %d", corpus.ErrLimit, MaxDepth)
		}
	case xml.EndElement:
		w.depth--
	}
	return t, nil
}

func element(e xml.StartElement) Element { return Element{Name: e.Name.Local, attrs: e.Attr} }
