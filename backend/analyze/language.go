package analyze

import (
	"math/bits"
	"unicode"
)

// sample bounds the bytes of a text that Language looks at.
const sample = 16 << 10

// Language guesses the language that most of a text is written in (ISO 639-1):
// by its script where that settles it, else by counting the function words of
// the languages that Analyze knows. "" where neither is conclusive.
func Language(text string) string {
	if len(text) > sample {
		text = text[:sample] // an invalid last character is a breaking one
	}
	if lang, ok := byScript(text); ok {
		return lang
	}
	var votes [32]int // by bit
	words := 0
	s := scanner{text: text, emit: func(t *token) {
		if t.kind != Word {
			return
		}
		words++
		for set := functions[fold(t.whole)]; set != 0; set &= set - 1 {
			votes[bits.TrailingZeros32(uint32(set))]++
		}
	}}
	s.scan()
	best, second := 0, 0
	for i := range languages {
		switch {
		case votes[i] > votes[best]:
			best, second = i, votes[best]
		case i != best:
			second = max(second, votes[i])
		}
	}
	// Two function words, one in twelve, and more than any other language has.
	if n := votes[best]; n < 2 || n*12 < words || n == second {
		return ""
	}
	return languages[best]
}

// byScript settles what the script settles.
func byScript(text string) (string, bool) {
	var letters, kana, han, hangul, thai, greek, hebrew, arabic, persian, devanagari, cyrillic, ukrainian int
	for _, r := range text {
		if r < 0x370 {
			if unicode.IsLetter(r) {
				letters++
			}
			continue
		}
		count := &letters
		switch {
		case r <= 0x3FF:
			count = &greek
		case r <= 0x52F:
			count = &cyrillic
			if r == 'і' || r == 'ї' || r == 'є' {
				ukrainian++
			}
		case r >= 0x590 && r <= 0x5FF:
			count = &hebrew
		case r >= 0x600 && r <= 0x6FF:
			count = &arabic
			if r == 'پ' || r == 'چ' || r == 'گ' {
				persian++
			}
		case r >= 0x900 && r <= 0x97F:
			count = &devanagari
		case r >= 0xE00 && r <= 0xE7F:
			count = &thai
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			count = &kana
		case unicode.Is(unicode.Han, r):
			count = &han
		case unicode.Is(unicode.Hangul, r):
			count = &hangul
		case !unicode.IsLetter(r):
			continue
		}
		*count++
	}
	// A character of Han stands for about two letters, so that a Chinese text
	// with English names stays Chinese.
	total := letters + kana*2 + han*2 + hangul*2 + thai + greek + hebrew + arabic + devanagari + cyrillic
	most := func(n int) bool { return n*2 > total }
	switch {
	case most((kana+han)*2) && kana*10 > han:
		return "ja", true
	case most((kana + han) * 2):
		return "zh", true
	case most(hangul * 2):
		return "ko", true
	case most(thai):
		return "th", true
	case most(greek):
		return "el", true
	case most(hebrew):
		return "he", true
	case most(arabic) && persian > 0:
		return "fa", true
	case most(arabic):
		return "ar", true
	case most(devanagari):
		return "hi", true
	case most(cyrillic) && ukrainian*100 > cyrillic:
		return "uk", true
	}
	return "", false
}
