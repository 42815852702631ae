package extract

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMarkdownGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/markdown/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	registry := NewRegistry(Builtin()...)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := registry.Extract(t.Context(), Input{Name: file, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			got := dump(doc)
			golden := strings.TrimSuffix(file, ".md") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("blocks differ (-want +got), -update rewrites:\n%s", diff)
			}
			checkLines(t, doc, data)
		})
	}
}

// dump shows an extraction for people.
func dump(doc *corpus.Extraction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title %q, type %s, from line %d, %d hidden\n", doc.Title, doc.Type, doc.FirstLine, doc.Report.Hidden)
	for _, k := range doc.Metadata.Keys() {
		fmt.Fprintf(&b, "meta  %s = %#v\n", k, doc.Metadata[k])
	}
	for _, n := range doc.Report.Notes {
		fmt.Fprintf(&b, "note  %s\n", n)
	}
	for _, block := range doc.Blocks {
		a := block.Anchor
		fmt.Fprintf(&b, "\n%s", block.Kind)
		if block.Level > 0 {
			fmt.Fprintf(&b, " %d", block.Level)
		}
		fmt.Fprintf(&b, ", lines %d-%d", a.LineStart, a.LineEnd)
		if block.Title != "" {
			fmt.Fprintf(&b, ", title %q", block.Title)
		}
		if len(a.Headings) > 0 {
			fmt.Fprintf(&b, ", under %q", a.Headings)
		}
		fmt.Fprintln(&b)
		text := doc.Text[block.Start:block.End]
		if block.Header > 0 {
			fmt.Fprintf(&b, "  ^%q\n", text[:block.Header])
			text = text[block.Header:]
		}
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Fprintf(&b, "  |%s\n", line)
		}
	}
	return b.String()
}

// checkLines compares the text of each block with the lines of the original
// that its anchor names.
func checkLines(t *testing.T, doc *corpus.Extraction, data []byte) {
	t.Helper()
	whole, _, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	original := strings.SplitAfter(whole, "\n")
	for i, b := range doc.Blocks {
		want := strings.Join(original[b.Anchor.LineStart-1:b.Anchor.LineEnd], "")
		if n := strings.Count(want, "\n") - strings.Count(doc.Text[b.Start:b.End], "\n"); n > 1 || n < 0 {
			t.Errorf("block %d: %d line ends too many in lines %d-%d", i, n, b.Anchor.LineStart, b.Anchor.LineEnd)
		}
		if doc.Report.Hidden == 0 && strings.TrimSpace(want) != strings.TrimSpace(doc.Text[b.Start:b.End]) {
			t.Errorf("block %d: lines %d-%d are %q, text is %q", i, b.Anchor.LineStart, b.Anchor.LineEnd, want, doc.Text[b.Start:b.End])
		}
	}
}
