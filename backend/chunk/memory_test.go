package chunk

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"ibid/backend/corpus"
)

// TestMemoryOfSmallPieces: a text of a million words, sentences or lines takes
// no more than a small multiple of itself, whatever it is divided into on the way.
func TestMemoryOfSmallPieces(t *testing.T) { // S56
	for _, c := range []struct {
		s    Strategy
		text string
	}{{Sentence(), "word "}, {Token(), "word "}, {Sentence(), "A b. "}, {Sentence(), "word\n"}} {
		s, doc := c.s, plain(strings.Repeat(c.text, 1<<20))
		opt := s.Options()
		opt.Limit, opt.Count = 256, countBytes
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := s.Chunk(doc, opt); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if times := (after.TotalAlloc - before.TotalAlloc) / uint64(len(doc.Text)); times > 32 {
			t.Errorf("%s of %q: %d times the text", s.Name(), c.text, times)
		}
	}
}

// TestTooManyPieces: what falls into more pieces than a document may have is
// refused with the reason before they take memory, and mostly before they are
// counted.
func TestTooManyPieces(t *testing.T) {
	const many = corpus.MaxUnits + corpus.MaxUnits/8
	for _, c := range []struct {
		name string
		s    Strategy
		text string
		why  string
	}{
		{"sentences", Sentence(), strings.Repeat("A b. ", many), "sentences, lines"},
		{"lines", Sentence(), strings.Repeat("w\n", many), "sentences, lines"},
		{"rows", Code(), strings.Repeat("w\n", many), "sentences, lines"},
		{"words of a line", Sentence(), strings.Repeat("w ", many), "words of long lines"},
		{"words", Token(), strings.Repeat("w ", many), "words of long lines"},
		{"questions", QA(), strings.Repeat("Q: w?\n", corpus.MaxBlocks+1), "questions and clauses"},
		{"clauses", Contract(), strings.Repeat("Clause 1. w\n", corpus.MaxBlocks+1), "questions and clauses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, opt := plain(c.text), c.s.Options()
			if c.s.Name() == "code" {
				doc.Blocks = []corpus.Block{{Kind: corpus.BlockCode, End: len(c.text)}}
			}
			opt.Limit, opt.Count = 256, countBytes
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := c.s.Chunk(doc, opt)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, corpus.ErrLimit) || !strings.Contains(err.Error(), c.why) {
				t.Errorf("%v, want a limit of %s", err, c.why)
			}
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 500 {
				t.Errorf("%d MB until it was refused", took)
			}
		})
	}
}

// As many pieces as a document may have are divided.
func TestManyPieces(t *testing.T) {
	s, opt := Sentence(), Sentence().Options()
	opt.Limit, opt.Count = 256, countBytes
	chunks, err := s.Chunk(plain(strings.Repeat("w\n", corpus.MaxUnits)), opt)
	if err != nil || len(chunks) < 1000 {
		t.Errorf("%d chunks, %v", len(chunks), err)
	}
}
