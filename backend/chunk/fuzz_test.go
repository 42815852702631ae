package chunk

import (
	"errors"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// FuzzChunk (C3, C4, C5): whatever the text, its blocks and the options, the
// own ranges partition the text at characters, no input exceeds the limit, no
// chunk is only overlap, and the same input gives the same chunks.
func FuzzChunk(f *testing.F) {
	f.Add("# Title\n\nFirst. Second one.\n\n## Part\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", uint64(1), int8(12), int8(16), int8(4))
	f.Add("```go\nfunc main() {}\n\n// é\n```\n```\n", uint64(2), int8(5), int8(9), int8(1))
	f.Add("   \n\n吾輩は猫である。名前はまだ無い。\u3000どこで生れたか。」と", uint64(3), int8(6), int8(0), int8(2))
	f.Add("e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301 👩‍👩‍👧‍👦👩‍👩‍👧‍👦", uint64(4), int8(3), int8(3), int8(0))
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  .  b:\n\n\nc", uint64(5), int8(4), int8(5), int8(3))
	f.Add("# Help\n\n## How?\n\nQ: Who\npays?\nA: You.\n\n**Why?**\nSo.\n\nWhen?\n\nNow.\n", uint64(6), int8(20), int8(30), int8(0))
	f.Add("§ 1 Scope\n\n1.1 All.\n\nArticle 2\nText of it.\n\n3. Term\n\n第三条 期間\n", uint64(7), int8(12), int8(16), int8(4))
	w := newWriter(3)
	for i, sample := range samples {
		text := sample.head
		for len(text) < 2000 {
			text += sample.part(w) + sample.join
		}
		f.Add(text, uint64(20+i), int8(90), int8(100), int8(20))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64, size, most, over int8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		target, limit, overlap := int(size), int(most), int(over)
		doc := randomBlocks(rng, text)
		s := Strategies()[rng.IntN(len(Strategies()))]
		opt := Options{Target: target, Limit: limit, Overlap: overlap, Breadcrumb: rng.IntN(2) == 0}
		if opt.Count = count; rng.IntN(2) == 0 {
			opt.Count = countBytes
		}
		chunks, err := s.Chunk(doc, opt)
		if errors.Is(err, corpus.ErrInvalid) {
			if utf8.ValidString(text) && overlap >= 0 && target > 2 && (limit == 0 || limit > 2) {
				t.Fatal(err)
			}
			return
		}
		if errors.Is(err, corpus.ErrLimit) {
			if len(text) < minOutput/outputFactor && (limit == 0 || limit > 8) {
				t.Fatal(err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := check(doc, opt, chunks); err != nil {
			t.Fatal(err)
		}
		again, err := s.Chunk(doc, opt)
		if err != nil || !cmp.Equal(chunks, again) {
			t.Fatalf("other chunks at the second time: %v\n%s", err, cmp.Diff(chunks, again))
		}
	})
}

// randomBlocks lays blocks over a text: in order, not overlapping, at
// characters, with gaps.
func randomBlocks(rng *rand.Rand, text string) *corpus.Extraction {
	doc := &corpus.Extraction{Text: text, FirstLine: rng.IntN(3)}
	kinds := []corpus.BlockKind{
		corpus.BlockHeading, corpus.BlockParagraph, corpus.BlockList,
		corpus.BlockTable, corpus.BlockCode, corpus.BlockQuote, "other",
	}
	step := func(pos int) int {
		for pos = min(pos, len(text)); pos < len(text) && !utf8.RuneStart(text[pos]); pos++ {
		}
		return pos
	}
	part := func(s string) string { return s[:step(rng.IntN(40))] }
	if rng.IntN(2) == 0 {
		doc.Title = part(text)
	}
	for pos := 0; rng.IntN(8) > 0; {
		b := corpus.Block{Kind: kinds[rng.IntN(len(kinds))], Level: rng.IntN(8)}
		b.Start = step(pos + rng.IntN(8)*rng.IntN(2))
		b.End = step(b.Start + rng.IntN(100))
		b.Header = step(min(b.End, b.Start+rng.IntN(30))) - b.Start
		b.Title = part(text[b.Start:] + text)
		b.Anchor = corpus.Anchor{Page: rng.IntN(3), Slide: rng.IntN(20) / 19, RowStart: rng.IntN(3), RowEnd: rng.IntN(30)}
		doc.Blocks = append(doc.Blocks, b)
		pos = b.End
	}
	return doc
}
