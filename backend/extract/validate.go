package extract

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// Validate checks what an extraction promises: valid UTF-8 text with "\n" line
// ends and without NUL; blocks that are in order, in range and on rune
// boundaries; every letter and digit of the text in a block; metadata within
// its bounds.
func Validate(doc *corpus.Extraction) error {
	text := doc.Text
	switch {
	case !utf8.ValidString(text):
		return errors.New("text is not valid UTF-8")
	case strings.ContainsAny(text, "\r\x00"):
		return errors.New("text holds carriage returns or NUL characters")
	case doc.Type == "":
		return errors.New("media type is missing")
	}
	end := 0
	for i, b := range doc.Blocks {
		if b.Start < end || b.End <= b.Start || b.End > len(text) {
			return fmt.Errorf("block %d: range [%d,%d) after %d in a text of %d bytes", i, b.Start, b.End, end, len(text))
		}
		if !boundary(text, b.Start) || !boundary(text, b.End) {
			return fmt.Errorf("block %d: range [%d,%d) divides a character", i, b.Start, b.End)
		}
		if word := firstWord(text[end:b.Start]); word >= 0 {
			return fmt.Errorf("block %d: text before it at %d is in no block", i, end+word)
		}
		if (b.Kind == corpus.BlockHeading) != (b.Level > 0) || b.Level > 6 {
			return fmt.Errorf("block %d: a %s of level %d", i, b.Kind, b.Level)
		}
		if h := b.Header; h < 0 || h > b.End-b.Start || h > 0 && text[b.Start+h-1] != '\n' {
			return fmt.Errorf("block %d: header of %d bytes is no whole lines of it", i, h)
		}
		if a := b.Anchor; a.LineStart > a.LineEnd || a.LineStart > 0 && a.LineStart < doc.FirstLine {
			return fmt.Errorf("block %d: lines %d to %d in a text from line %d", i, a.LineStart, a.LineEnd, doc.FirstLine)
		}
		if err := validateLines(b); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		end = b.End
	}
	if word := firstWord(text[end:]); word >= 0 {
		return fmt.Errorf("text at %d is in no block", end+word)
	}
	return doc.Metadata.Validate()
}

func validateLines(b corpus.Block) error {
	end := 0
	for i, l := range b.Lines {
		if l.Start < end || l.End < l.Start || l.End > b.End-b.Start {
			return fmt.Errorf("line %d: range [%d,%d) after %d in %d bytes", i, l.Start, l.End, end, b.End-b.Start)
		}
		if l.Box.Page < 1 || l.Box.Page < b.Anchor.Page || l.Box.Page > max(b.Anchor.Page, b.Anchor.PageEnd) {
			return fmt.Errorf("line %d: on page %d of %d to %d", i, l.Box.Page, b.Anchor.Page, b.Anchor.PageEnd)
		}
		end = l.End
	}
	return nil
}

func boundary(text string, i int) bool { return i == len(text) || utf8.RuneStart(text[i]) }

// firstWord returns the index of the first letter or digit, or -1.
func firstWord(s string) int {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
