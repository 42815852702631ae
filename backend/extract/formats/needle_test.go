package formats

import (
	"fmt"
	"strings"
	"testing"

	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

// units is how many rows, slides, chapters … the documents have; the needles
// stand in the first, the middle and the last.
const units = 90

var needles = map[int]string{1: "XC23-ALPHA", 45: "XC23-BETA", units: "XC23-OMEGA"}

// unit is the text of unit n.
func unit(n int) string {
	return fmt.Sprintf("Unit %d says %d words of which none matters %s.", n, n*7, needles[n])
}

// repeat joins what f makes of each unit.
func repeat(f func(n int) string) string {
	var b strings.Builder
	for n := 1; n <= units; n++ {
		b.WriteString(f(n))
	}
	return b.String()
}

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

func packaged(t *testing.T, main, document string, more ...extracttest.Part) []byte {
	t.Helper()
	return extracttest.Zip(t, append([]extracttest.Part{
		{Name: "[Content_Types].xml"},
		{Name: "_rels/.rels", Data: `<r><r Id="1" Type="x/officeDocument" Target="` + main + `"/></r>`},
		{Name: main, Data: document},
	}, more...)...)
}

func presentation(t *testing.T) []byte {
	t.Helper()
	var parts []extracttest.Part
	for n := 1; n <= units; n++ {
		parts = append(parts, extracttest.Part{
			Name: fmt.Sprintf("ppt/s%d.xml", n),
			Data: `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>` + unit(n) + `</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
		})
	}
	parts = append(parts, extracttest.Part{
		Name: "ppt/_rels/p.xml.rels",
		Data: `<r>` + repeat(func(n int) string { return fmt.Sprintf(`<r Id="r%d" Type="x/slide" Target="s%d.xml"/>`, n, n) }) + `</r>`,
	})
	return packaged(t, "ppt/p.xml", `<p:presentation xmlns:p="p" xmlns:r="`+relations+`"><p:sldIdLst>`+
		repeat(func(n int) string { return fmt.Sprintf(`<p:sldId r:id="r%d"/>`, n) })+`</p:sldIdLst></p:presentation>`, parts...)
}

func workbook(t *testing.T) []byte {
	t.Helper()
	rows := repeat(func(n int) string {
		return fmt.Sprintf(`<row r="%d"><c t="str"><v>%s</v></c><c><v>%d</v></c></row>`, n+1, unit(n), n)
	})
	return packaged(t, "xl/w.xml", `<workbook xmlns:r="`+relations+`"><sheets><sheet name="Parts" r:id="r1"/></sheets></workbook>`,
		extracttest.Part{Name: "xl/_rels/w.xml.rels", Data: `<r><r Id="r1" Type="x/worksheet" Target="s.xml"/></r>`},
		extracttest.Part{Name: "xl/s.xml", Data: `<worksheet><sheetData><row r="1"><c t="str"><v>Text</v></c><c t="str"><v>Number</v></c></row>` + rows + `</sheetData></worksheet>`})
}

// paged is a PDF with a unit on each page.
func paged() []byte {
	var pages []extracttest.Page
	for n := 1; n <= units; n++ {
		pages = append(pages, extracttest.Page{Content: extracttest.Text(72, 700, 11, unit(n), "There is one unit on each page, and a second sentence as well.")})
	}
	return new(extracttest.PDF).Document("", pages...)
}

// A needle at the start, in the middle and at the end of each format stands in
// a passage whose location is where it stands in the document.
func TestNeedles(t *testing.T) {
	// A passage that begins with a heading stands under those above it.
	heading := func(l corpus.Location, own string, n int) bool {
		title := fmt.Sprintf("Part %d", n)
		return len(l.Headings) > 0 && l.Headings[len(l.Headings)-1] == title || strings.Contains(own, title+"\n")
	}
	slide := func(l corpus.Location, _ string, n int) bool { return l.Slide == n }
	row := func(l corpus.Location, _ string, n int) bool {
		return l.RowStart <= n+1 && n+1 <= l.RowEnd && l.RowEnd-l.RowStart < 40
	}
	lines := func(each int) func(corpus.Location, string, int) bool {
		return func(l corpus.Location, _ string, n int) bool {
			return l.LineStart <= n*each && n*each-each < l.LineEnd && l.LineEnd-l.LineStart < 60*each
		}
	}
	html := repeat(func(n int) string { return fmt.Sprintf("<h2>Part %d</h2><p>%s</p>", n, unit(n)) })
	tests := []struct {
		file string
		data []byte
		at   func(l corpus.Location, own string, n int) bool
	}{
		{"a.docx", packaged(t, "word/d.xml", `<w:document xmlns:w="w"><w:body>`+repeat(func(n int) string {
			return fmt.Sprintf(`<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Part %d</w:t></w:r></w:p><w:p><w:r><w:t>%s</w:t></w:r></w:p>`, n, strings.Repeat(unit(n)+" ", 30))
		})+`</w:body></w:document>`), heading},
		{"a.pptx", presentation(t), slide},
		{"a.xlsx", workbook(t), func(l corpus.Location, _ string, n int) bool { return l.Sheet == "Parts" && row(l, "", n) }},
		{"a.pdf", paged(), func(l corpus.Location, _ string, n int) bool {
			return l.Page <= n && n <= max(l.Page, l.PageEnd) && l.PageEnd-l.Page < 10 && len(l.Boxes) > 0
		}},
		{"a.rtf", []byte(`{\rtf1{\stylesheet{\s1\outlinelevel0 h;}}` + repeat(func(n int) string {
			return fmt.Sprintf(`\pard\s1 Part %d\par\pard %s\par `, n, strings.Repeat(unit(n)+" ", 30))
		}) + `}`), heading},
		{"a.html", []byte(strings.ReplaceAll(html, "</p>", strings.Repeat(" More of it.", 100)+"</p>")), heading},
		{"a.csv", []byte("text,number\n" + repeat(func(n int) string { return fmt.Sprintf("%s,%d\n", unit(n), n) })), row},
		{"a.eml", []byte("Subject: Units\n\n" + repeat(func(n int) string { return unit(n) + "\n\n" })), func(l corpus.Location, _ string, _ int) bool {
			return len(l.Headings) == 0 || l.Headings[0] == "Units"
		}},
		{"a.go", []byte("package x\n" + repeat(func(n int) string { return fmt.Sprintf("\n// f%d: %s\nfunc f%d() {}\n", n, unit(n), n) })), lines(3)},
		{"a.py", []byte(repeat(func(n int) string { return fmt.Sprintf("def f%d():\n    # %s\n\n", n, unit(n)) })), lines(3)},
		{"a.yaml", []byte(repeat(func(n int) string { return fmt.Sprintf("key%d:\n  text: %s\n", n, unit(n)) })), lines(2)},
		{"a.txt", []byte(repeat(func(n int) string { return unit(n) + "\n\n" })), lines(2)},
	}
	registry := extract.NewRegistry(append(Light(), Heavy(Options{Cache: extracttest.Cache()})...)...)
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			in := extract.Input{Name: tt.file, Data: tt.data, Type: extract.Sniff(tt.file, tt.data)}
			doc, err := registry.Extract(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			choice, err := chunk.For(in.Type, chunk.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			how := choice.Decide(doc)
			how.Options.Limit, how.Options.Count = 256, func(s string) int { return (len(s) + 3) / 4 }
			chunks, err := how.Strategy.Chunk(doc, how.Options)
			if err != nil {
				t.Fatal(err)
			}
			for n, needle := range needles {
				found := false
				for _, c := range chunks {
					own := doc.Text[c.Location.Start:c.Location.End]
					if strings.Contains(own, needle) {
						found = true
						if !tt.at(c.Location, own, n) {
							t.Errorf("%s of unit %d stands at %+v", needle, n, c.Location)
						}
					}
				}
				if !found {
					t.Errorf("%s is in none of %d passages", needle, len(chunks))
				}
			}
		})
	}
}
