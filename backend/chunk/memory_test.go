package chunk

import (
	"runtime"
	"strings"
	"testing"
)

// TestMemoryOfOneLine: a line of a million words takes no more than a small
// multiple of its text, whatever it is divided into on the way.
func TestMemoryOfOneLine(t *testing.T) { // S56
	doc := plain(strings.Repeat("word ", 1<<20))
	for _, s := range []Strategy{Sentence(), Token()} {
		opt := s.Options()
		opt.Limit, opt.Count = 256, countBytes
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := s.Chunk(doc, opt); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if times := (after.TotalAlloc - before.TotalAlloc) / uint64(len(doc.Text)); times > 32 {
			t.Errorf("%s: %d times the text", s.Name(), times)
		}
	}
}
