package search

import (
	"slices"

	"ibid/backend/analyze"
)

// phrase is what a passage must have, or must not: whole terms at consecutive
// positions, or one character of a script without spaces, which is no position
// of its own inside a longer run.
type phrase struct {
	terms     []string
	character string
}

func (f *finding) phrases(texts []string) []phrase {
	var all []phrase
	for _, text := range texts {
		tokens := f.analyzer.Tokens(text, "")
		var p phrase
		if len(tokens) == 1 && tokens[0].Kind == analyze.Unspaced && len(tokens[0].Parts) == 1 {
			p.character = tokens[0].Whole
		} else {
			for _, tok := range tokens {
				p.terms = append(p.terms, tok.Whole)
			}
		}
		if len(tokens) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// terms returns the phrases that a store can look for.
func terms(phrases []phrase) [][]string {
	var all [][]string
	for _, p := range phrases {
		if p.character == "" {
			all = append(all, p.terms)
		}
	}
	return all
}

func (p phrase) in(tokens []analyze.Token) bool {
	for i, tok := range tokens {
		if p.character != "" && slices.Contains(tok.Parts, p.character) {
			return true
		}
		if p.character == "" && i+len(p.terms) <= len(tokens) && p.at(tokens[i:]) {
			return true
		}
	}
	return false
}

func (p phrase) at(tokens []analyze.Token) bool {
	for k, term := range p.terms {
		if tokens[k].Whole != term {
			return false
		}
	}
	return true
}
