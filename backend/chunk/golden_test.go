package chunk

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

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file     string
		strategy Strategy
		limit    int
		read     func(string) *corpus.Extraction
	}{
		{"manual.md", Markdown(), 90, outlineText},
		{"contract.txt", Sentence(), 90, plain},
		{"catalogue.md", Fixed(), 90, outlineText},
		{"log.txt", Recursive(), 90, plain},
		{"kokoro.txt", Sentence(), 90, plain},
		{"faq.md", QA(), 90, outlineText},
		{"clauses.txt", Contract(), 90, plain},
		{"glossary.txt", Catalogue(), 60, plain},
	} {
		t.Run(c.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			opt := c.strategy.Options()
			opt.Limit, opt.Count = c.limit, count
			got := render(mustChunk(t, c.strategy, c.read(string(text)), opt))
			golden := filepath.Join("testdata", c.file+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// render writes chunks as a person reads them.
func render(chunks []corpus.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "=== %d: lines %d-%d, %d tokens\n", c.Index, c.Location.LineStart, c.Location.LineEnd, c.Tokens)
		if c.Title != "" {
			fmt.Fprintf(&b, "title: %s\n", c.Title)
		}
		if len(c.Breadcrumb) > 0 {
			fmt.Fprintf(&b, "breadcrumb: %s\n", strings.Join(c.Breadcrumb, " > "))
		}
		fmt.Fprintf(&b, "%s\n", c.Content)
	}
	return b.String()
}
