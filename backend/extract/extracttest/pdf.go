package extracttest

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"
)

// PDF writes PDF documents, object by object (ISO 32000-1, 7.5).
type PDF struct{ objects []string }

// Reserve returns the number of an object that is set later.
func (p *PDF) Reserve() int {
	p.objects = append(p.objects, "null")
	return len(p.objects)
}

// Set sets an object.
func (p *PDF) Set(n int, object string) { p.objects[n-1] = object }

// Add adds an object and returns its number.
func (p *PDF) Add(format string, args ...any) int {
	n := p.Reserve()
	p.Set(n, fmt.Sprintf(format, args...))
	return n
}

// Stream adds a stream with these entries besides its length.
func (p *PDF) Stream(entries, data string) int {
	return p.Add("<< %s /Length %d >>\nstream\n%s\nendstream", entries, len(data), data)
}

// Bytes is the document with this root; trailer holds further entries.
func (p *PDF) Bytes(root int, trailer string) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(p.objects))
	for i, o := range p.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(p.objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(p.objects)+1, root, trailer, xref)
	return []byte(b.String())
}

// Page is a page of a document: what it paints, and further entries.
type Page struct{ Content, Entries string }

// Fonts adds the resources of pages: F1 is Helvetica, F2 bold.
func (p *PDF) Fonts() int {
	font := func(name string) int {
		return p.Add("<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>", name)
	}
	return p.Add("<< /Font << /F1 %d 0 R /F2 %d 0 R >> >>", font("Helvetica"), font("Helvetica-Bold"))
}

// Document makes the document of these pages, of 612 by 792 points; catalog
// holds further entries of its root.
func (p *PDF) Document(catalog string, pages ...Page) []byte {
	resources, tree := p.Fonts(), p.Reserve()
	var kids []string
	for _, page := range pages {
		content := p.Stream("", page.Content)
		kids = append(kids, fmt.Sprintf("%d 0 R", p.Add(
			"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Resources %d 0 R /Contents %d 0 R %s >>",
			tree, resources, content, page.Entries)))
	}
	p.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids)))
	return p.Bytes(p.Add("<< /Type /Catalog /Pages %d 0 R %s >>", tree, catalog), "")
}

// Picture makes a document of one page of 612 by 792 points that is a gray
// picture, given as PNG.
func (p *PDF) Picture(tb testing.TB, data []byte) []byte {
	tb.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	b := picture.Bounds()
	var gray strings.Builder
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, _, _, _ := picture.At(x, y).RGBA()
			gray.WriteByte(byte(r >> 8))
		}
	}
	image := p.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8", b.Dx(), b.Dy()), gray.String())
	return p.Document("", Page{Content: "612 0 0 792 0 0 cm /I Do", Entries: fmt.Sprintf("/Resources << /XObject << /I %d 0 R >> >>", image)})
}

// Text paints lines, from a place on downwards.
func Text(x, y, size float64, lines ...string) string {
	return Show("F1", x, y, size, lines...)
}

// Show paints lines in a font.
func Show(font string, x, y, size float64, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT /%s %g Tf %g TL %g %g Td\n", font, size, 1.2*size, x, y)
	for _, l := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(l))
	}
	return b.String() + "ET\n"
}
