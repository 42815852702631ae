package pdf

import (
	"strings"
	"unicode"
)

// garble scores how much of a text is not what a person would read: 0 clean,
// 1 unreadable. It knows no language: it counts characters without meaning,
// words that mix alphabets, words of consonants only, and words torn into
// letters. Short texts prove little and score low.
func garble(text string) float64 {
	characters, bad := 0, 0.0
	words, torn := 0, 0
	for w := range strings.FieldsSeq(text) {
		n, wrong, letters := 0, 0, 0
		for _, r := range w {
			n++
			if meaningless(r) {
				wrong++
			}
			if unicode.IsLetter(r) {
				letters++
			}
		}
		characters += n
		switch {
		case wrong > 0:
			bad += float64(wrong)
		case letters >= 2 && mojibake(w):
			bad += float64(n)
		case letters >= 4 && (mixed(w) || mute(w)):
			bad += float64(n)
		case letters >= 4 && erratic(w):
			bad += float64(n) / 2
		}
		if letters > 0 && alphabetic(w) {
			words++
			if letters == 1 && n <= 2 {
				torn++
			}
		}
	}
	if characters == 0 {
		return 0
	}
	if narrowHangul(text) {
		bad = float64(characters)
	}
	score := bad / float64(characters)
	const several = 10 // words
	if words >= several {
		// Even among formulas not all words are single letters.
		if share := float64(torn) / float64(words); share > .75 {
			score += share
		}
	}
	const proof = 20 // characters
	return min(1, score) * min(1, float64(characters)/proof)
}

// narrowHangul reports whether Korean syllables are nearly all from one small
// part of their 11,172: no language, but an alphabet that was taken for them.
func narrowHangul(text string) bool {
	const least, part = 20, 512
	var counts [11172/part + 2]int
	all := 0
	for _, r := range text {
		if r >= 0xac00 && r <= 0xd7a3 {
			counts[int(r-0xac00)/part]++
			all++
		}
	}
	for i := 1; i < len(counts); i++ {
		if all >= least && (counts[i]+counts[i-1])*10 > all*9 {
			return true
		}
	}
	return false
}

// meaningless are characters that no text holds: of private use, unassigned,
// or in place of ones that are not known.
func meaningless(r rune) bool {
	switch {
	case r == unicode.ReplacementChar, r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r >= 0xf020 && r <= 0xf0ff:
		return false // symbol fonts: bullets and arrows
	}
	return !unicode.IsGraphic(r) && !unicode.In(r, unicode.Cf)
}

// scripts whose letters never share a word.
var scripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Thai, unicode.Hangul, unicode.Han}

// mojibake reports whether a word is of accented Western letters only: bytes of
// another encoding look like that.
func mojibake(word string) bool {
	for _, r := range word {
		if unicode.IsLetter(r) && (r < 0xc0 || r > 0xff) {
			return false
		}
	}
	return true
}

// mixed reports whether a word changes its alphabet more than once, letter by
// letter. Once is usual: "PDF를", "µm".
func mixed(word string) bool {
	changes := 0
	var last *unicode.RangeTable
	for _, r := range word {
		if r < 0x80 && !unicode.IsLetter(r) {
			last = nil // "α/β-blocker"
			continue
		}
		for _, s := range scripts {
			if !unicode.Is(s, r) {
				continue
			}
			if last != nil && s != last {
				changes++
			}
			last = s
			break
		}
	}
	return changes >= 2
}

// mute reports whether a Latin word has no vowel, and is no abbreviation.
func mute(word string) bool {
	letters := 0
	for _, r := range word {
		switch {
		case !unicode.IsLetter(r):
			return false
		case r >= 0x80, strings.ContainsRune("aeiouyAEIOUY", r):
			return false
		}
		letters++
	}
	return letters >= 5
}

// erratic reports whether a word is in upper and lower case without system.
func erratic(word string) bool {
	changes, digits := 0, 0
	var last rune
	for _, r := range word {
		if unicode.IsLower(last) && unicode.IsUpper(r) {
			changes++
		}
		if unicode.IsLetter(last) && unicode.IsDigit(r) {
			digits++
		}
		last = r
	}
	return changes >= 3 && changes*4 > len(word) || digits >= 4
}

// alphabetic reports whether a word's letters are parts of words.
func alphabetic(word string) bool {
	for _, r := range word {
		if unicode.IsLetter(r) {
			return unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
		}
	}
	return false
}
