package extract

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

// archive is a ZIP archive with one part.
func archive(t *testing.T, part string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("word/document.xml")
	if err == nil {
		_, err = f.Write([]byte(part))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is dense weighs more than its bytes tell, ordinary text about as much.
func TestWeight(t *testing.T) {
	const size = 2 << 20
	fill := func(s string) []byte { return []byte(strings.Repeat(s, size/len(s))) }
	for _, c := range []struct {
		name        string
		data        []byte
		least, most int64 // times the bytes
	}{
		{"nothing", nil, 0, 0},
		{"prose", fill("A line of a text that somebody wrote, of some eighty characters, as they are used to be.\n"), 12, 18},
		{"one line", fill("word "), 12, 12},
		{"paragraphs", fill("a\n\n"), 200, 300},
		{"elements", fill("<p>a"), 90, 120},
		{"control words", fill(`a\par `), 60, 80},
		{"archive", archive(t, string(fill("<w:p/>"))), 1000, 10_000},
		{"damaged archive", []byte("PK\x03\x04 and no more"), 12, 12},
	} {
		n := int64(len(c.data))
		if got := Weight(c.data); got < c.least*n || got > c.most*n {
			t.Errorf("%s: %d bytes weigh %d, want %d to %d times as much", c.name, n, got, c.least, c.most)
		}
	}
}
