package postgres

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// A passage's lexemes are its terms, each behind its generation and a mark of
// its field, so that a term's entry in the GIN index holds one generation's
// passages and nobody pays for another tenant's. Positions are those of the
// first field. One more lexeme is the passage's document.
const (
	markWhole    = "."
	markPart     = ":"
	markDocument = "#"
	markClipped  = "!" // positions are missing; column "whole" has them
)

// Bounds of a tsvector.
const (
	maxLexeme   = 2046 // bytes
	maxPosition = 16383
	maxPlaces   = 255 // of one lexeme
	maxBytes    = 1<<20 - 1
)

// lexicon writes the lexemes of one generation.
type lexicon struct{ prefix string }

func newLexicon(generation int64) lexicon { return lexicon{strconv.FormatInt(generation, 36)} }

// key is a term as the table of frequencies has it: its lexeme without the
// generation. A term that is too long for a lexeme stands as its digest.
func (x lexicon) key(t store.Term) string {
	mark := markWhole
	if t.Part {
		mark = markPart
	}
	if len(x.prefix)+len(mark)+len(t.Text) > maxLexeme {
		sum := sha256.Sum256([]byte(t.Text))
		return mark + "\x01" + base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return mark + t.Text
}

func (x lexicon) term(t store.Term) string { return quote(x.prefix + x.key(t)) }

func (x lexicon) whole(term string) string { return x.term(store.Term{Text: term}) }

func (x lexicon) document(d corpus.ID) string {
	return quote(x.prefix + markDocument + base64.RawURLEncoding.EncodeToString(d[:]))
}

// documents is the query for passages of the documents.
func (x lexicon) documents(list []corpus.ID) string {
	terms := make([]string, len(list))
	for i, d := range list {
		terms[i] = x.document(d)
	}
	return anyOf(terms)
}

// all is the query for all passages of the generation.
func (x lexicon) all() string { return quote(x.prefix+markDocument) + ":*" }

// entry is what an entry's row holds. keys are its distinct terms as key
// writes them; whole is "" unless positions had to be left out. A passage with
// more terms than a tsvector holds fails with corpus.ErrLimit.
func (x lexicon) entry(document corpus.ID, e *store.Entry) (lexemes, whole string, keys []string, err error) {
	places := make(map[string][]int, len(e.Whole))
	order := make([]string, 0, len(e.Whole)+len(e.Parts))
	clipped := false
	for i, term := range e.Whole {
		if term == "" {
			continue
		}
		k := x.key(store.Term{Text: term})
		list, known := places[k]
		if !known {
			order = append(order, k)
		}
		if i >= maxPosition || len(list) == maxPlaces {
			clipped = true
		} else {
			list = append(list, i+1)
		}
		places[k] = list
	}
	for _, term := range e.Parts {
		k := x.key(store.Term{Part: true, Text: term})
		if _, known := places[k]; !known {
			order = append(order, k)
			places[k] = nil
		}
	}
	var b strings.Builder
	b.WriteString(x.document(document))
	if clipped {
		b.WriteString(" " + quote(x.prefix+markClipped))
		j, err := json.Marshal(e.Whole)
		if err != nil {
			panic(err) // texts
		}
		whole = string(j)
	}
	size := 100 // the other lexemes
	for _, k := range order {
		size += len(x.prefix) + len(k) + 3 + 2*len(places[k]) // with alignment and a count
		b.WriteString(" " + quote(x.prefix+k))
		for i, at := range places[k] {
			b.WriteByte(":,"[min(i, 1)])
			b.WriteString(strconv.Itoa(at))
		}
	}
	if size > maxBytes {
		err = fmt.Errorf("%w: its %d different terms take %d bytes, at most %d", corpus.ErrLimit, len(order), size, maxBytes)
	}
	return b.String(), whole, order, err
}

// exactly is the query for passages with the phrase at positions that they
// have; "" for a phrase without a term, or one too long for any position.
func (x lexicon) exactly(phrase []string) string {
	query := ""
	distance := 0
	for _, term := range phrase {
		distance++
		if term == "" {
			continue
		}
		switch {
		case query == "":
			query = x.whole(term)
		case distance > maxPosition:
			return ""
		default:
			query += " <" + strconv.Itoa(distance) + "> " + x.whole(term)
		}
		distance = 0
	}
	return "(" + query + ")"
}

// phrase is the query for passages that hold the phrase or, where positions
// are missing, its terms.
func (x lexicon) phrase(phrase []string) string {
	exact := x.exactly(phrase)
	switch {
	case isTerm(phrase):
		return exact
	case exact == "":
		return x.clipped(phrase)
	}
	return anyOf([]string{exact, x.clipped(phrase)})
}

// clipped is the query for passages with missing positions that hold the
// phrase's terms.
func (x lexicon) clipped(phrase []string) string {
	all := []string{quote(x.prefix + markClipped)}
	for _, term := range phrase {
		if term != "" {
			all = append(all, x.whole(term))
		}
	}
	return "(" + strings.Join(all, " & ") + ")"
}

// isTerm reports whether a phrase has no two terms whose distance counts.
func isTerm(phrase []string) bool { return countTerms(phrase) < 2 }

func countTerms(phrase []string) int {
	n := 0
	for _, term := range phrase {
		if term != "" {
			n++
		}
	}
	return n
}

// holds reports whether the phrase stands in the first field.
func holds(whole, phrase []string) bool {
	for len(phrase) > 0 && phrase[0] == "" {
		phrase = phrase[1:]
	}
	for len(phrase) > 0 && phrase[len(phrase)-1] == "" {
		phrase = phrase[:len(phrase)-1]
	}
next:
	for start := 0; start+len(phrase) <= len(whole); start++ {
		for i, term := range phrase {
			if term != "" && whole[start+i] != term {
				continue next
			}
		}
		return true
	}
	return false
}

func anyOf(queries []string) string { return "(" + strings.Join(queries, " | ") + ")" }

var quoting = strings.NewReplacer(`'`, `''`, `\`, `\\`)

// quote writes a lexeme for the input of a tsvector or a tsquery.
func quote(lexeme string) string { return "'" + quoting.Replace(lexeme) + "'" }
