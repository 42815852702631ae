package wordpiece

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer holds the buffers of one pass over a text.
type normalizer struct {
	*Tokenizer
	clean, decomposed []byte
	iter              norm.Iter // kept, as a new one costs an allocation a word
}

// apply returns s as BERT sees it: control characters dropped, every white
// space a space, Han characters set apart, accents stripped, lower case. The
// result is valid until the next call.
func (n *normalizer) apply(s string) []byte {
	out, ascii := n.clean[:0], true
	for _, r := range s {
		switch {
		case n.cleans && isDropped(r):
		case n.cleans && isSpace(r):
			out = append(out, ' ')
		case r < utf8.RuneSelf:
			if n.lower && 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			out = append(out, byte(r))
		case n.han && isHan(r):
			ascii = false
			out = append(out, ' ')
			out = utf8.AppendRune(out, r)
			out = append(out, ' ')
		default:
			ascii = false
			out = utf8.AppendRune(out, r)
		}
	}
	n.clean = out
	if ascii {
		return out
	}
	n.decomposed = n.decomposed[:0]
	if n.strip {
		for n.iter.Init(norm.NFD, out); !n.iter.Done(); {
			n.decomposed = append(n.decomposed, n.iter.Next()...)
		}
	} else {
		n.decomposed = append(n.decomposed, out...)
	}
	out = out[:0]
	for rest := n.decomposed; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		if n.strip && unicode.Is(unicode.Mn, r) {
			continue
		}
		if n.lower {
			r = unicode.ToLower(r)
		}
		out = utf8.AppendRune(out, r)
	}
	n.clean = out
	return out
}

// isDropped: what "clean text" removes: control, format and private-use
// characters except tab and line ends, and the replacement character.
func isDropped(r rune) bool {
	switch {
	case r < 0x20:
		return r != '\t' && r != '\n' && r != '\r'
	case r < 0x7f:
		return false
	}
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// isSpace: the property White_Space.
func isSpace(r rune) bool {
	if r < utf8.RuneSelf {
		return r == ' ' || '\t' <= r && r <= '\r'
	}
	return unicode.IsSpace(r)
}

// isPunct: the categories P, and all of ASCII that is neither letter, digit,
// white space nor control ("$", "+", "^", …).
func isPunct(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.Is(unicode.P, r)
}

// isHan: the blocks that BERT calls Chinese characters.
func isHan(r rune) bool {
	return 0x4e00 <= r && r <= 0x9fff || 0x3400 <= r && r <= 0x4dbf ||
		0x20000 <= r && r <= 0x2a6df || 0x2a700 <= r && r <= 0x2b73f ||
		0x2b740 <= r && r <= 0x2b81f || 0x2b920 <= r && r <= 0x2ceaf ||
		0xf900 <= r && r <= 0xfaff || 0x2f800 <= r && r <= 0x2fa1f
}
