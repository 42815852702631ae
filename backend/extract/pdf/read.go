package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

const (
	maxPages = 50_000
	// maxFailed is how many pages in a row may be unreadable: a damaged or
	// hostile document declares any number of them.
	maxFailed = 100
	// maxTraps is how many pages may end an instance of pdfium.
	maxTraps = 3
	// maxCharacters bounds the characters of one page.
	maxCharacters = 2_000_000
)

// pages reads the document's pages.
func (d *document) pages(ctx context.Context) ([]page, error) {
	if d.declared > maxPages {
		// A number alone says little: what is there decides.
		if _, err := d.page(min(maxPages, d.declared-1)); err == nil {
			return nil, fmt.Errorf("%w: the document has %d pages, at most %d", corpus.ErrLimit, d.declared, maxPages)
		}
	}
	var list []page
	var first error
	failed, traps, characters := 0, 0, 0
	for i := range min(d.declared, maxPages) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := d.page(i)
		if trapped(err) {
			err = trap(err)
			if traps++; traps > maxTraps {
				return nil, fmt.Errorf("page %d: %w", i+1, err)
			}
			d.close()
			if err := d.load(); err != nil {
				return nil, err
			}
		}
		if err != nil {
			p = page{number: i + 1, failed: true}
			failed++
			if first == nil {
				first = err
			}
		} else {
			failed = 0
		}
		for _, s := range p.segments {
			characters += len(s.text)
		}
		if characters > extract.MaxText {
			return nil, fmt.Errorf("%w: the text is longer than %d MiB at page %d", corpus.ErrLimit, extract.MaxText>>20, i+1)
		}
		list = append(list, p)
		if failed == maxFailed {
			break
		}
	}
	if failed == len(list) {
		return nil, fmt.Errorf("none of its pages can be read; the file is damaged: %w", cmp.Or(first, errNoPages))
	}
	return list[:len(list)-failed], nil
}

var errNoPages = errors.New("it has none")

// page reads a page, by its index.
func (d *document) page(i int) (page, error) {
	loaded, err := d.lib.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.ref, Index: i})
	if err != nil {
		return page{}, fmt.Errorf("load page %d: %w", i+1, err)
	}
	defer func() { _, _ = d.lib.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) }()
	p := page{number: i + 1, label: d.label(i)}
	ref := requests.Page{ByReference: &loaded.Page}
	m, err := d.matrix(ref)
	if err != nil {
		return page{}, fmt.Errorf("measure page %d: %w", i+1, err)
	}
	p.shown = m
	p.width, p.height = m.size()
	text, err := d.lib.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: ref})
	if err != nil {
		return page{}, fmt.Errorf("read page %d: %w", i+1, err)
	}
	defer func() { _, _ = d.lib.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}) }()
	if err := d.characters(text.TextPage, ref, m, &p); err != nil {
		return page{}, fmt.Errorf("read page %d: %w", i+1, err)
	}
	if len(p.segments) == 0 {
		d.shows(ref, &p)
	}
	p.marks = d.marks(ref, m, &p)
	return p, nil
}

// label is the page's label where it is another than its number.
func (d *document) label(i int) string {
	l, err := d.lib.FPDF_GetPageLabel(&requests.FPDF_GetPageLabel{Document: d.ref, Page: i})
	if err != nil {
		return "" // it has none
	}
	if label := extract.Clean(l.Label); label != strconv.Itoa(i+1) && len(label) <= 50 {
		return label
	}
	return ""
}

// matrix finds what of a page is shown, and how it is turned.
func (d *document) matrix(ref requests.Page) (matrix, error) {
	bounds, err := d.lib.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: ref})
	if err != nil {
		return matrix{}, err
	}
	rotation, err := d.lib.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: ref})
	if err != nil {
		return matrix{}, err
	}
	r := bounds.Rect
	return matrix{left: r.Left, bottom: r.Bottom, right: r.Right, top: r.Top, turns: int(rotation.PageRotation) & 3}, nil
}

// characters reads the text of a page into segments, without what nobody sees.
func (d *document) characters(text references.FPDF_TEXTPAGE, ref requests.Page, m matrix, p *page) error {
	count, err := d.lib.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil {
		return err
	}
	if count.Count > maxCharacters {
		return fmt.Errorf("%w: %d characters on one page", corpus.ErrLimit, count.Count)
	}
	var s segmenter
	v := visibility{document: d, text: text, ref: ref, m: m}
	box := requests.FPDFText_GetLooseCharBox{TextPage: text}
	char := requests.FPDFText_GetUnicode{TextPage: text}
	for i := range count.Count {
		char.Index, box.Index = i, i
		u, err := d.lib.FPDFText_GetUnicode(&char)
		if err != nil {
			return err
		}
		g := glyph{r: rune(u.Unicode)}
		if g.r >= 0xe0000 && g.r <= 0xe007f { // tags, in which text can be smuggled
			p.hidden++
			continue
		}
		if !takesRoom(g.r) {
			s.add(g)
			continue
		}
		at, err := d.lib.FPDFText_GetLooseCharBox(&box)
		if err != nil {
			return err
		}
		g.box = m.box(at.Rect.Left, at.Rect.Bottom, at.Rect.Right, at.Rect.Top)
		if !v.seen(i, g, &s) {
			p.hidden++
			continue
		}
		g.size, g.bold = v.size, v.bold
		s.add(g)
	}
	p.segments = s.done()
	return nil
}

func takesRoom(r rune) bool { return r > ' ' && r != 0xa0 && r != 0xad && r != 0xfffe }

// shows finds out what a page without readable text has on it.
func (d *document) shows(ref requests.Page, p *page) {
	d.objects(ref, func(o object) bool {
		p.painted = p.painted || o.kind == kindText
		p.drawn = p.drawn || o.kind == kindText || !o.white
		return !p.painted
	})
}
