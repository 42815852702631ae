package office

import (
	"testing"

	"ibid/backend/extract/extracttest"
)

func p(content string) string { return `<w:p>` + content + `</w:p>` }

func r(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }

func styled(style, content string) string {
	return p(`<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>` + content)
}

func numbered(list, level, text string) string {
	return p(`<w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr></w:pPr>` + r(text))
}

func tc(props, content string) string {
	return `<w:tc><w:tcPr>` + props + `</w:tcPr>` + content + `</w:tc>`
}

func tr(cells ...string) string {
	s := `<w:tr>`
	for _, c := range cells {
		s += c
	}
	return s + `</w:tr>`
}

var docxParts = []extracttest.Part{
	{Name: "word/styles.xml", Data: header + `<w:styles ` + wordNS + `>
		<w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>
		<w:style w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
		<w:style w:styleId="Own"><w:name w:val="My Heading"/><w:basedOn w:val="H2"/></w:style>
		<w:style w:styleId="Round"><w:name w:val="Round"/><w:basedOn w:val="Round"/></w:style>
		<w:style w:styleId="T"><w:name w:val="Title"/></w:style>
		<w:style w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
		<w:style w:styleId="Q"><w:name w:val="Intense Quote"/></w:style>
		<w:style w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style>
	</w:styles>`},
	{Name: "word/numbering.xml", Data: header + `<w:numbering ` + wordNS + `>
		<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="3"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="(%2)"/></w:lvl></w:abstractNum>
		<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
		<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="§ %1"/><w:pStyle w:val="H1"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:pStyle w:val="H2"/></w:lvl></w:abstractNum>
		<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
		<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
		<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
		<w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
	</w:numbering>`},
	{Name: "word/footnotes.xml", Data: header + `<w:footnotes ` + wordNS + `><w:footnote w:type="separator" w:id="0">` + p(r("line")) + `</w:footnote><w:footnote w:id="2">` + p(r("Net of tax.")) + `</w:footnote></w:footnotes>`},
	{Name: "word/comments.xml", Data: header + `<w:comments ` + wordNS + `><w:comment w:id="7" w:author="Ann">` + p(r("Really three?")) + `</w:comment></w:comments>`},
	rels("word/_rels/document.xml.rels", "header", "header1.xml", "header", "header2.xml", "aFChunk", "chunk.html", "aFChunk", "chunk.rtf"),
	{Name: "word/header1.xml", Data: header + `<w:hdr ` + wordNS + `>` + p(r("ACME Ltd, confidential")) + `</w:hdr>`},
	{Name: "word/header2.xml", Data: header + `<w:hdr ` + wordNS + `>` + p(r("ACME Ltd, confidential")) + p(r("12")) + `</w:hdr>`},
	{Name: "word/chunk.html", Data: `<h3>Embedded</h3><p>in HTML`},
	{Name: "word/chunk.rtf", Data: `{\rtf1 x}`},
	{Name: "docProps/core.xml", Data: header + `<cp:coreProperties xmlns:cp="cp" xmlns:dc="dc" xmlns:dcterms="dt"><dc:title>Microsoft Word - draft.doc</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2024-03-01T09:00:00Z</dcterms:created><cp:keywords>rent, deposits;keys</cp:keywords></cp:coreProperties>`},
}

