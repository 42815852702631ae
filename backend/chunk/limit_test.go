package chunk

import (
	"errors"
	"strings"
	"testing"

	"ibid/backend/corpus"
)

// C3, C4: text without natural boundaries is cut where it does the least harm.
func TestWithoutBoundaries(t *testing.T) {
	family := "👩‍👩‍👧‍👦"
	for _, c := range []struct {
		name, text string
		unit       string // is not cut
	}{
		{"one line of words", strings.Repeat("lorem ipsum ", 500), " "},
		{"one word", strings.Repeat("0123456789", 1000), ""},
		{"emoji", strings.Repeat(family, 300) + "a", family},
		{"accents", strings.Repeat("e\u0301", 1000), "e\u0301"},
		{"marks", "e" + strings.Repeat("\u0301", 5000), ""},
		{"Chinese without stops", strings.Repeat("天地玄黄宇宙洪荒", 300), "天"},
		{"Thai", strings.Repeat("ภาษาไทยเขียนติดกัน", 200), ""},
		{"space", strings.Repeat(" ", 9000) + "a" + strings.Repeat("\n", 9000) + "b" + strings.Repeat("\t", 9000), "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range Strategies() {
				for _, f := range []func(string) int{count, countBytes} {
					opt := options(s, 64)
					opt.Count = f
					n := 0
					for _, chunk := range mustChunk(t, s, plain(c.text), opt) {
						if c.unit == " " {
							for word := range strings.FieldsSeq(chunk.Content) {
								if word != "lorem" && word != "ipsum" {
									t.Errorf("%s: cuts the word %q", s.Name(), word)
								}
							}
						} else if c.unit != "" {
							n += strings.Count(c.text[chunk.Location.Start:chunk.Location.End], c.unit)
						}
					}
					if c.unit != " " && c.unit != "" && n != strings.Count(c.text, c.unit) {
						t.Errorf("%s: %d of %d units are whole", s.Name(), n, strings.Count(c.text, c.unit))
					}
				}
			}
		})
	}
}

// A tokenizer that takes long words as one unknown token does not make one
// chunk of a large file.
func TestUnknownTokens(t *testing.T) {
	opt := options(Recursive(), 64)
	opt.Count = func(s string) int { return len(strings.Fields(s)) + 2 }
	for _, word := range []string{strings.Repeat("QUJDREVG", 4096), strings.Repeat("QUJDREVG", 80) + " "} {
		for _, c := range mustChunk(t, Recursive(), plain(strings.Repeat(word, 20)), opt) {
			if len(c.Content) > 64*bytesPerToken {
				t.Fatalf("a chunk has %d bytes", len(c.Content))
			}
		}
	}
}

// A sentence that fits is not cut, however little room it leaves.
func TestLongSentences(t *testing.T) {
	w := newWriter(13)
	var text strings.Builder
	for range 40 {
		text.WriteString(w.sentence() + " Longer" + strings.Repeat(" longer", 30+w.IntN(30)) + ". ")
	}
	for i, c := range mustChunk(t, Sentence(), plain(text.String()), options(Sentence(), 80)) {
		if before := strings.TrimSpace(text.String()[:c.Location.Start]); before != "" && !strings.HasSuffix(before, ".") {
			t.Errorf("chunk %d begins within a sentence: %q", i, c.Content)
		}
	}
}

// C3: a counter whose sums mislead cannot make an input too large.
func TestCounterIsNotAdditive(t *testing.T) {
	w := newWriter(6)
	var text strings.Builder
	for range 50 {
		text.WriteString(w.paragraph() + "\n\n")
	}
	opt := options(Sentence(), 100)
	opt.Overlap = 30
	opt.Count = func(s string) int { return count(s) * (1 + len(s)/400) }
	chunks := mustChunk(t, Sentence(), plain(text.String()), opt)
	if len(chunks) < 20 {
		t.Fatalf("%d chunks", len(chunks))
	}
}

func TestCharacterAboveLimit(t *testing.T) {
	opt := options(Recursive(), 5)
	opt.Count = func(s string) int { return 2 + 2*len(s) }
	if _, err := Recursive().Chunk(plain("aaé"), opt); !errors.Is(err, corpus.ErrLimit) {
		t.Errorf("error %v, want a limit", err)
	}
}

// C2: repeated headers cannot multiply a document without bound.
func TestOutputBudget(t *testing.T) {
	header := "| " + strings.Repeat("x", 900) + " |\n"
	text := header + strings.Repeat("| a |\n", 2000)
	doc := &corpus.Extraction{Text: text, Blocks: []corpus.Block{{Kind: corpus.BlockTable, End: len(text), Header: len(header)}}}
	opt := Options{Target: 120, Count: func(s string) int { return 1 + 40*strings.Count(s, "a") }}
	if chunks, err := Recursive().Chunk(doc, opt); !errors.Is(err, corpus.ErrLimit) || chunks != nil {
		t.Errorf("%d chunks, error %v", len(chunks), err)
	}
	// A short document may be multiplied more often.
	doc.Text = text[:len(header)+60*6]
	doc.Blocks[0].End = len(doc.Text)
	if _, err := Recursive().Chunk(doc, opt); err != nil {
		t.Error(err)
	}
}

// The tokenizer is what takes the time: the text passes it about twice.
func TestCounted(t *testing.T) {
	w := newWriter(9)
	var text strings.Builder
	for range 400 {
		text.WriteString(w.section() + "\n\n")
	}
	for _, s := range Strategies() {
		counted := 0
		opt := options(s, 256)
		opt.Count = func(text string) int {
			counted += len(text)
			return count(text)
		}
		if _, err := s.Chunk(outlineText(text.String()), opt); err != nil {
			t.Fatal(err)
		}
		if ratio := float64(counted) / float64(text.Len()); ratio > 2.6 {
			t.Errorf("%s counts every byte %.2f times", s.Name(), ratio)
		}
	}
}
