package extract

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func TestFrontMatter(t *testing.T) {
	many := "---\n"
	for i := range 70 {
		many += fmt.Sprintf("k%02d: v\n", i)
	}
	tests := []struct {
		name, data string
		title      string
		metadata   corpus.Metadata
		text       string
		notes      []string // what each contains
	}{
		{"none", "# A", "A", nil, "# A", nil},
		{"empty", "---\n---\nx", "", nil, "x", nil},
		{"dots end YAML", "---\ntitle: T\n...\nx", "T", nil, "x", nil},
		{"title wins over heading", "---\ntitle: ' T  1 '\n---\n# H", "T 1", nil, "# H", nil},
		{"not at the start", "\n---\na: b\n---\n", "", nil, "\n---\na: b\n---\n", nil},
		{"never closed", "---\na: b\n", "", nil, "---\na: b\n", nil},
		{"a list is no front matter", "---\n- a\n---\n", "", nil, "---\n- a\n---\n", nil},
		{"labels from text", "---\nlabels: a, b ,,c\ntags: [1, 2.5, x, null, true]\n---\n", "", corpus.Metadata{
			"labels": []string{"a", "b", "c"}, "tags": []string{"1", "2.5", "x", "true"},
		}, "", nil},
		{"scalars", "---\na: 1\nb: 1.5\nc: true\nd: no\ne: 12345678901234567890\nf: 2026-03-01\n---\n", "", corpus.Metadata{
			"a": 1.0, "b": 1.5, "c": true, "d": "no", "e": "12345678901234567890", "f": "2026-03-01",
		}, "", nil},
		{
			"refused", "---\nTenant: x\nsource: y\ndocument: z\nnan: .nan\nmap: {a: b}\nlist: [[1]]\nok: 1\nok: 2\n---\n", "",
			corpus.Metadata{"ok": 1.0},
			"",
			[]string{"Tenant", "source", "document", "nan", "map", "list", "twice"},
		},
		{"anchors", "---\na: &x v\nb: *x\nc: [*x, *x]\n---\n", "", corpus.Metadata{
			"a": "v", "b": "v", "c": []string{"v", "v"},
		}, "", nil},
		{"too many values", "---\na: [" + strings.Repeat("x,", 101) + "]\n---\n", "", nil, "", []string{"101 values"}},
		{"reserved in TOML", "+++\ntenant = 'x'\na = 1\n+++\n", "", corpus.Metadata{"a": 1.0}, "", []string{"tenant"}},
		{"broken TOML stays text", "+++\na = \n+++\nx", "", nil, "+++\na = \n+++\nx", []string{"not valid TOML"}},
		{
			"deep TOML stays text", "+++\n" + strings.Repeat("a.", 9000) + "b = 1\n+++\n", "", nil,
			"+++\n" + strings.Repeat("a.", 9000) + "b = 1\n+++\n",
			[]string{"limit"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := mustExtract(t, "a.md", test.data)
			if doc.Title != test.title || doc.Text != test.text {
				t.Errorf("title %q, text %.60q; want %q, %.60q", doc.Title, doc.Text, test.title, test.text)
			}
			if diff := cmp.Diff(test.metadata, doc.Metadata); diff != "" {
				t.Errorf("metadata differs (-want +got):\n%s", diff)
			}
			if len(doc.Report.Notes) != len(test.notes) {
				t.Fatalf("notes %q, want %q", doc.Report.Notes, test.notes)
			}
			for i, want := range test.notes {
				if !strings.Contains(doc.Report.Notes[i], want) {
					t.Errorf("note %q lacks %q", doc.Report.Notes[i], want)
				}
			}
		})
	}
	doc := mustExtract(t, "a.md", many+"---\n")
	if len(doc.Metadata) != corpus.MaxMetadataFields || len(doc.Report.Notes) == 0 {
		t.Errorf("of 70 fields %d were kept, notes %q", len(doc.Metadata), doc.Report.Notes)
	}
}

// Inputs that make Markdown parsers slow end soon. The bound is far above
// what they take and far below what quadratic time would.
func TestMarkdownHostileInputs(t *testing.T) {
	const n = 200_000
	ladder, ticks := "", ""
	for i := range 1500 {
		ladder += strings.Repeat("  ", i) + "- a\n"
		ticks += strings.Repeat("`", i) + " "
	}
	tests := []struct{ name, data string }{
		{"quotes", strings.Repeat(">", n)},
		{"lists", strings.Repeat("- ", n) + "a"},
		{"numbers", strings.Repeat("1. ", n)},
		{"lists by indentation", ladder},
		{"brackets", strings.Repeat("[", n)},
		{"stars", strings.Repeat("*a ", n)},
		{"backticks", ticks + "<!-- a -->"},
		{"comments", strings.Repeat("a <!-- ", n)},
		{"tags", strings.Repeat("<a ", n)},
		{"wide table", strings.Repeat("|a", n/4) + "\n" + strings.Repeat("|-", n/4) + "\n" + strings.Repeat("|\n", n)},
		{"link definitions", strings.Repeat("[a]: b\n", n)},
		{"headings", strings.Repeat("# *_[`\n", n/4)},
		{"long heading", "# " + strings.Repeat("*a_[", n)},
		{"YAML aliases", "---\n" + strings.Repeat("a: &a [*a]\n", n/40) + "---\n"},
		{"YAML keys", "---\n" + strings.Repeat("a:\n", n/10) + "---\n"},
		{"TOML keys", "+++\n" + strings.Repeat("a.", n/10) + "b=1\n+++\n"},
		{"TOML tables", "+++\nx=" + strings.Repeat("{a=", n/10) + "\n+++\n"},
	}
	r := NewRegistry(Builtin()...)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := r.Extract(ctx, Input{Name: "a.md", Data: []byte(test.data)})
				done <- err
			}()
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-ctx.Done():
				t.Fatal("still running")
			}
		})
	}
	if doc := mustExtract(t, "a.md", strings.Repeat(">", n)+"a <!-- b -->"); len(doc.Report.Notes) != 1 || doc.Report.Hidden == 0 {
		t.Errorf("deep nesting is noted as %q, with %d characters hidden", doc.Report.Notes, doc.Report.Hidden)
	}
	if doc := mustExtract(t, "a.md", strings.Repeat("- ", 300)+"\n# H\n"); doc.Title != "H" {
		t.Errorf("a long thematic break was taken for nesting: %q", doc.Report.Notes)
	}
}

func FuzzMarkdown(f *testing.F) {
	files, err := filepath.Glob("testdata/markdown/*.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{"a\n===\n", "- \n\t- a\n\n\tb", "|a|\n|-|\n<!-- -->", "`<!--` -->", "<!--\n", "a\n  ---\n> b\n===", "\t\n#", "***\n\n> a\n1) b"} {
		f.Add([]byte(s))
	}
	r := NewRegistry(Builtin()...)
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzExtract(t, r, Input{Name: "a.md", Type: TypeMarkdown, Data: data})
	})
}

// Quotes within quotes on each line make no tree of ten million nodes.
func TestManyContainers(t *testing.T) {
	line := strings.Repeat("> ", maxNesting/2) + "a\n\n"
	in := Input{Name: "a.md", Data: []byte(strings.Repeat(line, 2*MaxBlocks/(maxNesting/2)+1))}
	doc, err := NewRegistry(Builtin()...).Extract(t.Context(), in)
	if err != nil || len(doc.Report.Notes) != 1 || !strings.Contains(doc.Report.Notes[0], "nested too deeply") {
		t.Fatalf("%v", err)
	}
}
