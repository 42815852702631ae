package chunk

import (
	"strings"
	"testing"

	"ibid/backend/corpus"
)

func BenchmarkChunk(b *testing.B) {
	w := newWriter(1)
	var prose strings.Builder
	for prose.Len() < 10<<20 {
		prose.WriteString(w.paragraph() + "\n\n")
	}
	for _, c := range []struct{ name, text string }{
		{"prose", prose.String()},
		{"one word", strings.Repeat("0123456789abcdef", 10<<16)},
		{"spaces", strings.Repeat(" ", 5<<20) + "a" + strings.Repeat(" ", 5<<20) + "b"},
		{"stops", strings.Repeat(". ", corpus.MaxUnits-1) + "a"},
		{"words", strings.Repeat("lorem ipsum ", 10<<20/12)},
		{"lines", strings.Repeat("a\n", corpus.MaxUnits)},
		{"marks", strings.Repeat("e\u0301\u0301\u0301\u0301\u0301", 1<<20)},
		{"one cluster", "e" + strings.Repeat("\u0301", 5<<20)},
	} {
		for _, s := range []Strategy{Markdown(), Recursive()} {
			b.Run(s.Name()+"/"+c.name, func(b *testing.B) {
				opt := s.Options()
				opt.Limit, opt.Count = 256, countBytes
				b.SetBytes(int64(len(c.text)))
				doc := plain(c.text)
				for b.Loop() {
					if _, err := s.Chunk(doc, opt); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
