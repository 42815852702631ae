package analyze

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what the scanner took a token for.
type Kind uint8

// Kinds of tokens.
const (
	Word       Kind = iota
	Identifier      // a name that is told apart by its punctuation, digits or capitals
	Unspaced        // characters of a script without spaces: a pair, or one standing alone
)

// token is one position. Texts are lowered, not folded.
type token struct {
	start, end int // bytes of the scanned text
	kind       Kind
	whole      string
	parts      []part // valid during the callback
}

// part is what a token is found by in the second field.
type part struct {
	text  string
	role  role
	stems bool // letters only: a word that has a stem
}

// role is what a part is to its token.
type role uint8

const (
	itself   role = iota // the first part
	alias                // the token in another spelling
	piece                // a part of it
	compound             // of several tokens: the name that begins with this one
)

// span is a word inside a run.
type span struct {
	start, end int
	shape      shape
}

// shape is what characters a word has.
type shape uint8

const (
	letter shape = 1 << iota
	digit
	underscore
	capital // after the first character
	divided // separators between digits
	quoted  // apostrophes
)

func (s shape) has(all shape) bool { return s&all == all }

// scanner walks over a text and reports its tokens in order.
type scanner struct {
	text  string
	emit  func(*token)
	tok   token
	spans []span   // words of the run
	joins []string // joins[i] stands before spans[i]; the last one after all
}

func (s *scanner) scan() {
	for i := 0; i < len(s.text); {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		switch classify(r) {
		case unspaced:
			i = s.pairs(i)
		case word, joining:
			i = s.run(i)
		default:
			i += n
		}
	}
}

// run reads words and what joins them, up to white space or another breaking
// character, and reports them.
func (s *scanner) run(i int) int {
	s.spans, s.joins = s.spans[:0], s.joins[:0]
	from, url := i, false
	for i < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		c := classify(r)
		if c == word {
			sp, next := s.word(i)
			i = next
			if sp.start < sp.end {
				s.joins = append(s.joins, join(s.text[from:sp.start]))
				s.spans = append(s.spans, sp)
				from = sp.end
				url = url || len(s.spans) == 2 && s.joins[1] == "://"
				continue
			}
			break // only underscores or marks: not a word
		}
		if c == joining || url && r < utf8.RuneSelf && strings.IndexByte("?=%~;,$!*()", byte(r)) >= 0 {
			i += n
			continue
		}
		break
	}
	s.joins = append(s.joins, join(s.text[from:i]))
	if len(s.spans) > 0 {
		s.split(url)
	}
	return i
}

// word reads one word: letters, digits and marks, with apostrophes between
// letters and separators between digits. Underscores at its ends are left out.
func (s *scanner) word(i int) (sp span, next int) {
	sp.start = i
	var prev rune
	for i < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		if c := classify(r); c != word {
			following, _ := utf8.DecodeRuneInString(s.text[i+n:])
			switch {
			case c == apostrophe && unicode.IsLetter(prev) && unicode.IsLetter(following) && classify(following) == word:
				sp.shape |= quoted
			case (r == '.' || r == ',' || r == ':') && unicode.IsDigit(prev) && unicode.IsDigit(following):
				sp.shape |= divided
			default:
				sp.end = i
				return s.trim(sp), i
			}
		}
		switch {
		case unicode.IsLetter(r):
			sp.shape |= letter
			if i > sp.start && unicode.IsUpper(r) {
				sp.shape |= capital
			}
		case unicode.IsNumber(r):
			sp.shape |= digit
		case r == '_' || r == '＿':
			sp.shape |= underscore
		}
		prev = r
		i += n
	}
	sp.end = i
	return s.trim(sp), i
}

// trim leaves out the underscores around a word, and all of what is no word.
func (s *scanner) trim(sp span) span {
	if sp.shape&(letter|digit) == 0 {
		return span{start: sp.start, end: sp.start}
	}
	if sp.shape.has(underscore) {
		left := strings.TrimLeft(s.text[sp.start:sp.end], "_＿")
		sp.start = sp.end - len(left)
		left = strings.TrimRight(left, "_＿")
		sp.end = sp.start + len(left)
		if !strings.ContainsAny(left, "_＿") {
			sp.shape &^= underscore
		}
	}
	return sp
}

