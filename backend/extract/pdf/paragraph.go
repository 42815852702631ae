package pdf

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// paragraph is running text: lines that belong together.
type paragraph []line

// paragraphs joins the lines of a document. A table is one paragraph.
func paragraphs(lines []line) []paragraph {
	columns := measures(lines)
	var list []paragraph
	for i, l := range lines {
		if i > 0 {
			last := &list[len(list)-1]
			if joins(*last, l, columns[l.region]) {
				*last = append(*last, l)
				continue
			}
		}
		list = append(list, paragraph{l})
	}
	return list
}

// measure is how the lines of a region usually stand.
type measure struct {
	left, right float32
	leading     float32 // the space between lines, in points
}

func measures(lines []line) map[int]measure {
	spaces, rights, lefts := map[int][]float32{}, map[int][]float32{}, map[int][]float32{}
	for i, b := range lines {
		rights[b.region] = append(rights[b.region], b.box.X1)
		lefts[b.region] = append(lefts[b.region], b.box.X0)
		if i == 0 {
			continue
		}
		if a := lines[i-1]; a.region == b.region && below(a, b) {
			spaces[b.region] = append(spaces[b.region], b.box.Y0-a.box.Y1)
		}
	}
	usual := make(map[int]measure, len(rights))
	for region := range rights {
		usual[region] = measure{
			left: quantile(lefts[region], .1), right: quantile(rights[region], .9),
			leading: quantile(spaces[region], .4),
		}
	}
	return usual
}

// below reports whether b is a line under a, so near that it may continue it.
func below(a, b line) bool {
	size := max(a.size, b.size)
	space := b.box.Y0 - a.box.Y1
	return b.box.Y0 > a.box.Y0 && space < size && apart(a.box.X0, a.box.X1, b.box.X0, b.box.X1) < 0
}

// sameSize bounds the ratio of the sizes of lines of one paragraph.
const sameSize = 1.18

// joins reports whether a line continues a paragraph.
func joins(p paragraph, l line, column measure) bool {
	last := p[len(p)-1]
	if last.table != l.table {
		return false
	}
	if l.table > 0 {
		return true
	}
	small, large := min(last.size, l.size), max(last.size, l.size)
	if large > sameSize*small {
		return false
	}
	elsewhere := last.page != l.page || last.region != l.region || l.box.Y0 < last.box.Y0
	if elsewhere {
		return continues(last.text, l.text)
	}
	if !below(last, l) {
		return false
	}
	space := l.box.Y0 - last.box.Y1
	switch {
	case last.hyphen || hyphenated(last.text, l.text):
		return true
	case space > column.leading+.45*large:
		return false
	case startsItem(l.text):
		return false
	case ends(last.text) && last.box.X1 < max(right(p), l.box.X1)-3*large:
		return false // the line before is short, and ends a sentence
	case last.bold != l.bold && len(p) <= tallest && allBold(p) != l.bold && startsUpper(l.text):
		return false // a heading, or the text under one
	case last.box.X1 < column.right-.3*(column.right-column.left) && startsUpper(l.text) && !endsOpen(last.text):
		return false // the line before is short for no other reason
	case l.box.X0 > last.box.X0+.8*large && l.box.X0 > p[0].box.X0+.8*large && ends(last.text):
		return false // indented
	}
	return true
}

func allBold(p paragraph) bool {
	for _, l := range p {
		if !l.bold {
			return false
		}
	}
	return true
}

func startsUpper(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "(\"'“‘«"))
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}

// endsOpen reports whether a text cannot end where it does.
func endsOpen(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(",;(–—-&/", r)
}

// right is where the longest line of a paragraph ends.
func right(p paragraph) float32 {
	x := float32(0)
	for _, l := range p {
		x = max(x, l.box.X1)
	}
	return x
}

// ends reports whether a text may end a sentence.
func ends(text string) bool {
	text = strings.TrimRight(text, ")]}\"'”’»")
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?:;…。！？؟।", r)
}

// continues reports whether a text that begins elsewhere, in the next column or
// on the next page, goes on in the middle of a sentence.
func continues(text, next string) bool {
	if ends(text) || startsItem(next) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(next)
	return unicode.IsLower(r) && len(text) > 20
}

var item = regexp.MustCompile(`^(?:[•·▪●○■□‣◦–—*\x{f0b7}-]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|\[\d{1,3}\]\s)`)

func startsItem(text string) bool { return item.MatchString(text) }

// hyphenated reports whether a word may go on in the next line.
func hyphenated(text, next string) bool {
	rest, ok := cutHyphen(text)
	if !ok {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(rest)
	after, _ := utf8.DecodeRuneInString(next)
	return unicode.IsLetter(before) && unicode.IsLower(after)
}

// cutHyphen cuts a hyphen at the end.
func cutHyphen(text string) (string, bool) {
	for _, h := range []string{"-", "\u2010"} {
		if rest, ok := strings.CutSuffix(text, h); ok {
			return rest, true
		}
	}
	return text, false
}

// vocabulary are the words of a document: they tell whether a hyphen at the
// end of a line belongs to the word.
type vocabulary map[string]bool

func newVocabulary(lines []line) vocabulary {
	v := vocabulary{}
	for _, l := range lines {
		for _, w := range strings.FieldsFunc(l.text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
			v[strings.ToLower(strings.Trim(w, "-"))] = true
		}
	}
	return v
}

// joint is what stands between two lines of a paragraph: the first without its
// end, and what comes instead.
func (v vocabulary) joint(text, next string, soft bool) (string, string) {
	rest, ok := cutHyphen(text)
	switch {
	case soft && !ok:
		return text, ""
	case !ok:
		return text, " "
	case !hyphenated(text, next):
		r, _ := utf8.DecodeLastRuneInString(rest)
		if first, _ := utf8.DecodeRuneInString(next); unicode.IsLetter(r) && (unicode.IsLetter(first) || unicode.IsDigit(first)) {
			return text, "" // COVID-19
		}
		return text, " "
	}
	first, second := lastWord(rest), firstWord(next)
	if !v[first+second] && v[first+"-"+second] {
		return text, ""
	}
	return rest, ""
}

func lastWord(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	_, n := utf8.DecodeRuneInString(s[max(i, 0):])
	if i < 0 {
		n = 0
	}
	return strings.ToLower(s[max(i, 0)+n:])
}

func firstWord(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	if i < 0 {
		i = len(s)
	}
	return strings.ToLower(strings.Trim(s[:i], "-"))
}

// text joins a paragraph's lines and tells where each stands in it.
func (v vocabulary) text(p paragraph) (string, []corpus.Line) {
	var b strings.Builder
	places := make([]corpus.Line, 0, len(p))
	for i, l := range p {
		text, gap := l.text, ""
		if i+1 < len(p) {
			text, gap = v.joint(text, p[i+1].text, l.hyphen)
		}
		start := b.Len()
		b.WriteString(text)
		places = append(places, corpus.Line{Start: start, End: b.Len(), Box: boxOn(l.page, l.box)})
		b.WriteString(gap)
	}
	return b.String(), places
}

// boxOn is a box, rounded to tenths of a point, with its page.
func boxOn(page int, b corpus.Box) corpus.Box {
	return corpus.Box{Page: page, X0: round(b.X0), Y0: round(b.Y0), X1: round(b.X1), Y1: round(b.Y1)}
}
