package extract

import (
	"strings"
	"testing"
)

// A type is found for any bytes under any name, the same for a long document as
// for what it begins with, and is never empty.
func FuzzSniff(f *testing.F) {
	f.Add("a.docx", []byte("PK\x03\x04\x14\x00\x06\x00[Content_Types].xml"))
	f.Add("a.txt", []byte("\xff\xfet\x00e\x00x\x00t\x00"))
	f.Add("mail", []byte("From: a\r\nSubject: b\r\n\r\nc"))
	f.Add("x.bin", []byte("{\\rtf1 a}"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		got := Sniff(name, data)
		if got == "" || strings.ContainsAny(got, " \n;") || !strings.Contains(got, "/") {
			t.Errorf("type %q", got)
		}
		if again := Sniff(name, data); again != got {
			t.Errorf("%q, then %q", got, again)
		}
		if TypeName(got) == "" {
			t.Errorf("%q has no name", got)
		}
	})
}
