package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPlain(t *testing.T) {
	const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	for _, tt := range []struct{ name, mediaType, text, want string }{
		{"heading and emphasis", "text/markdown", "## Deposits\n\nA **deposit** is _due_ at `once`.", "Deposits\nA deposit is due at once."},
		{"names keep their signs", "text/markdown", "Set max_chunk_size to 2*3 or C#.", "Set max_chunk_size to 2*3 or C#."},
		{"links", "text/markdown", "See [the guide](docs/a.md) and ![a picture](b.png), <https://x.example>.", "See the guide and a picture, https://x.example."},
		{"lists", "text/markdown", "- one\n- two\n  3. three\n  4. four\n", "• one\n• two\n3. three\n4. four"},
		{"code", "text/markdown", "```go\na := *b // _x_\n```\n\nText.", "a := *b // _x_\nText."},
		{"escapes and entities", "text/markdown", `\*no\* &amp; R&D`, "*no* & R&D"},
		{"quote", "text/markdown", "> said\n> so\n", "said\nso"},
		{"table", "text/markdown", "| a | b |\n|---|---|\n| 1 | x \\| y |\n| 2 | **z** |\n", "a · b\n1 · x | y\n2 · z"},
		{"HTML", "text/markdown", "<div>\n<b>In it</b>\n</div>\n\nA<br>b", "In it\nAb"},
		{"rows of a document", docx, "| part | price |\n| --- | --- |\n| A-1 |  |\nText *as* it is.", "part · price\nA-1\nText *as* it is."},
		{"code stays", "text/x-go", "a := *b\n| x |\n", "a := *b\n| x |\n"},
		{"text stays", "text/plain", "**loud**\n", "**loud**\n"},
		{"nothing", "text/markdown", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, newPlainer().plain(tt.text, tt.mediaType)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Words never get lost, whatever the marks around them.
func FuzzPlain(f *testing.F) {
	f.Add("# a\n\n- b *c* [d](e \"f\")\n\n| g | h |\n|---|---|\n")
	f.Add("1. x\n\n   ```\n   y\n   ```\n> - z\n\n<a\n\n&#0; &amp \\\\")
	f.Add("|\n||\n|-|\n\\|")
	p := newPlainer()
	f.Fuzz(func(t *testing.T, content string) {
		for _, mediaType := range []string{"text/markdown", "application/pdf"} {
			got := p.plain(content, mediaType)
			if utf8.ValidString(content) && !utf8.ValidString(got) {
				t.Fatalf("%q became %q", content, got)
			}
			if strings.Contains(content, "needle") && !strings.ContainsAny(content, "<&[!`\x00") && !strings.Contains(got, "needle") {
				t.Fatalf("%q lost its needle: %q", content, got)
			}
		}
	})
}
