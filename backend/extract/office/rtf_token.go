package office

import "strings"

// rtfToken is a piece of RTF (Rich Text Format specification 1.9.1).
type rtfToken struct {
	kind  rtfKind
	word  string // of a control word or symbol
	param int
	given bool // whether there is a parameter
	char  byte // of text
}

type rtfKind byte

const (
	rtfEnd rtfKind = iota
	rtfOpen
	rtfClose
	rtfControl
	rtfChar
)

type rtfScanner struct {
	data []byte
	pos  int
}

// next returns the next token. Nothing is malformed: what is no control word
// is text.
func (s *rtfScanner) next() rtfToken {
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		s.pos++
		switch c {
		case '{':
			return rtfToken{kind: rtfOpen}
		case '}':
			return rtfToken{kind: rtfClose}
		case '\r', '\n', 0:
		case '\\':
			return s.control()
		default:
			return rtfToken{kind: rtfChar, char: c}
		}
	}
	return rtfToken{kind: rtfEnd}
}

// maxWord and maxParam bound control words (the specification: 32 letters, 10 digits).
const (
	maxWord  = 32
	maxParam = 1 << 30
)

func (s *rtfScanner) control() rtfToken {
	if s.pos == len(s.data) {
		return rtfToken{kind: rtfEnd}
	}
	start := s.pos
	for s.pos < len(s.data) && s.pos-start < maxWord && isASCIILetter(s.data[s.pos]) {
		s.pos++
	}
	if s.pos == start {
		s.pos++
		t := rtfToken{kind: rtfControl, word: string(s.data[start:s.pos])}
		if t.word == "'" {
			t.given = true
			for range 2 {
				if s.pos < len(s.data) {
					if d := strings.IndexByte("0123456789abcdef", s.data[s.pos]|0x20); d >= 0 {
						t.param = t.param*16 + d
						s.pos++
					}
				}
			}
		}
		return t
	}
	t := rtfToken{kind: rtfControl, word: string(s.data[start:s.pos])}
	negative := s.pos < len(s.data) && s.data[s.pos] == '-'
	if negative {
		s.pos++
	}
	for ; s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9'; s.pos++ {
		t.given = true
		t.param = min(t.param*10+int(s.data[s.pos]-'0'), maxParam)
	}
	if negative {
		t.param = -t.param
	}
	if s.pos < len(s.data) && s.data[s.pos] == ' ' {
		s.pos++
	}
	if t.word == "bin" { // so many bytes of no text follow
		s.pos += min(max(t.param, 0), len(s.data)-s.pos)
	}
	return t
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
