package verify_test

import (
	"errors"
	"strings"
	"testing"

	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/verify"
)

// passages divides a text into own ranges of n bytes.
func passages(text string, n int) []corpus.Chunk {
	var list []corpus.Chunk
	for at := 0; at < len(text); at += n {
		end := min(at+n, len(text))
		list = append(list, corpus.Chunk{Index: len(list), Content: strings.TrimSpace(text[at:end]), Location: corpus.Location{Start: at, End: end}})
	}
	return list
}

func TestLocated(t *testing.T) {
	const text = "one two six ten "
	tests := []struct {
		name   string
		change func(list []corpus.Chunk) []corpus.Chunk
		index  int
		part   string
	}{
		{"right", func(l []corpus.Chunk) []corpus.Chunk { return l }, 0, ""},
		{"none", func([]corpus.Chunk) []corpus.Chunk { return nil }, 0, ""},
		{"overlap and header before the own text", func(l []corpus.Chunk) []corpus.Chunk {
			l[2].Content = "head\ntwo " + l[2].Content
			return l
		}, 0, ""},
		{"gap", func(l []corpus.Chunk) []corpus.Chunk { l[1].Location.Start++; return l }, 1, "after 4"},
		{"beyond the end", func(l []corpus.Chunk) []corpus.Chunk { l[3].Location.End++; return l }, 3, "4–17 of 16"[2:]},
		{"backwards", func(l []corpus.Chunk) []corpus.Chunk { l[0].Location.End = -1; return l }, 0, "passage 1 is said to be bytes 0–-1"},
		{"too short", func(l []corpus.Chunk) []corpus.Chunk { return l[:3] }, 2, "end at byte 12 of 16"},
		{"other text", func(l []corpus.Chunk) []corpus.Chunk { l[2].Content = "sex"; return l }, 2, "passage 3 is not the text at its place"},
		{"order", func(l []corpus.Chunk) []corpus.Chunk { l[2].Index = 1; return l }, 2, "passage 2 stands at place 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			index, what := verify.Located(text, tt.change(passages(text, 4)))
			if index != tt.index || !strings.Contains(what, tt.part) || (what == "") != (tt.part == "") {
				t.Errorf("passage %d: %q, want %d: …%q…", index, what, tt.index, tt.part)
			}
		})
	}
	if _, what := verify.Located("aéb", passages("aéb", 2)); !strings.Contains(what, "cuts a character") {
		t.Errorf("half a character: %q", what)
	}
}

// FuzzLocated: what a strategy divides is located, and no other text has it.
func FuzzLocated(f *testing.F) {
	f.Add("One paragraph.\n\nAnother one, which is longer than the first.\n")
	f.Add("\u00e9\u00e8 \x00 \u4e2d\u6587")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		choice, err := chunk.For("text/plain", chunk.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		doc := &corpus.Extraction{Text: text, Blocks: []corpus.Block{{Kind: corpus.BlockParagraph, End: len(text)}}}
		how := choice.Decide(doc)
		how.Options.Count = func(s string) int { return len(s)/4 + 1 }
		chunks, err := how.Strategy.Chunk(doc, how.Options)
		switch {
		case errors.Is(err, corpus.ErrLimit):
			t.Skip("more passages than a document of that size may have")
		case err != nil:
			t.Fatal(err)
		}
		corpus.Identify(corpus.NoID, chunks)
		if i, what := verify.Located(text, chunks); what != "" {
			t.Errorf("passage %d of %q: %s", i, text, what)
		}
		if len(chunks) > 0 {
			if _, what := verify.Located(text+"!", chunks); what == "" {
				t.Errorf("%q passes for a longer text", text)
			}
		}
	})
}
