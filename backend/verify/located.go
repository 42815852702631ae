package verify

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// Located compares a document's passages with its text: their own ranges
// follow each other from its beginning to its end, cut no character, and each
// passage's content ends in its own range. It returns the index of the first
// passage that is wrong and says in words, which count passages from 1, how; ""
// if all are right. It is pure.
func Located(text string, chunks []corpus.Chunk) (index int, what string) {
	end := 0
	for i := range chunks {
		c := &chunks[i]
		l := c.Location
		switch {
		case c.Index != i:
			return i, fmt.Sprintf("passage %d stands at place %d", c.Index+1, i+1)
		case l.Start != end || l.End < l.Start || l.End > len(text):
			return i, fmt.Sprintf("passage %d is said to be bytes %d–%d of %d, after %d", i+1, l.Start, l.End, len(text), end)
		case !utf8.ValidString(text[l.Start:l.End]):
			return i, fmt.Sprintf("passage %d cuts a character", i+1)
		case !strings.HasSuffix(c.Content, strings.TrimSpace(text[l.Start:l.End])):
			return i, fmt.Sprintf("passage %d is not the text at its place", i+1)
		}
		end = l.End
	}
	if len(chunks) > 0 && end != len(text) {
		return len(chunks) - 1, fmt.Sprintf("passages end at byte %d of %d", end, len(text))
	}
	return 0, ""
}
