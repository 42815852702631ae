package extracttest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

// units is how many rows, slides, chapters … the documents of NeedleFiles have.
const units = 90

// Needles stand in the first, the middle and the last unit, by its number.
func Needles() map[int]string {
	return map[int]string{1: "XC23-ALPHA", 45: "XC23-BETA", units: "XC23-OMEGA"}
}

// NeedleFile is a document with Needles.
type NeedleFile struct {
	Name string
	Data []byte
	// At reports whether a passage with this text, at this anchor, is at unit n.
	At func(a corpus.Anchor, text string, n int) bool
}

// NeedleFiles returns a document of each format that is read.
func NeedleFiles(tb testing.TB) []NeedleFile {
	tb.Helper()
	long := func(n int) string { return strings.Repeat(unit(n)+" ", 30) }
	markdown := each(func(n int) string { return fmt.Sprintf("## Part %d\n\n%s\n\n", n, unit(n)) })
	html := each(func(n int) string {
		return fmt.Sprintf("<h2>Part %d</h2><p>%s%s</p>", n, unit(n), strings.Repeat(" More of it.", 100))
	})
	return []NeedleFile{
		{"a.txt", []byte(each(func(n int) string { return unit(n) + "\n\n" })), atLine(2)},
		{"a.md", []byte(markdown), func(a corpus.Anchor, text string, n int) bool {
			return atHeading(a, text, n) && atLine(4)(a, text, n)
		}},
		{"a.html", []byte(html), atHeading},
		{"a.docx", packaged(tb, "word/d.xml", `<w:document xmlns:w="w"><w:body>`+each(func(n int) string {
			return fmt.Sprintf(`<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Part %d</w:t></w:r></w:p><w:p><w:r><w:t>%s</w:t></w:r></w:p>`, n, long(n))
		})+`</w:body></w:document>`), atHeading},
		{"a.pptx", presentation(tb), atSlide},
		{"a.xlsx", workbook(tb), atRow("Parts")},
		{"a.odt", openDocument(tb, extract.TypeODT, `<office:text>`+each(func(n int) string {
			return fmt.Sprintf(`<text:h text:outline-level="1">Part %d</text:h><text:p>%s</text:p>`, n, long(n))
		})+`</office:text>`), atHeading},
		{"a.ods", openDocument(tb, extract.TypeODS, `<office:spreadsheet><table:table table:name="Parts">`+sheetRow("Text", "Number")+each(func(n int) string {
			return sheetRow(unit(n), strconv.Itoa(n))
		})+`</table:table></office:spreadsheet>`), atRow("Parts")},
		{"a.odp", openDocument(tb, extract.TypeODP, `<office:presentation>`+each(func(n int) string {
			return fmt.Sprintf(`<draw:page draw:name="p%d"><draw:frame><draw:text-box><text:p>%s</text:p></draw:text-box></draw:frame></draw:page>`, n, unit(n))
		})+`</office:presentation>`), atSlide},
		{"a.rtf", []byte(`{\rtf1{\stylesheet{\s1\outlinelevel0 h;}}` + each(func(n int) string {
			return fmt.Sprintf(`\pard\s1 Part %d\par\pard %s\par `, n, long(n))
		}) + `}`), atHeading},
		{"a.pdf", pages(), func(a corpus.Anchor, _ string, n int) bool {
			return a.Page <= n && n <= max(a.Page, a.PageEnd) && a.PageEnd-a.Page < 20
		}},
		{"a.epub", book(tb, long), atHeading},
		{"a.eml", []byte("Subject: Units\n\n" + each(func(n int) string { return unit(n) + "\n\n" })), func(a corpus.Anchor, _ string, _ int) bool {
			return len(a.Headings) == 0 || a.Headings[0] == "Units"
		}},
		{"a.mbox", []byte(each(func(n int) string {
			return fmt.Sprintf("From a@b.example Mon Jan  1 00:00:00 2024\nSubject: Part %d\n\n%s\n\n", n, long(n))
		})), atHeading},
		{"a.csv", []byte("text,number\n" + each(func(n int) string { return fmt.Sprintf("%s,%d\n", unit(n), n) })), atRow("")},
		{"a.json", []byte("{\n" + each(func(n int) string {
			return fmt.Sprintf("  \"part%d\": {\n    \"text\": %q\n  },\n", n, unit(n))
		}) + "  \"end\": true\n}\n"), atLine(3)},
		{"a.yaml", []byte(each(func(n int) string { return fmt.Sprintf("key%d:\n  text: %s\n", n, unit(n)) })), atLine(2)},
		{"a.ipynb", []byte(`{"nbformat":4,"cells":[` + strings.TrimSuffix(each(func(n int) string {
			return fmt.Sprintf(`{"cell_type":"markdown","source":["## Part %d\n","\n","%s"]},`, n, unit(n))
		}), ",") + `]}`), atHeading},
		{"a.go", []byte("package x\n" + each(func(n int) string { return fmt.Sprintf("\n// f%d: %s\nfunc f%d() {}\n", n, unit(n), n) })), atLine(3)},
		{"a.py", []byte(each(func(n int) string { return fmt.Sprintf("def f%d():\n    # %s\n\n", n, unit(n)) })), atLine(3)},
	}
}

