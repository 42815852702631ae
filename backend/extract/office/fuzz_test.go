package office

import (
	"slices"
	"strings"
	"testing"

	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

// grow makes well-formed XML of a choice of elements: a byte opens one of
// them, closes the last one, or writes a text.
func grow(choice []byte, elements []string) string {
	var b strings.Builder
	var open []string
	for _, c := range choice {
		n := int(c) % (len(elements) + 3)
		switch {
		case n < len(elements):
			name, _, _ := strings.Cut(elements[n], " ")
			b.WriteString("<" + elements[n] + ">")
			open = append(open, name)
		case n == len(elements):
			b.WriteString("text|é&#x202e; ")
		case n == len(elements)+1:
			b.WriteString("7")
		case len(open) > 0:
			b.WriteString("</" + open[len(open)-1] + ">")
			open = open[:len(open)-1]
		}
	}
	for _, name := range slices.Backward(open) {
		b.WriteString("</" + name + ">")
	}
	return b.String()
}

// seeds are choices that open, write and close.
func seeds(f *testing.F, elements []string) {
	f.Helper()
	n := byte(len(elements))
	all := []byte{}
	for i := range n {
		all = append(all, i)
		f.Add([]byte{i, n, n + 2, i, 0, n, n + 1})
	}
	f.Add(append(all, n))
}

var docxElements = []string{
	`w:p`, `w:r`, `w:t`, `w:tbl`, `w:tr`, `w:tc`, `w:tcPr`, `w:vMerge`, `w:gridSpan w:val="3"`, `w:trPr`, `w:tblHeader`, `w:pPr`,
	`w:pStyle w:val="H2"`, `w:numPr`, `w:numId w:val="1"`, `w:ilvl w:val="1"`, `w:rPr`, `w:vanish`, `w:footnoteReference w:id="2"`,
	`w:commentReference w:id="7"`, `w:txbxContent`, `m:oMath`, `m:f`, `m:num`, `m:den`, `w:sdt`, `w:gridBefore w:val="2"`, `w:outlineLvl w:val="8"`, `w:br`,
}

func FuzzDOCX(f *testing.F) {
	seeds(f, docxElements)
	f.Fuzz(func(t *testing.T, choice []byte) {
		extracttest.Fuzz(t, docx{}, extract.Input{Type: extract.TypeDOCX, Data: docxOf(t, grow(choice, docxElements), docxParts...)})
	})
}

var pptxElements = []string{
	`p:sp`, `p:nvPr`, `p:ph type="title"`, `p:ph`, `p:txBody`, `a:p`, `a:r`, `a:t`, `a:pPr lvl="3"`, `a:buAutoNum`, `a:buNone`,
	`p:graphicFrame`, `a:tbl`, `a:tr`, `a:tc vMerge="1"`, `a:tc`, `p:grpSp`, `a:br`, `a:fld type="slidenum"`,
}

func FuzzPPTX(f *testing.F) {
	seeds(f, pptxElements)
	f.Fuzz(func(t *testing.T, choice []byte) {
		tree := grow(choice, pptxElements)
		extracttest.Fuzz(t, pptx{}, extract.Input{Type: extract.TypePPTX, Data: pptxOf(t, []string{tree, tree})})
	})
}

var xlsxElements = []string{
	`row`, `row r="3"`, `row r="9"`, `c`, `c r="A1"`, `c r="D9" t="s"`, `c t="str"`, `c s="1"`, `c s="2"`, `v`, `is`, `t`, `f`,
}

func FuzzXLSX(f *testing.F) {
	seeds(f, xlsxElements)
	f.Fuzz(func(t *testing.T, choice []byte) {
		rows := grow(choice, xlsxElements)
		extracttest.Fuzz(t, xlsx{}, extract.Input{Type: extract.TypeXLSX, Data: xlsxOf(t, []string{rows, row(1, "t:b") + rows})})
	})
}

var odfElements = []string{
	`office:text`, `office:spreadsheet`, `text:h text:outline-level="9"`, `text:p`, `text:span`, `text:s`, `text:list`, `text:list-item`, `text:note`,
	`text:note-citation`, `text:note-body`, `office:annotation`, `draw:frame`, `draw:text-box`, `table:table table:name="x"`,
	`table:table-header-rows`, `table:table-row`, `table:table-row table:number-rows-repeated="3"`, `table:table-cell`,
	`table:table-cell table:number-columns-repeated="2"`, `draw:page`, `presentation:notes`, `text:hidden-text`,
}

func FuzzODF(f *testing.F) {
	seeds(f, odfElements)
	f.Fuzz(func(t *testing.T, choice []byte) {
		extracttest.Fuzz(t, odf{}, extract.Input{Type: extract.TypeODT, Data: odfOf(t, extract.TypeODT, "", grow(choice, odfElements))})
	})
}

func FuzzRTF(f *testing.F) {
	f.Add(`{\rtf1\ansi{\fonttbl{\f1\fcharset204 A;}}{\stylesheet{\s1\outlinelevel0 h;}}\pard\s1 a\par\intbl b\cell\row{\footnote c}\u8212?\'e9}`)
	f.Add(`\par{\*\annotation x}{\listtext 1.}\v y\v0\deleted z`)
	f.Fuzz(func(t *testing.T, data string) {
		extracttest.Fuzz(t, rtf{}, extract.Input{Type: extract.TypeRTF, Data: []byte(`{\rtf1` + data)})
	})
}

func FuzzNumberFormat(f *testing.F) {
	f.Add("#,##0.00;[Red]-#,##0", "1234.5")
	f.Add("[h]:mm", "1e300")
	f.Add(`yyyy"\`, "-1")
	f.Fuzz(func(_ *testing.T, code, raw string) { parseFormat(code).show(raw, false) })
}
