package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

// Documents that are made to break readers are read, or fail with a reason;
// the next one is read.
func TestHostile(t *testing.T) {
	hello := extracttest.Text(72, 700, 12, "Hello world")
	page := extracttest.Page{Content: hello}
	whole := new(extracttest.PDF).Document("", page)
	tests := []struct {
		name string
		data []byte
		text string // that is read; "" demands an error or no text
		note string
	}{
		{"empty", []byte("%PDF-1.7\n"), "", ""},
		{"cut off in the middle", whole[:len(whole)/2], "", ""},
		{"without its table", bytes.ReplaceAll(whole, []byte("startxref"), nil), "Hello world", ""},
		{"page tree in a circle", circle(), "", ""},
		{"many pages declared", []byte(strings.Replace(string(whole), "/Count 1", "/Count 100000", 1)), "Hello world", "declares 100,000 pages"},
		{"forms in a circle", forms(page), "Hello world", "page 1 is damaged"},
		{"huge page", []byte(strings.Replace(string(whole), "612 792", "1e9 1e9", 1)), "Hello world", ""},
		{"page without size", []byte(strings.Replace(string(whole), "612 792", "0 0", 1)), "Hello world", ""},
		{"scripts", new(extracttest.PDF).Document("/OpenAction << /S /JavaScript /JS (while\\(true\\);) >>", page), "Hello world", ""},
		{"operators without end", onePage(hello + strings.Repeat("q ", 1_000_000)), "Hello world", ""},
		{"nested arrays", onePage(strings.Repeat("[", 200_000) + hello), "", ""},
		{"a million characters", onePage(strings.Repeat(extracttest.Text(72, 700, 12, strings.Repeat("word ", 100)), 2000)), "word word", ""},
		{"embedded file", embedded(page), "Hello world", ""},
	}
	registry := extract.NewRegistry(routes...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := registry.Extract(t.Context(), extract.Input{Name: "a.pdf", Type: extract.TypePDF, Data: tt.data})
			if err != nil && (tt.text != "" || strings.Contains(err.Error(), "panicked")) {
				t.Fatal(err)
			}
			if err == nil && !strings.Contains(doc.Text, tt.text) {
				t.Errorf("text %.200q", doc.Text)
			}
			if err == nil && tt.note != "" && !strings.Contains(strings.Join(doc.Report.Notes, ";"), tt.note) {
				t.Errorf("notes %q", doc.Report.Notes)
			}
			if next := read(t, whole); next.Text != "Hello world" {
				t.Errorf("the next document is read as %q", next.Text)
			}
		})
	}
}

func circle() []byte {
	var p extracttest.PDF
	tree := p.Reserve()
	p.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R %d 0 R] /Count 2 /Parent %d 0 R >>", tree, tree, tree))
	return p.Bytes(p.Add("<< /Type /Catalog /Pages %d 0 R >>", tree), "")
}

// forms is a document whose first page paints itself, 2^n times at depth n.
func forms(second extracttest.Page) []byte {
	var p extracttest.PDF
	a, b := p.Reserve(), p.Reserve()
	for _, pair := range [][2]int{{a, b}, {b, a}} {
		do := strings.Repeat("/X Do ", 2)
		p.Set(pair[0], fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X %d 0 R >> >> /Length %d >>\nstream\n%s\nendstream", pair[1], len(do), do))
	}
	return p.Document("", extracttest.Page{Content: "/X Do", Entries: fmt.Sprintf("/Resources << /XObject << /X %d 0 R >> >>", a)}, second)
}

func embedded(page extracttest.Page) []byte {
	var p extracttest.PDF
	file := p.Stream("/Type /EmbeddedFile", strings.Repeat("MZ", 1000))
	spec := p.Add("<< /Type /Filespec /F (run.exe) /EF << /F %d 0 R >> >>", file)
	return p.Document(fmt.Sprintf("/Names << /EmbeddedFiles << /Names [(run.exe) %d 0 R] >> >>", spec), page)
}

// A document whose pages are all unreadable is an error that says so.
func TestNoPages(t *testing.T) {
	_, err := extract.NewRegistry(routes...).Extract(t.Context(), extract.Input{Name: "a.pdf", Type: extract.TypePDF, Data: []byte("%PDF-1.7\nnothing")})
	if err == nil || !strings.Contains(err.Error(), "damaged") || errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}
