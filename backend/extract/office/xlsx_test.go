package office

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ibid/backend/extract/archive"
	"ibid/backend/extract/extracttest"
)

// row makes a row of cells "t:text", "v:number", "v2:number of style 2", "" for none.
func row(number int, cells ...string) string {
	s := fmt.Sprintf(`<row r="%d">`, number)
	for i, c := range cells {
		ref := fmt.Sprintf("%c%d", 'A'+i, number)
		kind, value, _ := strings.Cut(c, ":")
		switch {
		case kind == "t":
			s += fmt.Sprintf(`<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, ref, value)
		case strings.HasPrefix(kind, "v"):
			s += fmt.Sprintf(`<c r="%s" s="%s"><v>%s</v></c>`, ref, strings.TrimPrefix(kind, "v"), value)
		case kind != "":
			s += fmt.Sprintf(`<c r="%s" t="%s"><v>%s</v></c>`, ref, kind, value)
		}
	}
	return s + `</row>`
}

func TestXLSX(t *testing.T) {
	first := row(1, "t:Report of 2024") +
		row(3, "", "t:First half", "", "t:Second half") +
		row(4, "s:0", "s:1", "t:When", "t:Share") +
		row(5, "t:North", "v2:1234.5", "v1:45352", "v3:0.125") +
		row(6, "t:South | East", "v2:-3", "v1:45353.75", "b:1") +
		row(8, "t:Total", "v:1231.5") +
		row(20, "t:West", "v2:7", "v1:45354", "v3:0.5") +
		`<row r="21" hidden="1"><c r="A21"><f>A1</f></c><c r="B21" t="str"><v>shown formula</v></c><c r="C21" t="e"><v>#N/A</v></c></row>` +
		row(30, "t:only words") + row(31, "t:in one column") +
		row(40, "t:Key", "t:Value") + row(41, "t:a", "v:1")
	data := xlsxOf(t, []string{first, hiddenSheet, row(1, "t:alone")},
		rels("xl/worksheets/_rels/sheet1.xml.rels", "comments", "../comments1.xml", "drawing", "../drawings/drawing1.xml"),
		extracttest.Part{Name: "xl/comments1.xml", Data: header + `<comments ` + sheetsNS + `><commentList><comment ref="B5"><text><r><t>Check</t></r><r><t> this</t></r></text></comment></commentList></comments>`},
		extracttest.Part{Name: "xl/drawings/drawing1.xml", Data: header + `<xdr:wsDr xmlns:xdr="x" ` + slidesNS + `><xdr:twoCellAnchor><xdr:sp><xdr:txBody>` + ap("", "In a shape") + `</xdr:txBody></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>`},
	)
	extracttest.Golden(t, "xlsx", extracttest.Extract(t, Routes(), "a.xlsx", data))
}

// Every row of a sheet stands in a line of the table, and its number is told.
func TestXLSXRows(t *testing.T) {
	var b strings.Builder
	b.WriteString(row(1, "t:Part", "t:Count"))
	for i := 2; i <= 500; i++ {
		b.WriteString(row(i, fmt.Sprintf("t:P-%d", i), fmt.Sprintf("v:%d", i)))
	}
	doc := extracttest.Extract(t, Routes(), "a.xlsx", xlsxOf(t, []string{b.String()}))
	if doc.Report.Rows != 500 || len(doc.Blocks) != 2 {
		t.Fatalf("%d rows, %d blocks", doc.Report.Rows, len(doc.Blocks))
	}
	table := doc.Blocks[1]
	if a := table.Anchor; a.Sheet != "S1" || a.RowStart != 1 || a.RowEnd != 500 {
		t.Errorf("anchor %+v", a)
	}
	lines := strings.Split(doc.Text[table.Start+table.Header:table.End], "\n")
	if len(lines) != 499 || lines[0] != "| P-2 | 2 |" || lines[498] != "| P-500 | 500 |" {
		t.Errorf("%d lines, %q … %q", len(lines), lines[0], lines[len(lines)-1])
	}
}

// A workbook without its shared strings, its styles, or what names them gives
// what it has, and says what is missing.
func TestXLSXMissingParts(t *testing.T) {
	data := xlsxOf(t, []string{row(1, "s:0", "s:1", "t:own text") + row(2, "v2:1234.5", "v1:45352", "s:1")})
	without := func(names ...string) (parts []extracttest.Part) {
		a, err := archive.Open(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range a.Names() {
			if !slices.Contains(names, name) {
				parts = append(parts, extracttest.Part{Name: name, Data: string(partOf(t, data, name))})
			}
		}
		return parts
	}
	renamed := bytes.ReplaceAll(partOf(t, data, "xl/_rels/workbook.xml.rels"), []byte("relationships/sharedStrings"), []byte("relationships/other"))
	for _, tt := range []struct {
		name  string
		parts []extracttest.Part
		texts []string
		notes []string
	}{
		{"strings", without("xl/sharedStrings.xml"), []string{"own text", "1,234.50"}, []string{"3 cells are empty here"}},
		{"styles", without("xl/styles.xml"), []string{"Region", "Revenue", "1234.5"}, []string{"xl/styles.xml is missing"}},
		{"both", without("xl/sharedStrings.xml", "xl/styles.xml"), []string{"own text", "1234.5"}, []string{"3 cells are empty here", "xl/styles.xml is missing"}},
		{
			"relation", append(without("xl/_rels/workbook.xml.rels"), extracttest.Part{Name: "xl/_rels/workbook.xml.rels", Data: string(renamed)}),
			[]string{"Region", "Revenue"},
			nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := extracttest.Extract(t, Routes(), "a.xlsx", extracttest.Zip(t, tt.parts...))
			for _, text := range tt.texts {
				if !strings.Contains(doc.Text, text) {
					t.Errorf("no %q in %q", text, doc.Text)
				}
			}
			notes := strings.Join(doc.Report.Notes, "\n")
			for _, note := range tt.notes {
				if !strings.Contains(notes, note) {
					t.Errorf("no %q in the notes %q", note, notes)
				}
			}
			if len(doc.Report.Notes) != len(tt.notes) {
				t.Errorf("notes %q", doc.Report.Notes)
			}
		})
	}
}

func TestXLSXLastCell(t *testing.T) {
	far := row(1, "t:near") + `<row r="1048576"><c r="XFD1048576" t="str"><v>far</v></c><c r="A1048576" t="str"><v>left</v></c></row>`
	doc := extracttest.Extract(t, Routes(), "a.xlsx", xlsxOf(t, []string{far}))
	if len(doc.Text) > 100 || !strings.Contains(doc.Text, "near") || len(doc.Report.Notes) != 1 {
		t.Errorf("%d bytes, notes %q", len(doc.Text), doc.Report.Notes)
	}
}

func TestNumberFormats(t *testing.T) {
	tests := []struct{ code, raw, want string }{
		{"General", "0.30000000000000004", "0.3"},
		{"General", "1E+20", "1E+20"},
		{"General", "12345678901", "12345678901"},
		{"", "7", "7"},
		{"0", "2.5", "2"},
		{"0.00", "2.5", "2.50"},
		{"0.0##", "2.5", "2.5"},
		{"0.0##", "2.12349", "2.123"},
		{"#,##0.00", "1234567.891", "1,234,567.89"},
		{"#,##0.00;[Red]-#,##0.00", "-1234", "-1,234.00"},
		{"0.0%", "0.125", "12.5%"},
		{"0%", "1", "100%"},
		{`"EUR "#,##0`, "1500", "EUR 1,500"},
		{"[$€-407] #,##0.00", "9.5", "€ 9.50"},
		{`#,##0.0,,"M"`, "12345678", "12.3M"},
		{"0,", "12345", "12"},
		{"0.00E+00", "12345", "1.23E+04"},
		{"# ?/?", "0.5", "0.5"},
		{"@", "0.5", "0.5"},
		{"_(* #,##0_)", "1234", "1,234"},
		{"yyyy-mm-dd", "45352", "2024-03-01"},
		{"d. mmmm yyyy", "45352.5", "2024-03-01"},
		{"m/d/yy h:mm", "45352.5", "2024-03-01 12:00"},
		{"h:mm AM/PM", "0.75", "18:00"},
		{"mm:ss", "0.000011574074", "00:00:01"},
		{"[h]:mm", "1.5", "36:00:00"},
		{"yyyy", "1", "1900-01-01"},
		{"yyyy", "59", "1900-02-28"},
		{"yyyy", "61", "1900-03-01"},
		{"yyyy", "1E300", "1E300"},
		{"[h]", "1E300", "1E300"},
		{"0", "NaN", "NaN"},
		{"0", "text", "text"},
		{`"open`, "5", "5"},
		{"[", "5", "5"},
		{"\\", "5", "5"},
	}
	for _, tt := range tests {
		if got := parseFormat(tt.code).show(tt.raw, false); got != tt.want {
			t.Errorf("%q of %s: %q, want %q", tt.code, tt.raw, got, tt.want)
		}
	}
	if got := parseFormat("yyyy-mm-dd").show("1", true); got != "1904-01-02" {
		t.Errorf("from 1904: %q", got)
	}
}

func TestColumnOf(t *testing.T) {
	for ref, want := range map[string]int{"A1": 1, "Z9": 26, "AB7": 28, "XFD1048576": 16384, "": 0, "7": 0, strings.Repeat("Z", 99): 12356630} {
		if got := columnOf(ref); got != want {
			t.Errorf("%q: %d, want %d", ref, got, want)
		}
	}
}
