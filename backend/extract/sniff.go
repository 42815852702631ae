package extract

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"
)

// SniffLen is how many bytes at the start of a document Sniff wants to see.
// For documents inside a zip it also looks at as many bytes of the end.
const SniffLen = 64 << 10

// Sniff returns the media type of a document: by its content first, and by the
// extension of name only to tell texts apart. Bytes that are no text of any
// encoding and no known format are "application/octet-stream".
func Sniff(name string, data []byte) string {
	head := data[:min(len(data), SniffLen)]
	ext := extension(name)
	controls := hasControls(head)
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")),
		// Readers accept up to 1,024 bytes before the header (PDF 1.7, implementation note 13).
		(controls || ext == ".pdf") && bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")):
		return TypePDF
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return sniffZip(data, head)
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return typeOLE
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return TypeRTF
	case bytes.HasPrefix(head, []byte("%!PS-Adobe-")):
		return typePostScript
	case controls:
		// The WHATWG algorithm names images, audio, video, fonts and archives. It
		// is asked only here: a text that begins with "BM" is no bitmap.
		t, _, _ := strings.Cut(http.DetectContentType(head), ";")
		if t != typeBinary && !strings.HasPrefix(t, "text/") {
			return t
		}
		if wide, _ := detectWide(head); wide == nil {
			return typeBinary
		}
	}
	byName := textTypes[ext]
	switch {
	case (byName == "" || byName == TypePlain) && isHTML(head):
		// Only a document type or root element convinces: Markdown and source
		// code often begin with some other element.
		return TypeHTML
	case byName == "" && hasPrefixFold(head, "<?xml"):
		return typeXML
	case byName == "":
		return TypePlain
	}
	return byName
}

// sniffZip looks for the parts by which office formats are known. Part names
// stand uncompressed in local headers and in the directory at the end.
func sniffZip(data, head []byte) string {
	tail := data[len(data)-min(len(data), SniffLen):]
	has := func(part string) bool {
		return bytes.Contains(head, []byte(part)) || bytes.Contains(tail, []byte(part))
	}
	if has("[Content_Types].xml") {
		switch {
		case has("word/"):
			return TypeDOCX
		case has("xl/"):
			return TypeXLSX
		case has("ppt/"):
			return TypePPTX
		}
	}
	// EPUB and OpenDocument store their type, uncompressed, as the first part.
	first := head[:min(len(head), 256)]
	for _, t := range []string{TypeEPUB, TypeODT, TypeODS, TypeODP} {
		if bytes.Contains(first, []byte("mimetype"+t)) {
			return t
		}
	}
	return typeZip
}

// hasControls reports whether the bytes are no text, unless in an encoding with
// zero bytes: control characters give it away. In UTF-8 a block of them is
// tolerated (a log cut short by a crash ends in NULs); elsewhere compressed data
// would hardly have more than what is refused.
func hasControls(head []byte) bool {
	controls, zeros := 0, 0
	for _, b := range head {
		switch {
		case b == 0:
			zeros++
		case b < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\x1b", rune(b)), b == 0x7f:
			controls++
		}
	}
	if utf8.Valid(trimPartial(head)) {
		return (controls+zeros)*10 > len(head)
	}
	return zeros > 0 || controls*50 > len(head)
}

// trimPartial cuts a rune that the end of a sample divided.
func trimPartial(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

func isHTML(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return hasPrefixFold(head, "<!doctype html") || hasPrefixFold(head, "<html")
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}
