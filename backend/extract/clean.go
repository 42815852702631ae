package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes one block's text of what a document holds: valid UTF-8 without
// control characters, every run of white space one space, "\n" kept as a line
// break but no empty lines, nothing at the ends. Characters that nobody sees
// are left out: soft hyphens, zero-width spaces, direction marks, and Unicode
// tags, in which text can be smuggled.
func Clean(s string) string {
	hidden := 0
	return clean(s, false, &hidden)
}

// clean is Clean; it adds to hidden the number of tag characters, which are
// hidden text. With verbatim all white space stays.
func clean(s string, verbatim bool, hidden *int) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space, line := false, false // pending
	put := func(s string) {
		if b.Len() > 0 || verbatim {
			switch {
			case line:
				b.WriteByte('\n')
			case space:
				b.WriteByte(' ')
			}
		}
		space, line = false, false
		b.WriteString(s)
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		char := s[i : i+n]
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
			put(string(utf8.RuneError))
		case r == '\r' && i < len(s) && s[i] == '\n':
		case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			if verbatim {
				put("\n")
			}
			line = !verbatim
		case unicode.IsSpace(r):
			if verbatim {
				put(char)
			}
			space = !verbatim
		case r >= 0xE0000 && r <= 0xE007F:
			*hidden++
		case invisible(r):
		default:
			put(char)
		}
	}
	return b.String()
}

// isClean is a fast path for plain lines.
func isClean(s string) bool {
	space := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			if space {
				return false
			}
			space = true
		case c < ' ' || c >= 0x7f:
			return false
		default:
			space = false
		}
	}
	return !space || s == ""
}

// invisible reports characters without a shape of their own. Joiners stay: in
// Persian and in emoji they make the shape.
func invisible(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r == 0xad, r == 0x200b, r == 0x2060, r == 0xfeff:
		return true
	case r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}
