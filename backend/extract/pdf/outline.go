package pdf

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"ibid/backend/extract"
)

// bookmark is an entry of the document's outline.
type bookmark struct {
	title string
	level int // from 1
	page  int // from 1; 0: it is not said
}

const (
	maxBookmarks = 20_000 // also what bounds an outline that goes in circles
	maxDepth     = 32
)

// outline reads the document's outline in its order.
func (d *document) outline(ctx context.Context) []bookmark {
	var list, above []bookmark
	var walk func(parent *references.FPDF_BOOKMARK, level int)
	walk = func(parent *references.FPDF_BOOKMARK, level int) {
		if level > maxDepth {
			return
		}
		child, err := d.lib.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: d.ref, Bookmark: parent})
		if err != nil {
			return
		}
		for at := child.Bookmark; at != nil && len(list) < maxBookmarks && ctx.Err() == nil; {
			b := d.bookmark(*at)
			if slices.Contains(above, b) {
				return // the outline goes in a circle
			}
			list = append(list, bookmark{title: b.title, page: b.page, level: level})
			above = append(above, b)
			walk(at, level+1)
			above = above[:len(above)-1]
			next, err := d.lib.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: d.ref, Bookmark: *at})
			if err != nil {
				return
			}
			at = next.Bookmark
		}
	}
	walk(nil, 1)
	return list
}

func (d *document) bookmark(ref references.FPDF_BOOKMARK) bookmark {
	var b bookmark
	if title, err := d.lib.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: ref}); err == nil {
		b.title = strings.ReplaceAll(extract.Clean(title.Title), "\n", " ")
	}
	dest := d.destination(ref)
	if dest == nil {
		return b
	}
	if at, err := d.lib.FPDFDest_GetDestPageIndex(&requests.FPDFDest_GetDestPageIndex{Document: d.ref, Dest: *dest}); err == nil && at.Index >= 0 {
		b.page = at.Index + 1
	}
	return b
}

// destination is where a bookmark leads, itself or by what it does.
func (d *document) destination(ref references.FPDF_BOOKMARK) *references.FPDF_DEST {
	if got, err := d.lib.FPDFBookmark_GetDest(&requests.FPDFBookmark_GetDest{Document: d.ref, Bookmark: ref}); err == nil && got.Dest != nil {
		return got.Dest
	}
	action, err := d.lib.FPDFBookmark_GetAction(&requests.FPDFBookmark_GetAction{Bookmark: ref})
	if err != nil || action.Action == nil {
		return nil
	}
	got, err := d.lib.FPDFAction_GetDest(&requests.FPDFAction_GetDest{Document: d.ref, Action: *action.Action})
	if err != nil {
		return nil
	}
	return got.Dest
}

// properties reads what the document says of itself.
func (d *document) properties(b *extract.Builder) {
	tags := []string{"Title", "Author", "Subject", "Keywords", "CreationDate"}
	got, err := d.lib.GetMetaData(&requests.GetMetaData{Document: d.ref, Tags: &tags})
	if err != nil {
		return
	}
	names := map[string]string{"Title": "title", "Author": "creator", "Subject": "subject", "Keywords": "keywords"}
	for _, t := range got.Tags {
		if t.Tag == "CreationDate" {
			b.Property("created", day(t.Value))
			continue
		}
		b.Property(names[t.Tag], t.Value)
	}
}

// day is the date of a PDF date, D:YYYYMMDD… (ISO 32000-1, 7.9.4), or "".
func day(s string) string {
	s = strings.TrimPrefix(s, "D:")
	t, err := time.Parse("20060102", s[:min(len(s), 8)])
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}