// atHeading: a passage stands under the heading of its unit, or holds it.
func atHeading(a corpus.Anchor, text string, n int) bool {
	title := fmt.Sprintf("Part %d", n)
	return len(a.Headings) > 0 && a.Headings[len(a.Headings)-1] == title || strings.Contains(text, title+"\n")
}

func atSlide(a corpus.Anchor, _ string, n int) bool { return a.Slide == n }

// atRow: the first row is a header.
func atRow(sheet string) func(corpus.Anchor, string, int) bool {
	return func(a corpus.Anchor, _ string, n int) bool {
		return a.Sheet == sheet && a.RowStart <= n+1 && n+1 <= a.RowEnd && a.RowEnd-a.RowStart < 40
	}
}

// atLine: each unit has some lines; as many may stand above all.
func atLine(each int) func(corpus.Anchor, string, int) bool {
	return func(a corpus.Anchor, _ string, n int) bool {
		return a.LineStart <= n*each+1 && n*each-each < a.LineEnd && a.LineEnd-a.LineStart < 60*each
	}
}

// unit is the text of unit n.
func unit(n int) string {
	return fmt.Sprintf("Unit %d says %d words of which none matters %s.", n, n*7, Needles()[n])
}

// each joins what f makes of each unit.
func each(f func(n int) string) string {
	var b strings.Builder
	for n := 1; n <= units; n++ {
		b.WriteString(f(n))
	}
	return b.String()
}

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

func packaged(tb testing.TB, main, document string, more ...Part) []byte {
	tb.Helper()
	return Zip(tb, append([]Part{
		{Name: "[Content_Types].xml"},
		{Name: "_rels/.rels", Data: `<r><r Id="1" Type="x/officeDocument" Target="` + main + `"/></r>`},
		{Name: main, Data: document},
	}, more...)...)
}

func presentation(tb testing.TB) []byte {
	tb.Helper()
	var parts []Part
	for n := 1; n <= units; n++ {
		parts = append(parts, Part{
			Name: fmt.Sprintf("ppt/s%d.xml", n),
			Data: `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>` + unit(n) + `</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
		})
	}
	parts = append(parts, Part{
		Name: "ppt/_rels/p.xml.rels",
		Data: `<r>` + each(func(n int) string { return fmt.Sprintf(`<r Id="r%d" Type="x/slide" Target="s%d.xml"/>`, n, n) }) + `</r>`,
	})
	return packaged(tb, "ppt/p.xml", `<p:presentation xmlns:p="p" xmlns:r="`+relations+`"><p:sldIdLst>`+
		each(func(n int) string { return fmt.Sprintf(`<p:sldId r:id="r%d"/>`, n) })+`</p:sldIdLst></p:presentation>`, parts...)
}

func workbook(tb testing.TB) []byte {
	tb.Helper()
	rows := each(func(n int) string {
		return fmt.Sprintf(`<row r="%d"><c t="str"><v>%s</v></c><c><v>%d</v></c></row>`, n+1, unit(n), n)
	})
	return packaged(tb, "xl/w.xml", `<workbook xmlns:r="`+relations+`"><sheets><sheet name="Parts" r:id="r1"/></sheets></workbook>`,
		Part{Name: "xl/_rels/w.xml.rels", Data: `<r><r Id="r1" Type="x/worksheet" Target="s.xml"/></r>`},
		Part{Name: "xl/s.xml", Data: `<worksheet><sheetData><row r="1"><c t="str"><v>Text</v></c><c t="str"><v>Number</v></c></row>` + rows + `</sheetData></worksheet>`})
}

func openDocument(tb testing.TB, mime, body string) []byte {
	tb.Helper()
	return Zip(tb,
		Part{Name: "mimetype", Data: mime},
		Part{Name: "content.xml", Data: `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:draw="d"><office:body>` + body + `</office:body></office:document-content>`})
}

func sheetRow(cells ...string) string {
	const before, after = `<table:table-cell office:value-type="string"><text:p>`, `</text:p></table:table-cell>`
	return `<table:table-row>` + before + strings.Join(cells, after+before) + after + `</table:table-row>`
}

// book has a chapter for each unit.
func book(tb testing.TB, text func(n int) string) []byte {
	tb.Helper()
	parts := []Part{
		{Name: "mimetype", Data: extract.TypeEPUB},
		{Name: "META-INF/container.xml", Data: `<container><rootfile full-path="b.opf"/></container>`},
		{Name: "b.opf", Data: `<package><manifest>` +
			each(func(n int) string { return fmt.Sprintf(`<item id="c%d" href="c%d.xhtml"/>`, n, n) }) + `</manifest><spine>` +
			each(func(n int) string { return fmt.Sprintf(`<itemref idref="c%d"/>`, n) }) + `</spine></package>`},
	}
	for n := 1; n <= units; n++ {
		parts = append(parts, Part{
			Name: fmt.Sprintf("c%d.xhtml", n), Data: fmt.Sprintf("<html><body><h1>Part %d</h1><p>%s</p></body></html>", n, text(n)),
		})
	}
	return Zip(tb, parts...)
}

// pages are a PDF with a page for each unit.
func pages() []byte {
	var list []Page
	for n := 1; n <= units; n++ {
		list = append(list, Page{Content: Text(72, 700, 12, unit(n))})
	}
	return new(PDF).Document("", list...)
}
