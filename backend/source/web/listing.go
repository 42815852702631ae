package web

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"ibid/backend/corpus"
)

// Shapes of a source: what its root turned out to be when it was first looked
// at. A root of another shape later on is not believed.
type shape string

const (
	shapePage    shape = "page"
	shapeSitemap shape = "sitemap"
	shapeList    shape = "list"
)

// Bounds of a source. 50,000 addresses are what one sitemap may have.
const (
	maxAddresses = 50_000
	maxSitemaps  = 500
)

// listing is what a sitemap names.
type listing struct {
	pages    []string // as written
	sitemaps []string // of an index
}

// shapeOf tells what a root is. Anything that is no sitemap and no list of
// addresses is a page.
func shapeOf(data []byte) shape {
	head := data[:min(len(data), 4096)]
	if root := rootElement(head); root == "urlset" || root == "sitemapindex" {
		return shapeSitemap
	}
	if _, err := parseList(string(data[:min(len(data), 1<<20)])); err == nil && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) {
		return shapeList
	}
	return shapePage
}

// rootElement is the local name of an XML document's first element, "" if that
// is not in its head.
func rootElement(head []byte) string {
	if !bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff"))), []byte("<")) {
		return ""
	}
	d := decoderOf(head)
	for {
		t, err := d.Token()
		if err != nil {
			return ""
		}
		switch t := t.(type) {
		case xml.Directive: // a document type: neither has one
			return ""
		case xml.StartElement:
			return t.Name.Local
		}
	}
}

func decoderOf(data []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = charset.NewReaderLabel
	return d
}

// parseSitemap reads a sitemap or an index of sitemaps (sitemaps.org, 0.9). A
// damaged one is an error: what it would have named is not known.
func parseSitemap(data []byte) (listing, error) {
	var l listing
	d := decoderOf(data)
	var path []string
	var loc strings.Builder
	for {
		t, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && len(path) == 0:
			return l, nil
		case err != nil:
			return listing{}, fmt.Errorf("read sitemap: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if path = append(path, t.Name.Local); len(path) > 16 {
				return listing{}, fmt.Errorf("read sitemap: %w: nested too deep", corpus.ErrLimit)
			}
			loc.Reset()
		case xml.CharData:
			loc.Write(t) // in several parts where comments or CDATA divide it
		case xml.EndElement:
			if len(path) == 3 && path[2] == "loc" {
				l.add(path[1], strings.TrimSpace(loc.String()))
			}
			path = path[:len(path)-1]
			if len(l.pages) > maxAddresses || len(l.sitemaps) > maxSitemaps {
				return listing{}, fmt.Errorf("read sitemap: %w: more than %d pages or %d sitemaps", corpus.ErrLimit, maxAddresses, maxSitemaps)
			}
		}
	}
}

// add takes what a "loc" in an element of that name says.
func (l *listing) add(element, address string) {
	switch {
	case address == "":
	case element == "url":
		l.pages = append(l.pages, address)
	case element == "sitemap":
		l.sitemaps = append(l.sitemaps, address)
	}
}

// parseList reads a text with an address a line; empty lines and those that
// begin with "#" are passed over. It is no list if another line is in it.
func parseList(text string) ([]string, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%w: the list is not UTF-8", corpus.ErrInvalid)
	}
	var list []string
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case !isAddress(line):
			return nil, fmt.Errorf("%w: line %d of the list is no http or https address", corpus.ErrInvalid, n)
		default:
			list = append(list, line)
		}
		if len(list) > maxAddresses {
			return nil, fmt.Errorf("read list: %w: more than %d addresses", corpus.ErrLimit, maxAddresses)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: the list names no address", corpus.ErrInvalid)
	}
	return list, nil
}
