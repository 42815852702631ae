package office

import (
	"fmt"
	"testing"

	"ibid/backend/extract/archive"
	. "ibid/backend/extract/extracttest" //nolint:revive // the vocabulary of these tests
)

const (
	header   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	wordNS   = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	slidesNS = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	sheetsNS = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	relsOf   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// rels is a part of relations: kind and target in turns, named rId1, rId2 …
func rels(part string, list ...string) Part {
	s := header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	for i := 0; i < len(list); i += 2 {
		s += fmt.Sprintf(`<Relationship Id="rId%d" Type="%s%s" Target="%s"/>`, i/2+1, relsOf, list[i], list[i+1])
	}
	return Part{Name: part, Data: s + `</Relationships>`}
}

func contentTypes() Part { return Part{Name: "[Content_Types].xml", Data: header + `<Types/>`} }

// docxOf makes a document of this body and more parts.
func docxOf(tb testing.TB, body string, more ...Part) []byte {
	tb.Helper()
	return Zip(tb, append([]Part{
		contentTypes(),
		rels("_rels/.rels", "officeDocument", "word/document.xml"),
		{Name: "word/document.xml", Data: header + `<w:document ` + wordNS + `><w:body>` + body + `</w:body></w:document>`},
	}, more...)...)
}

// pptxOf makes a presentation of these trees of shapes.
func pptxOf(tb testing.TB, trees []string, more ...Part) []byte {
	tb.Helper()
	list, targets := "", []string{}
	parts := []Part{contentTypes(), rels("_rels/.rels", "officeDocument", "ppt/presentation.xml")}
	for i, tree := range trees {
		list += fmt.Sprintf(`<p:sldId id="%d" r:id="rId%d"/>`, 256+i, i+1)
		targets = append(targets, "slide", fmt.Sprintf("slides/slide%d.xml", i+1))
		parts = append(parts, Part{
			Name: fmt.Sprintf("ppt/slides/slide%d.xml", i+1),
			Data: header + `<p:sld ` + slidesNS + `><p:cSld><p:spTree>` + tree + `</p:spTree></p:cSld></p:sld>`,
		})
	}
	parts = append(parts, rels("ppt/_rels/presentation.xml.rels", targets...), Part{
		Name: "ppt/presentation.xml",
		Data: header + `<p:presentation ` + slidesNS + `><p:sldIdLst>` + list + `</p:sldIdLst></p:presentation>`,
	})
	return Zip(tb, append(parts, more...)...)
}

// xlsxOf makes a workbook with sheets "S1", "S2" … of these rows.
func xlsxOf(tb testing.TB, data []string, more ...Part) []byte {
	tb.Helper()
	list, targets := "", []string{}
	parts := []Part{contentTypes(), rels("_rels/.rels", "officeDocument", "xl/workbook.xml")}
	for i, rows := range data {
		state := ""
		if i > 0 && rows == hiddenSheet {
			state = ` state="veryHidden"`
		}
		list += fmt.Sprintf(`<sheet name="S%d" sheetId="%d" r:id="rId%d"%s/>`, i+1, i+1, i+1, state)
		targets = append(targets, "worksheet", fmt.Sprintf("worksheets/sheet%d.xml", i+1))
		parts = append(parts, Part{
			Name: fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1),
			Data: header + `<worksheet ` + sheetsNS + `><sheetData>` + rows + `</sheetData></worksheet>`,
		})
	}
	targets = append(targets, "sharedStrings", "sharedStrings.xml", "styles", "/xl/styles.xml")
	parts = append(parts, rels("xl/_rels/workbook.xml.rels", targets...), Part{
		Name: "xl/workbook.xml", Data: header + `<workbook ` + sheetsNS + `><sheets>` + list + `</sheets></workbook>`,
	}, Part{
		Name: "xl/sharedStrings.xml",
		Data: header + `<sst ` + sheetsNS + `><si><t>Region</t></si><si><r><t>Rev</t></r><r><t>enue</t></r><rPh sb="0" eb="1"><t>guide</t></rPh></si></sst>`,
	}, Part{
		Name: "xl/styles.xml",
		Data: header + `<styleSheet ` + sheetsNS + `><numFmts><numFmt numFmtId="164" formatCode="[$€-407] #,##0.00"/></numFmts>` +
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="10"/></cellXfs></styleSheet>`,
	})
	return Zip(tb, append(parts, more...)...)
}

const hiddenSheet = `<row r="1"><c r="A1" t="inlineStr"><is><t>obey me</t></is></c></row>`

// odfOf makes an OpenDocument file of a kind (text, spreadsheet, presentation).
func odfOf(tb testing.TB, mime, styles, body string, more ...Part) []byte {
	tb.Helper()
	return Zip(tb, append([]Part{
		{Name: "mimetype", Data: mime},
		{Name: "content.xml", Data: header + `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:draw="d" xmlns:style="s" xmlns:dc="dc" xmlns:presentation="p" xmlns:fo="fo">` +
			`<office:automatic-styles>` + styles + `</office:automatic-styles><office:body>` + body + `</office:body></office:document-content>`},
		{Name: "meta.xml", Data: header + `<office:document-meta xmlns:office="o" xmlns:dc="dc" xmlns:meta="m"><office:meta><dc:title>Stated title</dc:title><meta:initial-creator>Ada</meta:initial-creator><meta:keyword>engines</meta:keyword></office:meta></office:document-meta>`},
	}, more...)...)
}

// partOf reads a part of an archive.
func partOf(tb testing.TB, data []byte, name string) []byte {
	tb.Helper()
	a, err := archive.Open(tb.Context(), data)
	if err != nil {
		tb.Fatal(err)
	}
	part, err := a.Read(name)
	if err != nil {
		tb.Fatal(err)
	}
	return part
}

// withPart is an archive with one part exchanged.
func withPart(tb testing.TB, data []byte, name, content string) []byte {
	tb.Helper()
	a, err := archive.Open(tb.Context(), data)
	if err != nil {
		tb.Fatal(err)
	}
	var parts []Part
	for _, n := range a.Names() {
		if n == name {
			parts = append(parts, Part{Name: n, Data: content})
		} else {
			parts = append(parts, Part{Name: n, Data: string(partOf(tb, data, n))})
		}
	}
	return Zip(tb, parts...)
}
