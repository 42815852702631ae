package office

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/archive"
	"ibid/backend/extract/extracttest"
)

// Hostile documents end in an error that says why, or in what could be read.
func TestHostile(t *testing.T) {
	spaces := strings.Repeat(" ", 20<<20)
	whole := docxOf(t, p(r("text")))
	deep := strings.Repeat
	inner := docxOf(t, p(spaces))
	tests := []struct {
		name, file string
		data       []byte
		want       error // nil: any
		text       string
	}{
		{"spaces", "a.docx", docxOf(t, p(r(spaces))), corpus.ErrLimit, "compressed more than"},
		{"an archive in an archive", "a.docx", docxOf(t, p(r("text")), extracttest.Part{Name: "word/embeddings/b.docx", Data: string(inner)}), nil, ""},
		{"depth, DOCX", "a.docx", docxOf(t, deep("<w:sdt>", 200_000)), corpus.ErrLimit, "deeper"},
		{"tables in tables", "a.docx", docxOf(t, deep("<w:tbl><w:tr><w:tc>", 200_000)), corpus.ErrLimit, "deeper"},
		{"depth, PPTX", "a.pptx", pptxOf(t, []string{deep("<p:grpSp>", 200_000)}), corpus.ErrLimit, "deeper"},
		{"depth, XLSX", "a.xlsx", xlsxOf(t, []string{deep("<row>", 200_000)}), corpus.ErrLimit, "deeper"},
		{"depth, ODT", "a.odt", odfOf(t, extract.TypeODT, "", deep("<text:section>", 200_000)), corpus.ErrLimit, "deeper"},
		{"depth, RTF", "a.rtf", []byte(`{\rtf1 ` + deep("{", 200_000)), corpus.ErrLimit, "deeper"},
		{"entities", "a.docx", withPart(t, whole, "word/document.xml", `<!DOCTYPE a [<!ENTITY x "y">]><w:document>&x;</w:document>`), nil, "invalid character entity"},
		{"cut off", "a.docx", whole[:len(whole)/2], nil, "cut off"},
		{"cut off in a part", "a.docx", withPart(t, whole, "word/document.xml", `<w:document><w:body><w:p>`), nil, "unexpected EOF"},
		{"no main document", "a.docx", extracttest.Zip(t, contentTypes(), extracttest.Part{Name: "word/x"}), nil, "no main document"},
		{"main document missing", "a.docx", extracttest.Zip(t, contentTypes(), extracttest.Part{Name: "word/x"}, rels("_rels/.rels", "officeDocument", "word/document.xml")), nil, "part is missing"},
		{"binary workbook", "a.xlsb", extracttest.Zip(t, contentTypes(), extracttest.Part{Name: "xl/workbook.bin"}), corpus.ErrUnsupported, "XLSB"},
		{"rows without end, ODS", "a.ods", odfOf(t, extract.TypeODS, "", `<office:spreadsheet><table:table>`+strings.Repeat(`<table:table-row table:number-rows-repeated="1048576"><table:table-cell><text:p>`+strings.Repeat("x", 99)+`</text:p></table:table-cell></table:table-row>`, 9)+`</table:table></office:spreadsheet>`), corpus.ErrLimit, "longer than 64 MiB"},
		{"encrypted", "a.docx", oleOf("EncryptedPackage"), archive.ErrPassword, "password needed"},
		{"old Word", "a.doc", oleOf("WordDocument"), corpus.ErrUnsupported, "save it as DOCX"},
		{"old Excel", "a.xls", oleOf("Workbook"), corpus.ErrUnsupported, "save it as XLSX"},
		{"a mail of Outlook", "a.msg", oleOf("__properties_version1.0"), corpus.ErrUnsupported, "save it as EML"},
		{"other compound file", "a.ole", oleOf("Thumbs"), corpus.ErrUnsupported, "compound file"},
	}
	registry := extract.NewRegistry(Routes()...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := registry.Extract(t.Context(), extract.Input{Name: tt.file, Data: tt.data})
			switch {
			case tt.text == "" && err == nil && doc.Text == "text":
			case err == nil:
				t.Errorf("extracted %.100q", doc.Text)
			case tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text):
				t.Errorf("%v; want %v, %q", err, tt.want, tt.text)
			}
		})
	}
}

// oleOf is as much of a compound file as names its streams.
func oleOf(stream string) []byte {
	data := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 504)...)
	for _, u := range utf16.Encode([]rune(stream)) {
		data = append(data, byte(u), byte(u>>8))
	}
	return append(data, make([]byte, 512)...)
}

// Five million paragraphs are refused before they fill the memory.
func TestManyParagraphs(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	data := `{\rtf1 ` + strings.Repeat("x\\par\n", 5_000_000)
	_, err := rtf{}.Extract(t.Context(), extract.Input{Data: []byte(data)})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, corpus.ErrLimit) || !strings.Contains(err.Error(), "blocks") {
		t.Errorf("%v", err)
	}
	if mib := (int64(after.HeapSys) - int64(before.HeapSys)) >> 20; mib > 600 {
		t.Errorf("took %d MiB", mib)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	for name, data := range map[string][]byte{
		"a.docx": docxOf(t, strings.Repeat(p(r("x")), 1000)),
		"a.rtf":  []byte(`{\rtf1 x}`),
		"a.xlsx": xlsxOf(t, []string{row(1, "t:x")}),
	} {
		in := extract.Input{Name: name, Data: data, Type: extract.Sniff(name, data)}
		for _, route := range Routes() {
			if route.Types[0] != in.Type {
				continue
			}
			if _, err := route.Extractor.Extract(ctx, in); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
