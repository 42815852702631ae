package analyze

import (
	"slices"
	"strings"
)

// Unit is one thing that a query asks for, and the index terms that stand for
// it. A passage has it as often as its most frequent term.
type Unit struct {
	Text  string // as typed
	Kind  Kind
	Whole string   // the term of the first field; "" for a piece
	Forms []string // terms of the second field: the word itself, its stem in every language, other spellings
	// Piece marks a part of the unit before it that is no piece: found alone it
	// says less than the whole name.
	Piece bool
	Stop  bool // a function word: not asked for, unless the query has nothing else
	Count int  // times it was typed
}

// Query returns what a query asks for, in order, each unit once. languages are
// those of the library, the most frequent first: words are stemmed by each of
// them.
func (a *Analyzer) Query(text string, languages []string) []Unit {
	var stemmers []*stemmer
	for _, lang := range union(nil, append(slices.Clip(languages), common)...) {
		st, giveBack := a.borrow(lang)
		defer giveBack()
		stemmers = append(stemmers, st)
	}
	var units []Unit
	add := func(u Unit) {
		if len(u.Forms) == 0 {
			return
		}
		u.Count = 1
		for i := range units {
			if units[i].Whole == u.Whole && units[i].Piece == u.Piece && units[i].Forms[0] == u.Forms[0] {
				units[i].Count++
				return
			}
		}
		units = append(units, u)
	}
	s := scanner{text: text, emit: func(t *token) {
		u := Unit{Text: text[t.start:t.end], Kind: t.kind, Whole: bound(fold(t.whole))}
		if u.Whole == "" {
			return
		}
		for _, p := range t.parts {
			if p.role == itself || p.role == alias {
				u.Forms = union(u.Forms, forms(p, stemmers)...)
			}
		}
		add(u)
		for _, p := range t.parts {
			if p.role == compound || p.role == piece && t.kind == Identifier {
				add(Unit{Text: p.text, Kind: Word, Forms: forms(p, stemmers), Piece: true})
			}
		}
	}}
	s.scan()
	markStops(units, languages)
	return units
}

// forms returns the terms that a text may have a part under.
func forms(p part, stemmers []*stemmer) []string {
	forms := union(nil, bound(fold(p.text)))
	if !p.stems {
		return forms
	}
	for _, st := range stemmers {
		forms = union(forms, st.term(p))
		if st.german {
			for _, spelling := range umlauts(p.text) {
				forms = union(forms, bound(st.stem(spelling)))
			}
		}
	}
	return forms
}

// umlauts returns a German word with its umlauts spelled the other way:
// München as Muenchen, Muenchen as München.
func umlauts(word string) []string {
	var all []string
	for _, r := range []*strings.Replacer{
		strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue"),
		strings.NewReplacer("ae", "ä", "oe", "ö", "ue", "ü"),
	} {
		if other := r.Replace(word); other != word {
			all = append(all, other)
		}
	}
	return all
}

// markStops marks the function words of the query's language: the only one of
// the library, or the one with the most function words in the query, at least
// two ("die hard" is not German yet).
func markStops(units []Unit, languages []string) {
	var best langs
	most, words := 0, 0
	for _, lang := range languages {
		n := 0
		for _, u := range units {
			if u.function(bit(lang)) && !u.Piece {
				n += u.Count
			}
		}
		if n > most {
			best, most = bit(lang), n
		}
	}
	if len(languages) > 1 && most < 2 {
		return
	}
	for i, u := range units {
		units[i].Stop = u.function(best)
		if !units[i].Stop && !u.Piece {
			words++
		}
	}
	if words == 0 {
		for i := range units {
			units[i].Stop = false
		}
	}
}

// function tells whether the unit is a function word of one of the languages.
func (u Unit) function(of langs) bool { return u.Kind == Word && functions[u.Forms[0]]&of != 0 }

func union(set []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(set, s) {
			set = append(set, s)
		}
	}
	return set
}