func TestDOCX(t *testing.T) {
	body := styled("T", r("Lease")) +
		styled("TOC1", r("Deposits 3")) +
		styled("H1", r("Deposits")) +
		styled("H2", r("Amount")) +
		p(r("Three ")+`<w:del><w:r><w:delText>four</w:delText></w:r></w:del><w:ins>`+r("months")+`</w:ins>`+r(" of rent")+
			`<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="7"/></w:r>`+r(", per<w:softHyphen/>haps.")) +
		p(`<w:moveFrom>`+r("moved away")+`</w:moveFrom><w:hyperlink>`+r("linked")+`</w:hyperlink><w:r><w:tab/><w:t>after tab</w:t><w:br/><w:t>next line</w:t></w:r>`) +
		p(r("seen ")+`<w:r><w:rPr><w:vanish/></w:rPr><w:t>vanished </w:t></w:r><w:r><w:rPr><w:color w:val="ffffff"/></w:rPr><w:t>white </w:t></w:r><w:r><w:rPr><w:sz w:val="2"/></w:rPr><w:t>tiny </w:t></w:r>`+
			`<w:r><w:rPr><w:color w:val="FFFFFF"/><w:shd w:fill="000000"/></w:rPr><w:t>white on black</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>, again seen</w:t></w:r>`) +
		styled("Ghost", r("a hidden paragraph")) +
		styled("Own", r("Own heading style")) +
		styled("Round", r("A style that is based on itself.")) +
		numbered("1", "0", "bullet") + numbered("1", "1", "third") + numbered("1", "1", "fourth") + numbered("1", "0", "bullet again") +
		numbered("2", "0", "first") + numbered("2", "0", "second") + numbered("4", "0", "fifth of another list") +
		styled("Q", r("To be quoted.")) +
		`<w:tbl>` + tr(tc("", p(r("Item"))), tc(`<w:gridSpan w:val="2"/>`, p(r("Price | net")))) +
		tr(tc(`<w:vMerge w:val="restart"/>`, p(r("Chair"))), tc("", p(r("10"))), tc("", p(r("EUR"))+p(r("each")))) +
		tr(tc(`<w:vMerge/>`, p("")), tc("", p(r("20"))), tc("", numbered("1", "0", "listed"))) +
		`<w:tr><w:trPr><w:del/></w:trPr>` + tc("", p(r("deleted row"))) + `</w:tr></w:tbl>` +
		`<w:tbl>` + tr(tc("", p(r("A box of text that a table only frames."))+styled("H1", r("Inside")))) + `</w:tbl>` +
		p(`<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>`+p(r("In a text box"))+`</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent>`+p(r("In a text box"))+`</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>`+r("Beside the box")) +
		p(`<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>c</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup><m:r><m:t>y</m:t></m:r></m:oMath>`) +
		`<w:sdt><w:sdtContent>` + p(r("In a content control")) + `</w:sdtContent></w:sdt>` +
		`<w:altChunk r:id="rId3"/><w:altChunk r:id="rId4"/><w:altChunk r:id="rId9"/>` +
		p(`<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:t>of field</w:t></w:r>`)
	doc := extracttest.Extract(t, Routes(), "lease.docx", docxOf(t, body, docxParts...))
	extracttest.Golden(t, "docx", doc)
}

func TestDOCXWithoutExtras(t *testing.T) {
	doc := extracttest.Extract(t, Routes(), "a.docx", docxOf(t, p(r("Only a body."))))
	if doc.Text != "Only a body." || doc.Title != "" || doc.Metadata != nil {
		t.Errorf("%q, title %q, %v", doc.Text, doc.Title, doc.Metadata)
	}
	if doc = extracttest.Extract(t, Routes(), "a.docx", docxOf(t, "")); doc.Text != "" || len(doc.Blocks) > 0 {
		t.Errorf("empty body: %q", doc.Text)
	}
}

func TestOrdinal(t *testing.T) {
	tests := []struct {
		format string
		n      int
		want   string
	}{
		{"decimal", 12, "12"},
		{"upperRoman", 1994, "MCMXCIV"},
		{"lowerRoman", 4, "iv"},
		{"lowerRoman", 4000, "4000"},
		{"upperLetter", 26, "Z"},
		{"lowerLetter", 28, "bb"},
		{"lowerLetter", 0, "0"},
		{"none", 3, ""},
		{"chineseCounting", 3, "3"},
	}
	for _, tt := range tests {
		if got := ordinal(tt.format, tt.n); got != tt.want {
			t.Errorf("%s %d: %q, want %q", tt.format, tt.n, got, tt.want)
		}
	}
}
