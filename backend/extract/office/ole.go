package office

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf16"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/archive"
)

// ole tells what an OLE compound file is (MS-CFB): encrypted documents of
// today are packed into one, and the formats before 2007 were. None is read.
type ole struct{}

func (ole) Extract(_ context.Context, in extract.Input) (*corpus.Extraction, error) {
	if hasStream(in.Data, "EncryptedPackage") || hasStream(in.Data, "EncryptionInfo") {
		return nil, archive.ErrPassword
	}
	for _, old := range []struct{ stream, name, now string }{
		{"WordDocument", "Word", "DOCX"},
		{"Workbook", "Excel", "XLSX"},
		{"Book", "Excel", "XLSX"},
		{"PowerPoint Document", "PowerPoint", "PPTX"},
		{"__properties_version1.0", "Outlook", "EML"},
	} {
		if hasStream(in.Data, old.stream) {
			return nil, fmt.Errorf("the old binary format of %s is %w; save it as %s", old.name, corpus.ErrUnsupported, old.now)
		}
	}
	return nil, fmt.Errorf("this kind of compound file is %w", corpus.ErrUnsupported)
}

// hasStream looks for a directory entry: its name in UTF-16, ended by zero.
func hasStream(data []byte, name string) bool {
	var entry []byte
	for _, u := range utf16.Encode([]rune(name + "\x00")) {
		entry = append(entry, byte(u), byte(u>>8))
	}
	return bytes.Contains(data, entry)
}
