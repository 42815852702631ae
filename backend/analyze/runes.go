package analyze

import (
	"unicode"
	"unicode/utf8"
)

// class is what a character means to the scanner.
type class uint8

const (
	breaking   class = iota // white space, brackets, symbols: ends everything
	word                    // letters, digits, marks, underscore
	joining                 // - . : / \ @ # + & may join words to an identifier
	apostrophe              // within a word only
	unspaced                // a letter of a script that writes no spaces between words
)

var ascii = func() (t [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			t[r] = word
		}
	}
	for _, r := range `-.:/\@#+&` {
		t[r] = joining
	}
	t['\''] = apostrophe
	return t
}()

func classify(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return ascii[r]
	case r >= 0xFF01 && r <= 0xFF5E: // full-width ASCII
		return ascii[r-0xFF01+'!']
	case r == '‐' || r == '‑':
		return joining
	case r == '’' || r == 'ʼ' || r == '·' || r == '״' || r == '‧':
		return apostrophe
	case isUnspaced(r):
		return unspaced
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
		return word
	case unicode.Is(unicode.Cf, r) && r != '\ufeff':
		return word // soft hyphen, joiners: invisible inside a word
	}
	return breaking
}

// narrow returns the ASCII form of a joining character.
func narrow(r rune) byte {
	switch {
	case r < utf8.RuneSelf:
		return byte(r)
	case r >= 0xFF01 && r <= 0xFF5E:
		return byte(r - 0xFF01 + '!')
	}
	return '-'
}

var unspacedScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Tangut, unicode.Nushu,
}

// isUnspaced tells the scripts that are indexed by pairs of characters,
// because telling their words apart takes a dictionary.
func isUnspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	if r == 'ー' || r == 'ｰ' { // the long-vowel mark belongs to no script
		return true
	}
	if r >= 0x0E00 && r <= 0x0EFF || r >= 0x1000 && r <= 0x11FF || r >= 0x1780 && r <= 0x1AAF ||
		r >= 0x2E80 && r <= 0x9FFF || r >= 0xA960 && r <= 0xD7FF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0xFF65 && r <= 0xFFDC || r >= 0x16FE0 && r <= 0x3FFFF {
		return unicode.In(r, unspacedScripts...) && (unicode.IsLetter(r) || unicode.IsMark(r))
	}
	return false
}

// clings tells whether r belongs to the character before it.
func clings(r rune) bool {
	return r >= 0x300 && (unicode.IsMark(r) || variation(r) || r == 'ﾞ' || r == 'ﾟ' || r == '\u200d' || r == '\u200c')
}