// join returns the punctuation between two words in its ASCII form.
func join(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(narrow(r))
	}
	return b.String()
}

// split divides the run into names, and words that merely touch.
func (s *scanner) split(url bool) {
	if url {
		s.identifier(0, len(s.spans), false, "")
		return
	}
	tested := 0 // a stretch is tested once, so that a long run takes linear time
	for a := 0; a < len(s.spans); {
		if a >= tested {
			for tested = a + 1; tested < len(s.spans) && pathJoin(s.joins[tested]); tested++ {
			}
			if s.isPath(a, tested) {
				s.identifier(a, tested, false, "")
				a = tested
				continue
			}
		}
		b := a + 1
		for b < len(s.spans) && s.holds(b) {
			b++
		}
		s.group(a, b)
		a = b
	}
}

// pathJoin tells what may stand between the words of a path.
func pathJoin(j string) bool {
	return j == "@" || strings.Trim(strings.TrimPrefix(j, ":"), `/\.-`) == "" && (j[0] != ':' || len(j) > 1)
}

// isPath tells file paths from words with a slash between them ("and/or"): a
// path begins with a separator or a drive, or ends in a name with an extension
// or an underscore.
func (s *scanner) isPath(a, b int) bool {
	last := 0
	for i := a + 1; i < b; i++ {
		if strings.ContainsAny(s.joins[i], `/\`) {
			last = i
		}
	}
	if last == 0 {
		return false
	}
	extension := strings.Contains(s.text[s.spans[last].start:s.spans[b-1].end], "_")
	for _, j := range s.joins[last+1 : b] {
		extension = extension || j == "."
	}
	drive := s.joins[a+1][0] == ':' && s.spans[a].end-s.spans[a].start == 1
	return extension || drive || strings.ContainsAny(s.joins[a], `/\`)
}

// holds tells whether the punctuation before word i makes one name of it and
// the word before.
func (s *scanner) holds(i int) bool {
	switch s.joins[i] {
	case "-", ".", "::", "&", "@", "#", "++":
		return true
	case "/":
		return isDigit(s.text[s.spans[i-1].end-1]) && isDigit(s.text[s.spans[i].start])
	}
	return false
}

// group reports the words a..b, which belong together.
func (s *scanner) group(a, b int) {
	suffix := s.suffix(b - 1)
	dotted := strings.HasSuffix(s.joins[a], ".") && !strings.HasSuffix(s.joins[a], "..") && !isDigit(s.text[s.spans[a].start])
	hyphens, dots, plain, initials := true, true, true, true
	for i := a; i < b; i++ {
		sp := s.spans[i]
		plain = plain && sp.shape&(digit|underscore) == 0
		initials = initials && utf8.RuneCountInString(s.text[sp.start:sp.end]) == 1
		hyphens = hyphens && (i == a || s.joins[i] == "-")
		dots = dots && (i == a || s.joins[i] == ".")
	}
	switch {
	case suffix != "", dotted:
		s.identifier(a, b, dotted, suffix)
	case b-a == 1 && !s.coded(s.spans[a]):
		s.plain(s.spans[a], "")
	case b-a > 1 && plain && hyphens:
		s.compound(a, b)
	case b-a > 1 && plain && dots && initials:
		s.acronym(a, b)
	default:
		s.identifier(a, b, false, "")
	}
}

// suffix returns the "++" or "#" after word i that belongs to it: C++, C#.
func (s *scanner) suffix(i int) string {
	sp, after := s.spans[i], s.joins[i+1]
	switch {
	case sp.shape&(digit|underscore) != 0:
		return ""
	case strings.HasPrefix(after, "++"):
		return "++"
	case strings.HasPrefix(after, "#") && sp.end-sp.start <= 2:
		return "#"
	}
	return ""
}

// coded tells whether a single word is an identifier: letters mixed with
// digits, an underscore, three humps of a camel, or a number of three places.
func (s *scanner) coded(sp span) bool {
	return sp.shape.has(letter|digit) || sp.shape.has(underscore) ||
		sp.shape.has(divided) && strings.Count(s.text[sp.start:sp.end], ".") >= 2 ||
		sp.shape.has(capital) && humps(s.text[sp.start:sp.end]) > 2
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
