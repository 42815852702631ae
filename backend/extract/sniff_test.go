package extract

import (
	"archive/zip"
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	random := make([]byte, 4000)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(source.Uint32())
	}
	counters := make([]byte, 4000)
	for i := range counters {
		if i%4 == 0 {
			counters[i] = byte(i / 4)
		}
	}
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	tests := []struct {
		name, file, data, want string
	}{
		{"no extension", "README", "hello", "text/plain"},
		{"empty", "a.md", "", "text/markdown"},
		{"Markdown", "dir/A.MD", "# x", "text/markdown"},
		{"Markdown that begins with HTML", "a.md", "<h1 align=center>x</h1>", "text/markdown"},
		{"source", "main.go", "package main", "text/x-go"},
		{"unknown extension", "a.xyz", "text", "text/plain"},
		{"JSON", "a.json", "{}", "application/json"},
		{"CSV", "a.csv", "a,b\n1,2\n", "text/csv"},
		{"CSV in UTF-16", "a.csv", "\xff\xfea\x00,\x00b\x00", "text/csv"},
		{"HTML by content", "page", "\n<!DOCTYPE html><p>x", "text/html"},
		{"HTML named text", "a.txt", "<HTML><p>x", "text/html"},
		{"source that looks like HTML", "a.php", "<html><?php", "text/x-php"},
		{"web page as a message", "a.mhtml", "MIME-Version: 1.0\n\nx", "message/rfc822"},
		{"mail with a NUL", "a.eml", "From: a@b\nSubject: caf\xe9\n\nx\x00y", "message/rfc822"},
		{"mail with binary content", "a.eml", "Subject: x\n\n" + string(random), "message/rfc822"},
		{"mailbox with a NUL", "a.mbox", "From a\nSubject: caf\xe9\n\nx\x00y", "application/mbox"},
		{"no mail", "a.eml", string(random), "application/octet-stream"},
		{"XML by content", "feed", "<?xml version='1.0'?><a/>", "application/xml"},
		{"PDF named text", "a.txt", "%PDF-1.7\n", "application/pdf"},
		{"PDF after junk", "a.pdf", "junk\n%PDF-1.7\n", "application/pdf"},
		{"text about PDF", "a.md", "A file begins with %PDF-1.7.", "text/markdown"},
		{"text that begins like a bitmap", "a.txt", "BM25 ranks", "text/plain"},
		{"text that begins like a song", "a.txt", "ID3 tags", "text/plain"},
		{"picture named text", "a.txt", png, "image/png"},
		{"RTF", "a.doc", `{\rtf1 x}`, "application/rtf"},
		{"PostScript", "a.txt", "%!PS-Adobe-3.0\n", "application/postscript"},
		{"old Word", "a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "application/x-ole-storage"},
		{"random bytes", "a.txt", string(random), "application/octet-stream"},
		{"numbers", "a.dat", string(counters), "application/octet-stream"},
		{"big-endian numbers", "a.dat", strings.Repeat("\x00\x0a\x51\x34\x00\x0b\x4e\x00", 99), "application/octet-stream"},
		{"a few bytes", "a.dat", "\x00a\x00b", "application/octet-stream"},
		{"records with text", "a.dat", "name\x00caf\xe9\x00" + strings.Repeat("words ", 99), "application/octet-stream"},
		{"log that ends in NULs", "a.log", strings.Repeat("a line of the log\n", 50) + strings.Repeat("\x00", 64), "text/plain"},
		{"a letter cut by the sample's end", "a.txt", strings.Repeat("x", SniffLen-1) + "ä" + "\x01", "text/plain"},
		{"terminal recording", "a.txt", "\x1b[31mred\x1b[0m\b\b", "text/plain"},
		{"DOCX", "a.zip", zipped(t, "[Content_Types].xml", "word/document.xml"), TypeDOCX},
		{"XLSX", "a", zipped(t, "[Content_Types].xml", "xl/workbook.xml"), TypeXLSX},
		{"PPTX", "a", zipped(t, "[Content_Types].xml", "ppt/presentation.xml"), TypePPTX},
		{"EPUB", "a.zip", zipped(t, "mimetype=application/epub+zip", "OEBPS/a.html"), TypeEPUB},
		{"ODT", "a", zipped(t, "mimetype=application/vnd.oasis.opendocument.text", "content.xml"), TypeODT},
		{"ZIP with a folder named word", "a.zip", zipped(t, "word/list.txt"), "application/zip"},
		{"PPTX with a workbook in it", "a", zipped(t, "[Content_Types].xml", "ppt/a.xml", "ppt/b="+zipped(t, "xl/workbook.xml")), TypePPTX},
		{"DOCX cut off", "a", zipped(t, "[Content_Types].xml", "word/document.xml")[:100], TypeDOCX},
		{"DOCX without its parts", "a.docx", zipped(t, "theme.xml"), TypeDOCX},
		{"empty ZIP", "a.zip", zipped(t), "application/zip"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Sniff(test.file, []byte(test.data)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// zipped makes an archive; a part's content may follow its name after "=".
func zipped(t *testing.T, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range parts {
		name, content, _ := strings.Cut(part, "=")
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
