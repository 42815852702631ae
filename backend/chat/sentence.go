package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// span is a range of bytes.
type span struct{ start, end int }

// Bounds of a quoted sentence, in bytes: shorter ones say nothing, longer ones
// are cut between words.
const (
	minSentence = 12
	maxSentence = 500
)

// split returns the sentences of a passage: of its paragraphs, list items and
// table rows, without their markers. Headings and fenced code are left out; code
// without any sentence beside it is one.
func split(text string) []span {
	var all []span
	fenced, code := false, false
	at := 0
	block := span{-1, -1}
	flush := func() {
		if block.start >= 0 {
			all = append(all, paragraph(text, block)...)
		}
		block = span{-1, -1}
	}
	for line := range strings.SplitAfterSeq(text, "\n") {
		start := at
		at += len(line)
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			flush()
			fenced, code = !fenced, true
			continue
		}
		if fenced || trimmed == "" || heading(trimmed) {
			flush()
			continue
		}
		if n := marker(line); n > 0 {
			flush()
			start += n
		}
		if block.start < 0 {
			block.start = start
		}
		block.end = at
	}
	flush()
	if len(all) == 0 && code {
		if s := trim(text, span{0, len(text)}); s.start < s.end {
			all = append(all, s)
		}
	}
	return all
}

func heading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	return len(rest) < len(line) && (rest == "" || rest[0] == ' ') || strings.Trim(line, "=-:| ") == ""
}

// marker returns the length of what precedes the words of a list item, quote
// or table row; 0 for a line that continues a paragraph.
func marker(line string) int {
	n := len(line) - len(strings.TrimLeft(line, " \t"))
	rest := line[n:]
	switch {
	case strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "* "), strings.HasPrefix(rest, "+ "), strings.HasPrefix(rest, "> "), strings.HasPrefix(rest, "| "):
		return n + 2
	case strings.HasPrefix(rest, "• "):
		return n + len("• ")
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits > 0 && digits < 4 && (strings.HasPrefix(rest[digits:], ". ") || strings.HasPrefix(rest[digits:], ") ")) {
		return n + digits + 2
	}
	return 0
}

// paragraph divides a block into sentences as UAX #29 does, after line breaks
// were made spaces, and puts together what an abbreviation had divided.
func paragraph(text string, block span) []span {
	flat := strings.ReplaceAll(text[block.start:block.end], "\n", " ") // of equal length
	var all []span
	at := block.start
	open := false
	for it := sentences.FromString(flat); it.Next(); {
		s := span{at, at + len(it.Value())}
		at = s.end
		if open {
			all[len(all)-1].end = s.end
		} else {
			all = append(all, s)
		}
		open = abbreviated(it.Value())
	}
	kept := all[:0]
	for _, s := range all {
		if s = trim(text, s); s.end-s.start >= minSentence && strings.ContainsFunc(text[s.start:s.end], unicode.IsLetter) {
			kept = append(kept, s)
		}
	}
	return kept
}

// abbreviated tells whether a sentence ends in a point that ends no sentence.
func abbreviated(s string) bool {
	s = strings.TrimRight(s, " \t")
	word := s[strings.LastIndexAny(s, " (")+1:]
	if !strings.HasSuffix(word, ".") {
		return false
	}
	word = strings.ToLower(strings.TrimSuffix(word, "."))
	switch word {
	case "dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "fig", "figs", "eq", "vs", "cf", "approx", "ca", "bzw", "z.b", "d.h", "e.g", "i.e", "al", "inc", "vol", "pp", "abs", "art", "sec":
		return true
	}
	return utf8.RuneCountInString(word) == 1 && !unicode.IsDigit([]rune(word)[0])
}

// trim leaves out white space and the border of a table at both ends, and what
// exceeds maxSentence.
func trim(text string, s span) span {
	if s.end-s.start > maxSentence {
		cut := s.start + maxSentence
		if i := strings.LastIndexAny(text[s.start:cut], " \n"); i > 0 {
			cut = s.start + i
		}
		for back := 1; back < utf8.UTFMax && !utf8.RuneStart(text[cut]); back++ {
			cut--
		}
		s.end = cut
	}
	body := strings.TrimRight(text[s.start:s.end], " \t\n|")
	s.end = s.start + len(body)
	s.start = s.end - len(strings.TrimLeft(body, " \t\n|"))
	return s
}
