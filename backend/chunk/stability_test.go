package chunk

import (
	"slices"
	"strings"
	"testing"

	"ibid/backend/corpus"
)

// sample is a kind of document as a list of parts, which edits insert, delete
// and change; but not its headings, which stand in the chunks of a section.
type sample struct {
	name       string
	strategies string // that are tried
	head       string // before the first part
	join       string // between parts
	part       func(w writer) string
	fresh      func(w writer) string // a part that an edit brings
	build      func(text string) *corpus.Extraction
	free       bool // the sizes are the parts', not the strategy's
}

var samples = []sample{
	{"prose", "markdown contract", "", "\n\n", writer.paragraph, writer.paragraph, outlineText, false},
	{"sections", "markdown contract", "# Manual\n\n", "\n\n", writer.section, writer.paragraph, outlineText, false},
	{"sentences", "sentence", "", " ", writer.sentence, writer.sentence, plain, false},
	{"rows", "markdown fixed rows", "| part | name | price |\n|---|---|---|\n", "\n", writer.row, writer.row, outlineText, false},
	{"entries", "catalogue", "", "\n\n", writer.entry, writer.entry, outlineText, false},
	{"lines", "sentence recursive fixed", "", "\n", writer.sentence, writer.sentence, plain, false},
	{"words", "recursive token", "", " ", writer.words, writer.words, plain, false},
	{"characters", "character", "", " ", writer.words, writer.words, plain, true},
	{"slide", "slides", "", "\n\n", writer.paragraph, writer.paragraph, outlineText, false},
	{"functions", "code", "", "\n\n", writer.function, writer.function, functions, true},
	{"pairs", "qa", "", "\n\n", writer.pair, writer.pair, plain, true},
}

func (s sample) doc(parts []string) *corpus.Extraction {
	return s.build(s.head + strings.Join(parts, s.join))
}

// edits change a list of parts at place i.
var edits = []struct {
	name   string
	trials int
	edit   func(list []string, i int, fresh string) []string
}{
	{"insert", 100, func(list []string, i int, fresh string) []string {
		return slices.Insert(slices.Clone(list), i, fresh)
	}},
	{"delete", 10, func(list []string, i int, _ string) []string {
		return slices.Delete(slices.Clone(list), i, i+1)
	}},
	{"change", 10, func(list []string, i int, fresh string) []string {
		list = slices.Clone(list)
		list[i] = fresh
		return list
	}},
}

// TestStability (D2, S25): one edit of a document of 300 chunks re-embeds a
// bounded neighbourhood, whatever the strategy and the kind of text.
func TestStability(t *testing.T) {
	for _, s := range Strategies() {
		for _, sample := range samples {
			if !strings.Contains(sample.strategies, s.Name()) {
				continue
			}
			t.Run(s.Name()+"/"+sample.name, func(t *testing.T) {
				t.Parallel()
				w := newWriter(7)
				opt := s.Options()
				opt.Limit, opt.Count = 256, count
				var parts []string
				var chunks []corpus.Chunk
				for len(chunks) < 300 {
					for range 50 {
						parts = append(parts, sample.part(w))
					}
					chunks = mustChunk(t, s, sample.doc(parts), opt)
				}
				known, tokens := map[corpus.Hash]bool{}, 0
				for _, c := range chunks {
					known[c.Hash] = true
					tokens += c.Tokens
				}
				mean := tokens / len(chunks)
				if !sample.free && (mean < 150 || mean > 230) {
					t.Errorf("mean chunk has %d tokens of 256", mean)
				}
				for _, e := range edits {
					sum, worst := 0, 0
					for i := range e.trials {
						at := 0
						if i > 0 {
							at = w.IntN(len(parts))
						}
						for strings.HasPrefix(parts[at], "#") {
							at = (at + 1) % len(parts)
						}
						edited, err := s.Chunk(sample.doc(e.edit(parts, at, sample.fresh(w))), opt)
						if err != nil {
							t.Fatal(err)
						}
						changed := 0
						for _, c := range edited {
							if !known[c.Hash] {
								changed++
							}
						}
						if i == 0 && changed > 3 {
							t.Errorf("%s at the top changes %d chunks", e.name, changed)
						}
						sum += changed
						worst = max(worst, changed)
					}
					t.Logf("%s: mean %.2f, worst %d of %d chunks of %d tokens",
						e.name, float64(sum)/float64(e.trials), worst, len(chunks), mean)
					if sum > 3*e.trials || worst > 10 {
						t.Errorf("%s: mean %.2f, worst %d", e.name, float64(sum)/float64(e.trials), worst)
					}
				}
			})
		}
	}
}
