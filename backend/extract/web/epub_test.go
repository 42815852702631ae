package web

import (
	"errors"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

// bookOf makes an EPUB of parts; the package document lists the chapters.
func bookOf(tb testing.TB, spine string, more ...extracttest.Part) []byte {
	tb.Helper()
	return extracttest.Zip(tb, append([]extracttest.Part{
		{Name: "mimetype", Data: extract.TypeEPUB},
		{Name: "META-INF/container.xml", Data: `<container xmlns="x"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`},
		{Name: "OEBPS/book.opf", Data: `<package xmlns="x" xmlns:dc="dc"><metadata><dc:title>On Deposits</dc:title><dc:creator>Ann</dc:creator></metadata>` +
			`<manifest><item id="c1" href="one.xhtml"/><item id="c2" href="chap%20two.xhtml"/><item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/><item id="lost" href="lost.xhtml"/></manifest>` +
			`<spine>` + spine + `</spine></package>`},
		{Name: "OEBPS/toc.ncx", Data: `<ncx xmlns="x"><navMap><navPoint><navLabel><text>Chapter one</text></navLabel><content src="one.xhtml"/></navPoint><navPoint><navLabel><text>Chapter two</text></navLabel><content src="chap%20two.xhtml#start"/></navPoint></navMap></ncx>`},
		{Name: "OEBPS/one.xhtml", Data: `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><a id="top"/><h1>One</h1><p>First chapter.</p><div style="display:none">hidden</div></body></html>`},
		{Name: "OEBPS/chap two.xhtml", Data: `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Second chapter, <i/>without heading.</p></body></html>`},
	}, more...)...)
}

func TestEPUB(t *testing.T) {
	data := bookOf(t, `<itemref idref="c2"/><itemref idref="c1"/><itemref idref="lost"/><itemref idref="nothing"/>`)
	extracttest.Golden(t, "epub", extracttest.Extract(t, Routes(), "a.epub", data))
}

func TestEPUBNavigation(t *testing.T) {
	data := extracttest.Zip(t,
		extracttest.Part{Name: "mimetype", Data: extract.TypeEPUB},
		extracttest.Part{Name: "META-INF/container.xml", Data: `<container><rootfile full-path="b.opf"/></container>`},
		extracttest.Part{Name: "b.opf", Data: `<package><manifest><item id="nav" href="nav.xhtml" properties="nav"/><item id="c" href="t/c.xhtml"/></manifest><spine><itemref idref="nav"/><itemref idref="c"/></spine></package>`},
		extracttest.Part{Name: "nav.xhtml", Data: `<html><body><nav><ol><li><a href="t/c.xhtml">The chapter</a></li></ol></nav></body></html>`},
		extracttest.Part{Name: "t/c.xhtml", Data: `<html><body>Text.</body></html>`},
	)
	doc := extracttest.Extract(t, Routes(), "a.epub", data)
	if doc.Text != "The chapter\n\nText." || doc.Title != "The chapter" {
		t.Errorf("%q, title %q", doc.Text, doc.Title)
	}
}

func TestEPUBRefuses(t *testing.T) {
	locked := extracttest.Part{Name: "META-INF/encryption.xml", Data: `<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/one.xhtml"/></CipherData></EncryptedData></encryption>`}
	tests := []struct {
		name string
		data []byte
		want error // nil: any
	}{
		{"locked", bookOf(t, `<itemref idref="c1"/>`, locked), corpus.ErrUnsupported},
		{"no container", extracttest.Zip(t, extracttest.Part{Name: "mimetype", Data: extract.TypeEPUB}), nil},
		{"container names nothing", extracttest.Zip(t, extracttest.Part{Name: "META-INF/container.xml", Data: `<container/>`}), nil},
	}
	for _, tt := range tests {
		if doc, err := (epub{}).Extract(t.Context(), extract.Input{Data: tt.data}); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %+v, %v", tt.name, doc, err)
		}
	}
	if _, err := (epub{}).Extract(t.Context(), extract.Input{Data: bookOf(t, `<itemref idref="c2"/>`, locked)}); err != nil {
		t.Errorf("a locked part that is not read: %v", err)
	}
}

func FuzzEPUBChapter(f *testing.F) {
	f.Add(`<html><body><p/><a id="x"/><h2>a</h2>b</body></html>`)
	f.Fuzz(func(t *testing.T, chapter string) {
		data := bookOf(t, `<itemref idref="c1"/><itemref idref="lost"/>`, extracttest.Part{Name: "OEBPS/lost.xhtml", Data: chapter})
		extracttest.Fuzz(t, epub{}, extract.Input{Type: extract.TypeEPUB, Data: data})
	})
}

func FuzzEPUBPackage(f *testing.F) {
	f.Add(`<container><rootfile full-path="b.opf"/></container>`, `<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>`, `<ncx><navMap><navPoint><navLabel><text>x</text></navLabel><content src="c.xhtml#y"/></navPoint></navMap></ncx>`)
	f.Add(`<rootfile full-path="../b.opf"/>`, `<item id="c" href="%2e%2e/c.xhtml" properties="nav"/>`, "")
	f.Fuzz(func(t *testing.T, container, pack, toc string) {
		data := extracttest.Zip(t,
			extracttest.Part{Name: "mimetype", Data: extract.TypeEPUB},
			extracttest.Part{Name: "META-INF/container.xml", Data: container},
			extracttest.Part{Name: "b.opf", Data: pack},
			extracttest.Part{Name: "toc.ncx", Data: toc},
			extracttest.Part{Name: "c.xhtml", Data: "<html><body>Text.</body></html>"},
		)
		extracttest.Fuzz(t, epub{}, extract.Input{Type: extract.TypeEPUB, Data: data})
	})
}
