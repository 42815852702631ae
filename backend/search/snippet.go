package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"ibid/backend/analyze"
)

// Span is a range of bytes.
type Span struct{ Start, End int }

// Snippet is the window of a text that says most about the query.
type Snippet struct {
	Span           // of the text
	Text    string // text[Start:End]
	Matches []Span // of Text, in order, apart from each other
}

// SnippetBytes is the size that a snippet does not exceed.
const SnippetBytes = 280

// matcher tells which units of a query a token answers.
type matcher struct {
	parts, whole map[string][]int
	weights      []float64
}

func newMatcher(units []analyze.Unit, weight func(unit int) float64) *matcher {
	m := &matcher{parts: make(map[string][]int), whole: make(map[string][]int), weights: make([]float64, len(units))}
	for i, u := range units {
		m.weights[i] = weight(i)
		for _, form := range u.Forms {
			m.parts[form] = append(m.parts[form], i)
		}
		if u.Whole != "" {
			m.whole[u.Whole] = append(m.whole[u.Whole], i)
		}
	}
	return m
}

// match is a token that answers units.
type match struct {
	Span
	units []int
}

// matches finds the tokens of a text that answer the query.
func (m *matcher) matches(text string, tokens []analyze.Token) []match {
	var all []match
	for _, tok := range tokens {
		at := Span{tok.Start, tok.End}
		units := append([]int(nil), m.whole[tok.Whole]...)
		for _, part := range tok.Parts {
			found := m.parts[part]
			if len(found) > 0 && len(units) == 0 && tok.Kind == analyze.Unspaced && part != tok.Whole {
				if i := strings.Index(text[tok.Start:tok.End], part); i >= 0 { // one character of the pair
					at = Span{tok.Start + i, tok.Start + i + len(part)}
				}
			}
			units = append(units, found...)
		}
		if len(units) > 0 {
			all = append(all, match{at, units})
		}
	}
	return all
}

// snip chooses the window with the greatest weight of different units, then
// with the most matches, then the first.
func (m *matcher) snip(text string, tokens []analyze.Token) Snippet {
	found := m.matches(text, tokens)
	best, from, to := -1.0, 0, 0
	for i := range found {
		seen := make(map[int]bool)
		value := 0.0
		for j := i; j < len(found) && found[j].End-found[i].Start <= SnippetBytes*3/4; j++ {
			for _, u := range found[j].units {
				if !seen[u] {
					seen[u] = true
					value += m.weights[u]
				}
			}
			value += 1e-3
			if value > best {
				best, from, to = value, found[i].Start, found[j].End
			}
		}
	}
	s := Snippet{Span: widen(text, from, to)}
	s.Text = text[s.Start:s.End]
	for _, f := range found {
		f.Start, f.End = max(f.Start, s.Start), min(f.End, s.End)
		if f.Start >= f.End {
			continue
		}
		at := Span{f.Start - s.Start, f.End - s.Start}
		if n := len(s.Matches); n > 0 && at.Start <= s.Matches[n-1].End {
			s.Matches[n-1].End = max(s.Matches[n-1].End, at.End)
			continue
		}
		s.Matches = append(s.Matches, at)
	}
	return s
}

// widen extends from..to up to SnippetBytes: back to the beginning of the
// sentence if that is near, else by a third of what is left; and forward. It
// cuts between words if it can, and never inside a grapheme cluster.
func widen(text string, from, to int) Span {
	spare := max(0, SnippetBytes-(to-from))
	start := max(0, from-spare/3)
	if start > 0 {
		start = beginning(text, start, from)
	}
	end := min(len(text), start+max(SnippetBytes, to-start))
	if end < len(text) {
		if i := strings.LastIndexFunc(text[to:end], unicode.IsSpace); i >= 0 {
			end = to + i
		}
	}
	start, end = clusters(text, start, end)
	for start < end {
		r, n := utf8.DecodeRuneInString(text[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		start += n
	}
	for end > start {
		r, n := utf8.DecodeLastRuneInString(text[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		end -= n
	}
	return Span{start, end}
}

// beginning returns where to begin between start and the first match: after
// the last end of a sentence, else after the first white space.
func beginning(text string, start, match int) int {
	lead := text[start:match]
	for _, end := range []string{"\n", ". ", "? ", "! ", "。", "？", "！"} {
		if i := strings.LastIndex(lead, end); i >= 0 {
			return start + i + len(end)
		}
	}
	if i := strings.IndexFunc(lead, unicode.IsSpace); i >= 0 {
		return start + i
	}
	return start
}

// clusters moves both ends outwards to the borders of grapheme clusters.
func clusters(text string, start, end int) (int, int) {
	pos, first := 0, 0
	for it := graphemes.FromString(text); it.Next(); {
		if pos <= start {
			first = pos
		}
		if pos >= end {
			break
		}
		pos += len(it.Value())
	}
	return first, max(pos, first)
}
