package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// Lines shorter than wrapMin bytes were not broken for want of room, and lines
// longer than wrapMax were not broken at all.
const (
	wrapMin = 40
	wrapMax = 160
)

// prose marks the paragraphs, lines and sentences in text[from:to], except
// its beginning. With wrapped, a line end that only breaks a sentence is none.
// Of more marks than a text may have units, the rest is not looked for.
//
// Here as in lines, words and pieces, the piece before every mark and the one
// after it contain more than white space.
func prose(text string, from, to int, wrapped bool, marks []mark) []mark {
	marks = grow(marks, strings.Count(text[from:to], "\n")+strings.Count(text[from:to], ". "))
	s := text[:to]
	from += leadingSpace(s[from:])
	line := from // start of the current line's text
	for i := from; i < to && len(marks) <= corpus.MaxUnits; {
		if c := s[i]; c > ' ' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			i += w
			if wideTerminal(r) {
				i += len(s[i:]) - len(strings.TrimLeftFunc(s[i:], func(r rune) bool { return closer(r) || terminal(r) }))
				if r, _ := utf8.DecodeRuneInString(s[i:]); i < to && !unicode.IsSpace(r) {
					marks = append(marks, mark{pos: i, level: levelSentence})
				}
			}
			continue
		}
		before, n := s[line:i], leadingSpace(s[i:])
		newlines := strings.Count(s[i:i+n], "\n")
		i += n
		if i == to {
			break
		}
		if l := gapLevel(before, s[i:], newlines, wrapped); l > levelWord {
			marks = append(marks, mark{pos: i, level: l})
		}
		if newlines > 0 {
			line = i
		}
	}
	return marks
}

// gapLevel is the strength of white space with this many newlines between a
// line so far and the text after it.
func gapLevel(line, after string, newlines int, wrapped bool) level {
	switch {
	case newlines > 1:
		return levelParagraph
	case newlines == 1 && (!wrapped || !wraps(line, after)):
		return levelLine
	}
	if endsSentence(line, after) {
		return levelSentence
	}
	return levelWord
}

// wraps reports whether the end of a line looks like one that only keeps it
// short: the next one begins with a word that had no room on it, and another
// word than the line itself, as entries of a log do not.
func wraps(line, after string) bool {
	const quote = "> "
	next, _, _ := strings.Cut(after, "\n")
	word, _, _ := strings.Cut(strings.TrimLeft(next, quote), " ")
	first, _, _ := strings.Cut(strings.TrimLeft(line, quote), " ")
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "\"'(“‘«*_"))
	return unicode.IsLetter(r) && word != first &&
		len(line) >= wrapMin && len(line) <= wrapMax && len(line)+len(word) >= len(next)
}

// maxWord is how far, in bytes, endsSentence looks back for a word's start.
const maxWord = 64

// endsSentence reports whether a sentence ends at the end of line, which white
// space parts from after. The rules follow UAX #29 (SB6–SB10), with
// abbreviations, in bounded time.
func endsSentence(line, after string) bool {
	for range 4 {
		r, w := utf8.DecodeLastRuneInString(line)
		if !closer(r) {
			break
		}
		line = line[:len(line)-w]
	}
	stop, w := utf8.DecodeLastRuneInString(line)
	if !terminal(stop) {
		return false
	}
	line = line[:len(line)-w]
	if r, _ := utf8.DecodeLastRuneInString(line); wideTerminal(stop) || unicode.IsSpace(r) {
		return true // a space before the stop: text that a tokenizer took apart
	}
	if r, _ := utf8.DecodeRuneInString(after); unicode.IsLower(r) {
		return false
	}
	if stop != '.' {
		return true
	}
	tail := line[max(0, len(line)-maxWord):]
	word := tail[strings.LastIndexFunc(tail, unicode.IsSpace)+1:]
	switch {
	case len(word) == maxWord:
		return true
	case len(word) == len(line) && strings.Trim(word, "0123456789.") == "":
		return false // the number of a clause or list item
	}
	return !abbreviation(strings.ToLower(strings.TrimLeft(word, "([\"'*_“‘«")))
}

// abbreviation reports whether word, in small letters and without its last
// stop, is likely written with a stop before a capital letter or a number.
// Other abbreviations are followed by a small letter and need no list.
func abbreviation(word string) bool {
	switch word {
	case "mr", "mrs", "ms", "dr", "prof", "st", "vs", "cf", "fig", "figs", "eq", "no", "nos",
		"vol", "pp", "sec", "art", "para", "al", "approx", "inc", "nr", "abs", "bzw":
		return true
	}
	r, w := utf8.DecodeRuneInString(word)
	initial := w == len(word) && unicode.IsLetter(r)
	return initial || len(word) <= 5 && strings.Contains(word, ".") // e.g, i.e, p.m
}

// terminal reports whether r ends sentences.
func terminal(r rune) bool {
	return r == '…' || unicode.Is(unicode.Sentence_Terminal, r)
}

// wideTerminal reports whether r ends sentences without a space after it.
func wideTerminal(r rune) bool {
	return r >= firstWide && unicode.Is(unicode.Sentence_Terminal, r)
}

// firstWide is where the scripts begin that are written without spaces and
// with stops and commas of their own (CJK).
const firstWide = 0x2e80

// closer reports whether r may stand between a stop and the space.
func closer(r rune) bool {
	switch r {
	case '"', '\'', '*', '_', '`':
		return true
	}
	return unicode.In(r, unicode.Pe, unicode.Pf)
}

// leadingSpace returns how many bytes of white space s begins with.
func leadingSpace(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
}

// hasWord reports whether s has a letter or a number.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// oneLine returns s with its white space reduced to single spaces.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}
