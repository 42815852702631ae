package analyze

import (
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmers by language (ISO 639-1): Snowball's algorithms.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"da": danish.Stem, "nl": dutch.Stem, "en": english.Stem, "fi": finnish.Stem,
	"fr": french.Stem, "de": german.Stem, "hu": hungarian.Stem, "it": italian.Stem,
	"no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem,
	"es": spanish.Stem, "sv": swedish.Stem, "tr": turkish.Stem,
}

// common is the language whose stems stand in for those of languages without a
// stemmer and of texts too short to tell: it changes no word of another script,
// and names and terms in foreign texts are English more often than not.
const common = "en"

// stemmer stems words of one language. It is not for use by several
// goroutines at once.
type stemmer struct {
	german    bool
	algorithm func(*snowballstem.Env) bool
	env       *snowballstem.Env
	memo      map[string]string
}

// memoSize bounds the remembered stems: the words of a text repeat, and
// Snowball costs more than everything else in the analysis.
const memoSize = 20_000

func newStemmer(lang string) *stemmer {
	return &stemmer{
		german: lang == "de", algorithm: stemmers[lang],
		env: snowballstem.NewEnv(""), memo: make(map[string]string),
	}
}

// stem returns the folded stem of a lowered word.
func (s *stemmer) stem(word string) string {
	if len(word) > MaxTerm || utf8.RuneCountInString(word) < 3 {
		return fold(word)
	}
	if stem, ok := s.memo[word]; ok {
		return stem
	}
	s.env.SetCurrent(word)
	s.algorithm(s.env)
	stem := fold(s.env.Current())
	if stem == "" {
		stem = fold(word)
	}
	if len(s.memo) >= memoSize {
		clear(s.memo)
	}
	s.memo[string([]byte(word))] = stem // a copy: word may be a piece of a long text
	return stem
}

// term returns a part's index term.
func (s *stemmer) term(p part) string {
	if p.stems {
		return bound(s.stem(p.text))
	}
	return bound(fold(p.text))
}
