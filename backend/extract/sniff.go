package extract

import (
	"archive/zip"
	"bytes"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// SniffLen is how many bytes at the start of a document Sniff wants to see.
// Of a document inside a zip it wants the directory at the end as well.
const SniffLen = 64 << 10

// PeekLen is how many bytes at the start of a document show that it is an
// image, sound, film or font.
const PeekLen = 4 << 10

// IsMedia reports whether a type is one of those that PeekLen bytes show.
func IsMedia(mediaType string) bool {
	family, _, _ := strings.Cut(mediaType, "/")
	return slices.Contains([]string{"image", "audio", "video", "font"}, family) && mediaType != textTypes[".svg"]
}

// IsArchive reports whether a type is that of a plain archive. A document of an
// office program looks like one until its directory, at the end, was read.
func IsArchive(mediaType string) bool { return mediaType == typeZip }

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
		return sniffZip(ext, data, head)
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return TypeOLE
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return TypeRTF
	case bytes.HasPrefix(head, []byte("%!PS-Adobe-")):
		return typePostScript
	case controls && isMessage(ext, head):
		// Attachments may stand in mail as they are, and programs leave NULs in it.
		return textTypes[ext]
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
	case (byName == "" || byName == TypePlain) && isHTML(head),
		// What a server made by such a program, not the program.
		byName == "text/x-php" && isHTML(head) && !bytes.Contains(head, []byte("<?")):
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

// sniffZip looks for the parts by which office formats are known. An archive
// that is damaged may still say by its extension what it was.
func sniffZip(ext string, data, head []byte) string {
	names := zipNames(data, head)
	within := func(dir string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, dir) })
	}
	if slices.Contains(names, "[Content_Types].xml") {
		switch {
		case within("word/"):
			return TypeDOCX
		case within("xl/"):
			return TypeXLSX
		case within("ppt/"):
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
	if t, ok := zipTypes[ext]; ok {
		return t
	}
	return typeZip
}

// zipNames returns the names in an archive's directory, or in its first
// headers where it has none.
func zipNames(data, head []byte) []string {
	var names []string
	if r, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		for _, f := range r.File {
			names = append(names, f.Name)
		}
		return names
	}
	const header = 30 // bytes, then the name
	for {
		i := bytes.Index(head, []byte("PK\x03\x04"))
		if i < 0 || len(head) < i+header {
			return names
		}
		n := int(head[i+26]) | int(head[i+27])<<8
		name := head[i+header:]
		names = append(names, string(name[:min(n, len(name))]))
		head = head[i+header:]
	}
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

// isMessage reports whether what is mail by its name begins as mail does: with
// a header field (RFC 5322, 2.2), or the line between messages of a mailbox.
func isMessage(ext string, head []byte) bool {
	if t := textTypes[ext]; t != TypeEML && t != TypeMBOX {
		return false
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.HasPrefix(line, []byte("From ")) {
		return true
	}
	name, _, ok := bytes.Cut(line, []byte(":"))
	return ok && len(name) > 0 && !slices.ContainsFunc(name, func(b byte) bool { return b <= ' ' || b >= 0x7f })
}

func isHTML(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return hasPrefixFold(head, "<!doctype html") || hasPrefixFold(head, "<html")
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}
