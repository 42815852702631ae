// Package extracttest helps to test extractors: it makes archives, shows
// extractions for people and compares them with golden files.
package extracttest

import (
	"archive/zip"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Extract runs an extractor of routes as the program would, with all checks.
func Extract(tb testing.TB, routes []extract.Route, name string, data []byte) *corpus.Extraction {
	tb.Helper()
	doc, err := extract.NewRegistry(routes...).Extract(tb.Context(), extract.Input{Name: name, Data: data})
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return doc
}

// Golden compares an extraction with testdata/<name>.golden; the flag -update
// rewrites it.
func Golden(t *testing.T, name string, doc *corpus.Extraction) {
	t.Helper()
	got, path := Dump(doc), filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got), -update rewrites:\n%s", path, diff)
	}
}

// Dump shows an extraction for people.
func Dump(doc *corpus.Extraction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %q, type %s\n", doc.Title, doc.Type)
	for _, k := range doc.Metadata.Keys() {
		fmt.Fprintf(&b, "meta  %s = %#v\n", k, doc.Metadata[k])
	}
	if r := doc.Report; r.Pages+r.Rows+r.Hidden > 0 || r.Encoding != "" {
		fmt.Fprintf(&b, "read  %d pages, %d rows, %d characters hidden, encoding %q\n", r.Pages, r.Rows, r.Hidden, r.Encoding)
	}
	if n := doc.Report.Attachments; n > 0 {
		fmt.Fprintf(&b, "inside %d documents\n", n)
	}
	for _, n := range doc.Report.Notes {
		fmt.Fprintf(&b, "note  %s\n", n)
	}
	for _, block := range doc.Blocks {
		fmt.Fprintf(&b, "\n%s\n", headline(block))
		text := doc.Text[block.Start:block.End]
		if block.Header > 0 {
			for line := range strings.SplitSeq(strings.TrimSuffix(text[:block.Header], "\n"), "\n") {
				fmt.Fprintf(&b, "  ^%s\n", line)
			}
			text = text[block.Header:]
		}
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Fprintf(&b, "  |%s\n", line)
		}
	}
	return b.String()
}

func headline(block corpus.Block) string {
	line := string(block.Kind)
	add := func(format string, args ...any) { line += fmt.Sprintf(format, args...) }
	if block.Level > 0 {
		add(" %d", block.Level)
	}
	a := block.Anchor
	if a.Page > 0 {
		add(", page %d", a.Page)
	}
	if a.PageEnd > 0 {
		add("-%d", a.PageEnd)
	}
	if a.PageLabel != "" {
		add(" (%s)", a.PageLabel)
	}
	if n := len(block.Lines); n > 0 {
		add(", %d lines", n)
	}
	if a.Slide > 0 {
		add(", slide %d", a.Slide)
	}
	if a.Sheet != "" {
		add(", sheet %s", a.Sheet)
	}
	if a.RowStart > 0 {
		add(", rows %d-%d", a.RowStart, a.RowEnd)
	}
	if a.LineStart > 0 {
		add(", lines %d-%d", a.LineStart, a.LineEnd)
	}
	if block.Title != "" && block.Kind != corpus.BlockHeading {
		add(", title %q", block.Title)
	}
	if len(a.Headings) > 0 {
		add(", under %q", a.Headings)
	}
	return line
}

// Cache is the folder in which tests keep what is slow to make, such as the
// machine code of the PDF reader; "" if there is none.
func Cache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "ibid")
}

// Part is a file in an archive.
type Part struct{ Name, Data string }

// Zip makes an archive; only large parts are compressed, which is quicker.
func Zip(tb testing.TB, parts ...Part) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		method := zip.Store
		if len(p.Data) > 1<<16 {
			method = zip.Deflate
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: p.Name, Method: method})
		if err == nil {
			_, err = f.Write([]byte(p.Data))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Fuzz checks the contract of extractors on one input: an error, or an
// extraction that is valid; and the same one again.
func Fuzz(t *testing.T, e extract.Extractor, in extract.Input) {
	t.Helper()
	before := bytes.Clone(in.Data)
	doc, err := e.Extract(context.Background(), in)
	if !bytes.Equal(before, in.Data) {
		t.Error("the input was changed")
	}
	if err != nil {
		return
	}
	if err := extract.Validate(doc); err != nil {
		t.Errorf("%v\n%s", err, Dump(doc))
	}
	again, err := e.Extract(context.Background(), in)
	if err != nil {
		t.Fatalf("the second time: %v", err)
	}
	if diff := cmp.Diff(doc, again); diff != "" {
		t.Errorf("the second time differs:\n%s", diff)
	}
}
