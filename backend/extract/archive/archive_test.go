package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"ibid/backend/corpus"
)

type entry struct {
	name, data string
	stored     bool
}

func zipped(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		method := zip.Deflate
		if e.stored {
			method = zip.Store
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T, data []byte) *Archive {
	t.Helper()
	a, err := Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestNames(t *testing.T) {
	a := open(t, zipped(t,
		entry{name: `Word\Document.xml`, data: "first"}, entry{name: "word/document.xml", data: "second"},
		entry{name: "../../etc/passwd", data: "x"}, entry{name: "dir/"}))
	if got := strings.Join(a.Names(), " "); got != "Word/Document.xml etc/passwd" || a.Twins != 1 {
		t.Errorf("names %q, %d twins", got, a.Twins)
	}
	if data, err := a.Read("/WORD/document.xml"); err != nil || string(data) != "first" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := a.Read("missing"); !errors.Is(err, ErrNoPart) {
		t.Errorf("%v", err)
	}
}

func TestLimits(t *testing.T) {
	many := make([]entry, MaxEntries+1)
	tests := []struct {
		name    string
		entries []entry
		want    string
	}{
		{"ratio", []entry{{name: "a", data: strings.Repeat(" ", 2<<20)}}, "a is compressed more than 100 to 1"},
		{"part", []entry{{name: "a", data: strings.Repeat(" ", MaxPart+1), stored: true}}, "a holds more than 64 MiB"},
		{"entries", many, "20001 entries"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := zipped(t, tt.entries...)
			a, err := Open(t.Context(), data)
			if err == nil {
				if err := a.Check(); !errors.Is(err, corpus.ErrLimit) {
					t.Errorf("check: %v", err)
				}
				_, err = a.Read("a")
			}
			if !errors.Is(err, corpus.ErrLimit) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	small := open(t, zipped(t, entry{name: "a", data: strings.Repeat(" ", ratioFree)}))
	if _, err := small.Read("a"); err != nil || small.Check() != nil {
		t.Errorf("a small dense part: %v", err)
	}
}

func TestTotal(t *testing.T) {
	a := open(t, zipped(t, entry{name: "a", data: "some text"}))
	a.left = 20
	for range 2 {
		if _, err := a.Read("a"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Read("a"); !errors.Is(err, corpus.ErrLimit) {
		t.Errorf("%v", err)
	}
}

func TestEncrypted(t *testing.T) {
	data := zipped(t, entry{name: "a", data: "x"})
	for _, signature := range []struct {
		sign string
		flag int
	}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} {
		data[bytes.Index(data, []byte(signature.sign))+signature.flag] |= 1
	}
	a := open(t, data)
	if _, err := a.Read("a"); !errors.Is(err, ErrPassword) || !errors.Is(a.Check(), ErrPassword) {
		t.Errorf("%v", err)
	}
}

func TestDamaged(t *testing.T) {
	data := zipped(t, entry{name: "a", data: strings.Repeat("some text ", 100)})
	if _, err := Open(t.Context(), data[:len(data)-30]); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("without its end: %v", err)
	}
	data[40] ^= 0xff
	if _, err := open(t, data).Read("a"); err == nil {
		t.Error("damaged data was read")
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a, err := Open(ctx, zipped(t, entry{name: "a", data: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := a.Read("a"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
