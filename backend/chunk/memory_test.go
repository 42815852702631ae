package chunk

import (
	"runtime"
	"strings"
	"testing"
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
