package chunk

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"ibid/backend/corpus"
)

// grow reserves memory for n more marks: growing step by step takes several
// times as much. More than a text may have units are of no use.
func grow(marks []mark, n int) []mark { return slices.Grow(marks, min(n, corpus.MaxUnits)) }

// lines marks the lines of text[from:to], except the first; after blank lines
// the mark is stronger. As in prose, there may be too many.
func lines(text string, from, to int, marks []mark) []mark {
	marks = grow(marks, strings.Count(text[from:to], "\n"))
	from += leadingSpace(text[from:to])
	for i := from; i < to && len(marks) <= corpus.MaxUnits; {
		n := strings.IndexByte(text[i:to], '\n')
		if n < 0 {
			break
		}
		i += n
		space := leadingSpace(text[i:to])
		next := i + space
		if next == to {
			break
		}
		l := levelLine
		if strings.Count(text[i:next], "\n") > 1 {
			l = levelParagraph
		}
		// Indentation belongs to its line.
		next = i + strings.LastIndexByte(text[i:next], '\n') + 1
		marks = append(marks, mark{pos: next, level: l})
		i = next
	}
	return marks
}

// words marks the words of text[from:to], except the first. As in prose, there
// may be too many.
func words(text string, from, to int, marks []mark) []mark {
	marks = grow(marks, spaces(text[from:to]))
	for m := range inWords(text, mark{pos: from}, to) {
		if len(marks) > corpus.MaxUnits {
			break
		}
		if m.level != levelGlue {
			marks = append(marks, m)
		}
	}
	return marks
}

// spaces is how many words to reserve memory for.
func spaces(text string) int { return strings.Count(text, " ") }

// inWords gives first, and then a mark for each word of the text from there to
// to but the first, one by one: of a long text they would fill the memory.
func inWords(text string, first mark, to int) iter.Seq[mark] {
	const none = -1
	return func(yield func(mark) bool) {
		if !yield(first) {
			return
		}
		before := rune(none) // the last character that is not white space
		space := false
		for i, r := range text[first.pos:to] {
			if unicode.IsSpace(r) {
				space = true
				continue
			}
			wide := before >= firstWide && unicode.In(before, unicode.Po, unicode.Pe)
			m := mark{pos: first.pos + i, level: levelGlue}
			switch {
			case before == none:
			case space && strings.ContainsRune(",;:", before), wide && !unicode.IsPunct(r):
				m.level = levelClause
			case space:
				m.level = levelWord
			}
			if m.level != levelGlue && !yield(m) {
				return
			}
			before, space = r, false
		}
	}
}

// Sizes in bytes of the pieces of a word. A grapheme cluster larger than
// pieceMax (hundreds of combining marks) is cut between characters.
const (
	pieceMin = 8
	pieceMax = 32
)

// pieces marks pieces of a word text[from:to], except the first, between
// grapheme clusters. The places depend on the characters before them, so that
// they stay where they are when the word is edited elsewhere.
func pieces(text string, from, to int, marks []mark) []mark {
	from += leadingSpace(text[from:to])
	start := from
	cut := func(pos int) {
		marks = append(marks, mark{pos: pos, level: levelGrapheme})
		start = pos
	}
	for it := graphemes.FromString(strings.TrimRightFunc(text[from:to], unicode.IsSpace)); it.Next(); {
		begin, end := from+it.Start(), from+it.End()
		if begin > start && end-start > pieceMax || begin-start >= pieceMin && boundaryHash(text[begin-4:begin])%8 == 0 {
			cut(begin)
		}
		for end-start > pieceMax {
			p := start + pieceMax
			for !utf8.RuneStart(text[p]) {
				p--
			}
			cut(p)
		}
	}
	return marks
}
