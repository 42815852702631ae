package analyze

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxParts bounds the parts of one token, so that a line of code or of base64
// does not outweigh a page.
const maxParts = 32

// report sends the token that covers the words a..b.
func (s *scanner) report(start, end int, kind Kind, whole string) {
	if whole == "" {
		return // nothing but marks was left
	}
	s.tok.start, s.tok.end, s.tok.kind, s.tok.whole = start, end, kind, whole
	s.emit(&s.tok)
}

func (s *scanner) clear() { s.tok.parts = s.tok.parts[:0] }

// part notes a part, each one once a token.
func (s *scanner) part(text string, role role, stems bool) {
	known := func(p part) bool { return p.text == text }
	if text != "" && len(s.tok.parts) < maxParts && !slices.ContainsFunc(s.tok.parts, known) {
		s.tok.parts = append(s.tok.parts, part{text, role, stems})
	}
}

// plain reports an ordinary word or number. joined is a compound that begins
// with it, found in the second field.
func (s *scanner) plain(sp span, joined string) {
	s.clear()
	text := s.text[sp.start:sp.end]
	whole := lower(text)
	if sp.shape.has(quoted) {
		whole = contract(whole)
	}
	s.part(whole, itself, !sp.shape.has(digit))
	s.part(joined, compound, false)
	if sp.shape.has(capital) {
		s.humps(text)
	}
	if sp.shape.has(divided) {
		s.part(thousands(whole), alias, false)
	}
	s.report(sp.start, sp.end, Word, whole)
}

// compound reports words joined by hyphens: each is a position of its own, and
// the second field has them written as one, for "wi-fi" is also "wifi".
func (s *scanner) compound(a, b int) {
	var joined strings.Builder
	for _, sp := range s.spans[a:b] {
		joined.WriteString(contract(lower(s.text[sp.start:sp.end])))
	}
	for i, sp := range s.spans[a:b] {
		if i == 0 && joined.Len() <= MaxTerm {
			s.plain(sp, joined.String())
		} else {
			s.plain(sp, "")
		}
	}
}

// acronym reports "U.S.A." as the word "usa".
func (s *scanner) acronym(a, b int) {
	s.clear()
	whole := strings.ReplaceAll(lower(s.text[s.spans[a].start:s.spans[b-1].end]), ".", "")
	s.part(whole, itself, true)
	s.report(s.spans[a].start, s.spans[b-1].end, Word, whole)
}

// identifier reports the words a..b as one name: its parts are the components
// between strong separators, the words, the words' own parts, and the name
// without hyphens. dotted and suffix are what belongs to it on the outside.
func (s *scanner) identifier(a, b int, dotted bool, suffix string) {
	s.clear()
	start, end := s.spans[a].start, s.spans[b-1].end
	whole := lower(s.text[start:end]) + suffix
	if dotted {
		whole = "." + whole
	}
	s.parts(whole, a, b, suffix)
	if dotted { // .NET, .gitignore
		_, n := utf8.DecodeLastRuneInString(s.text[:start])
		start -= n
	}
	for range suffix {
		_, n := utf8.DecodeRuneInString(s.text[end:])
		end += n
	}
	s.report(start, end, Identifier, whole)
}

func (s *scanner) parts(whole string, a, b int, suffix string) {
	s.part(whole, itself, false)
	from, hyphens := a, true
	var joined strings.Builder
	for i := a + 1; i <= b; i++ {
		hyphens = hyphens && (i == b || s.joins[i] == "-")
		if i < b && strings.Trim(s.joins[i], "-.") == "" {
			continue
		}
		if i-from > 1 { // a component between strong separators
			s.part(lower(s.text[s.spans[from].start:s.spans[i-1].end]), piece, false)
		}
		if i < b && s.joins[i] == "://" {
			s.part(lower(s.text[s.spans[i].start:s.spans[b-1].end]), alias, false)
		}
		from = i
	}
	for i := a; i < b; i++ {
		text := s.text[s.spans[i].start:s.spans[i].end]
		joined.WriteString(lower(text))
		s.name(text+s.suffix(i), b-a == 1)
	}
	if hyphens && b-a == 3 && len(whole) == len("2025-03-01") && isDigit(whole[0]) && whole[4] == '-' && whole[7] == '-' {
		s.part(whole[:len("2025-03")], piece, false)
	}
	if hyphens && suffix == "" && joined.Len() <= MaxTerm {
		s.part(strings.ReplaceAll(joined.String(), "_", ""), alias, false)
	}
}

// name notes one word of an identifier, which may be the only one, and its parts.
func (s *scanner) name(text string, only bool) {
	low := lower(text)
	s.part(low, piece, allLetters(low))
	for word := range strings.SplitSeq(low, "_") {
		s.part(word, piece, allLetters(word))
	}
	s.humps(text)
	s.part(thousands(low), piece, false)
	number := strings.TrimPrefix(low, "v")
	if strings.Count(number, ".") == 0 || strings.Trim(number, "0123456789.") != "" {
		return
	}
	if only {
		s.part(number, alias, false) // v1.2.3 is 1.2.3
	} else {
		s.part(number, piece, false)
	}
	for cut := strings.LastIndexByte(number, '.'); strings.Count(number[:cut], ".") > 0; cut = strings.LastIndexByte(number[:cut], '.') {
		s.part(number[:cut], piece, false)
	}
}

// humps notes the words of a camelCase name.
func (s *scanner) humps(text string) {
	if humps(text) < 2 || !allLetters(text) {
		return
	}
	from := 0
	for i := range text {
		if i > from && hump(text, i) {
			s.part(lower(text[from:i]), piece, true)
			from = i
		}
	}
	s.part(lower(text[from:]), piece, true)
}

// humps counts the words of a camelCase name; 1 for any other.
func humps(text string) int {
	n := 1
	for i := range text {
		if i > 0 && hump(text, i) {
			n++
		}
	}
	return n
}

// hump tells whether a word of a camelCase name begins at i: a capital after a
// small letter, or before one (HTTPServer).
func hump(text string, i int) bool {
	r, n := utf8.DecodeRuneInString(text[i:])
	if !unicode.IsUpper(r) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+n:])
	return unicode.IsLower(before) || unicode.IsUpper(before) && unicode.IsLower(after)
}

// thousands returns a number like 1,000 or 1.000.000 without its separators.
func thousands(s string) string {
	groups := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '.' })
	if len(groups) < 2 || len(groups[0]) > 3 {
		return ""
	}
	for i, g := range groups {
		if i > 0 && len(g) != 3 || strings.Trim(g, "0123456789") != "" {
			return ""
		}
	}
	return strings.Join(groups, "")
}

func allLetters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return s != ""
}

// contract removes what an apostrophe attaches to a word: the English
// possessive and verbs, the article and pronouns that Romance languages elide.
func contract(s string) string {
	s = quotes.Replace(s)
	if i := strings.IndexByte(s, '\''); i >= 0 && slices.Contains(elided, s[:i]) {
		s = s[i+1:]
	}
	if i := strings.LastIndexByte(s, '\''); i > 0 && slices.Contains(attached, s[i+1:]) {
		s = s[:i]
	}
	return strings.ReplaceAll(s, "'", "")
}

var (
	quotes   = strings.NewReplacer("·", "'", "״", "'", "‧", "'")
	attached = []string{"s", "ll", "ve", "re", "d", "m"}
	elided   = []string{
		"l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu",
		"un", "dell", "dall", "nell", "sull", "all", "quell", "quest",
	}
)
