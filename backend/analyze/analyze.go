// Package analyze turns text into index terms: one analyzer for all stores, for
// passages and for queries, so that what is typed meets what was written. It is
// pure: equal input gives equal terms on every machine.
//
// A text gives two fields. The first has one whole term a position (phrases,
// exact names): NFKC, case and accents folded, names such as XPS-9520-4K,
// std::vector, C# or an address in one piece, function words included. The
// second has what a text is found by: the stem of every word that is no
// function word, whole names with their parts, pairs and single characters of
// scripts that write no spaces.
//
// Words are told apart as by UAX #29; stems are Snowball's.
package analyze

import (
	"slices"
	"sync"
)

// Version names the analyzer. Texts analyzed by another version need a new
// generation of the index.
const Version = "1"

// Analyzer may be used by several goroutines at once. It remembers stems and
// nothing else.
type Analyzer struct {
	stemmers sync.Map // language -> *sync.Pool of *stemmer
}

// New returns an analyzer.
func New() *Analyzer { return &Analyzer{} }

// borrow lends a stemmer of a language until it is given back.
func (a *Analyzer) borrow(lang string) (s *stemmer, giveBack func()) {
	if stemmers[lang] == nil {
		lang = common
	}
	p, ok := a.stemmers.Load(lang)
	if !ok {
		p, _ = a.stemmers.LoadOrStore(lang, &sync.Pool{New: func() any { return newStemmer(lang) }})
	}
	pool := p.(*sync.Pool)
	s = pool.Get().(*stemmer)
	return s, func() { pool.Put(s) }
}

// Terms are the index terms of a text. A term is valid UTF-8 in normal form,
// has 1 to MaxTerm bytes and no white space.
type Terms struct {
	Whole  []string // first field: one term a position
	Parts  []string // second field, with repeats
	Length int      // positions that are no function words: the length for BM25
}

// Analyze returns the terms of a text in a language (ISO 639-1; "" if not
// known: then no word is a function word). Words of a language without a
// stemmer are stemmed as English ones.
func (a *Analyzer) Analyze(text, lang string) Terms {
	var t Terms
	a.each(text, lang, func(tok *Token) {
		t.Whole = append(t.Whole, tok.Whole)
		t.Parts = append(t.Parts, tok.Parts...)
		if !tok.Stop {
			t.Length++
		}
	})
	return t
}

// Token is a position of a text and where it stands.
type Token struct {
	Start, End int // bytes
	Kind       Kind
	Whole      string
	Parts      []string
	Stop       bool // a function word; it has no parts
}

// Tokens returns the positions of a text with the terms that Analyze gives.
func (a *Analyzer) Tokens(text, lang string) []Token {
	var tokens []Token
	a.each(text, lang, func(tok *Token) {
		kept := *tok
		kept.Parts = slices.Clone(tok.Parts)
		tokens = append(tokens, kept)
	})
	return tokens
}

// each calls fn with every position; the token's parts are valid during the call.
func (a *Analyzer) each(text, lang string, fn func(*Token)) {
	st, giveBack := a.borrow(lang)
	defer giveBack()
	stop := bit(lang)
	var out Token
	s := scanner{text: text, emit: func(tok *token) {
		out = Token{Start: tok.start, End: tok.end, Kind: tok.kind, Whole: bound(fold(tok.whole)), Parts: out.Parts[:0]}
		if out.Whole == "" {
			return // nothing but marks was left
		}
		out.Stop = tok.kind == Word && functions[out.Whole]&stop != 0
		if !out.Stop {
			for i, p := range tok.parts {
				if i > 0 && p.stems && functions[fold(p.text)]&stop != 0 {
					continue // "of" in state_of_play
				}
				if term := st.term(p); term != "" {
					out.Parts = append(out.Parts, term)
				}
			}
		}
		fn(&out)
	}}
	s.scan()
}
