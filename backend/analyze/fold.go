package analyze

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lower is the first half of a term's normal form: NFKC, lower case, no
// invisible characters. Accents stay, since stemmers need them.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s) // returns s itself where nothing changes
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.IsSpace(r), variation(r), r == 'ـ':
			return -1 // soft hyphens, joiners, spaces of compatibility forms, tatweel
		case r == '’' || r == 'ʼ':
			return '\''
		case r > unicode.MaxASCII && unicode.Is(unicode.Nd, r):
			return '0' + digitValue(r)
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(s))
}

// fold is the second half: accents, points and letter variants of a lowered
// word are removed, so that a word can be typed without them.
func fold(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if accent(r) {
			continue
		}
		if plain, ok := letters[r]; ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// letters that carry no combining mark and are still typed as others.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ħ': "h",
	'ı': "i", 'ł': "l", 'þ': "th", 'ŧ': "t", 'ς': "σ", 'ŋ': "n", 'ĸ': "k",
}

// accent tells whether r is a mark that is left out in typing: diacritics of
// the European scripts, Hebrew points and Arabic vowels. Marks of the Indic
// scripts and of kana are letters in all but name and stay.
func accent(r rune) bool {
	return r >= 0x300 && r <= 0x36F || r >= 0x591 && r <= 0x5C7 && r != 0x5BE ||
		r >= 0x64B && r <= 0x65F || r == 0x670 || r >= 0x6D6 && r <= 0x6ED && unicode.Is(unicode.Mn, r)
}

func variation(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF
}

// digitValue returns the value of a decimal digit of any script: every script's
// digits stand in ascending order.
func digitValue(r rune) rune {
	var n rune
	for n < 9 && unicode.Is(unicode.Nd, r-n-1) {
		n++
	}
	return n
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// MaxTerm bounds a term's bytes.
const MaxTerm = 64

// bound keeps a term within MaxTerm. A longer one keeps its beginning and gets
// its digest, so that two long terms stay different.
func bound(term string) string {
	if len(term) <= MaxTerm {
		return term
	}
	const digits = "0123456789abcdef"
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(term) {
		h = (h ^ uint64(term[i])) * 1099511628211
	}
	cut := MaxTerm - 17
	for !utf8.RuneStart(term[cut]) {
		cut--
	}
	b := append(make([]byte, 0, MaxTerm), term[:cut]...)
	b = append(b, '~')
	for range 16 {
		b = append(b, digits[h>>60])
		h <<= 4
	}
	return string(b)
}
