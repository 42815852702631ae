package search

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Query is what a person typed, taken apart.
type Query struct {
	// Text is what is searched for: words and phrases, without filters and
	// excluded words.
	Text   string
	Must   []string // "quoted phrases": each must occur
	Not    []string // -words and -"phrases": none may occur
	Filter store.Filter
	// Guessed are conditions on metadata that look like key:value. Text with a
	// colon looks like it too: where nothing fulfils them, read them as words.
	Guessed store.Filter
	// Sourced: a path begins with a source's name, as hits show it. Where
	// nothing is in a folder of that name, read it so.
	Sourced bool
	Notes   []string // what looks like a condition and is read as words, and why
}

// Reading tells Parse what it cannot know from the text.
type Reading struct {
	Sources []corpus.Source // for source:, by name or id
	Zone    *time.Location  // for after: and before:; nil means UTC
	// Plain reads key:value as words where the key is no field of the record.
	Plain bool
	// Sourced reads path:name/rest as the path rest in the source name.
	Sourced bool
}

// Parse reads the query language:
//
//	word            may occur, in any form and order
//	"two words"     must occur, in this form and order
//	-word -"two words"      must not occur
//	path:docs/ path:Notes/docs/ title:Annual     begins with
//	type:pdf lang:de source:Notes   is; several: any of them
//	after:2025-03 before:2025-03-01     changed at or after, changed before
//	key:value       metadata; values with spaces in quotes
//	-type:pdf       is not; likewise path, title, lang, source and metadata
//
// Every text is a query: what does not fit (std::vector, a lone quote, a date
// that is none, -5) is words.
func Parse(text string, r Reading) Query {
	p := parser{reading: r, rest: strings.ToValidUTF8(text, "\ufffd")}
	for p.next() {
	}
	q := p.query
	q.Filter = joined(p.conditions)
	q.Guessed = joined(p.guessed)
	if len(p.words) == 0 && len(p.query.Must) == 0 { // nothing else is asked for: -v is a word, too
		p.words, q.Not = q.Not, nil
	}
	q.Text = strings.Join(p.words, " ")
	return q
}

// parser takes one item after the other from rest.
type parser struct {
	reading    Reading
	rest       string
	query      Query
	words      []string
	conditions []store.Condition
	guessed    []store.Condition
}

func (p *parser) next() bool {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	if p.rest == "" {
		return false
	}
	item, not := p.rest, false
	if after, ok := strings.CutPrefix(item, "-"); ok {
		if r, _ := utf8.DecodeRuneInString(after); unicode.IsLetter(r) || openingQuote(r) {
			item, not = after, true
		}
	}
	if phrase, rest, ok := quoted(item); ok {
		p.rest = rest
		if not {
			p.query.Not = append(p.query.Not, phrase)
		} else {
			p.query.Must = append(p.query.Must, phrase)
			p.words = append(p.words, phrase)
		}
		return true
	}
	if rest, ok := p.condition(item, not); ok {
		p.rest = rest
		return true
	}
	word, rest := cut(item)
	p.rest = rest
	if not {
		p.query.Not = append(p.query.Not, word)
	} else {
		p.words = append(p.words, word)
	}
	return true
}

// condition reads field:value at the beginning of an item.
func (p *parser) condition(item string, not bool) (rest string, ok bool) {
	key, value, ok := strings.Cut(item, ":")
	if !ok || !isKey(key) {
		return "", false
	}
	if phrase, after, ok := quoted(value); ok {
		value, rest = phrase, after
	} else {
		value, rest = cut(value)
	}
	if value == "" || strings.HasPrefix(value, ":") || strings.HasPrefix(value, "/") && !strings.EqualFold(key, "path") || strings.HasPrefix(value, `\`) {
		return "", false // std::vector, http://, C:\
	}
	if c, ok := p.sourced(strings.ToLower(key), value, not); ok {
		p.conditions = append(p.conditions, c...)
		return rest, true
	}
	if c, ok := p.field(strings.ToLower(key), value, not); ok {
		p.conditions = append(p.conditions, c)
		return rest, true
	}
	if why := p.unfit(strings.ToLower(key), value, not); why != "" {
		p.query.Notes = append(p.query.Notes, why)
	}
	if _, known := fields[strings.ToLower(key)]; known || p.reading.Plain || store.IsRecordField(key) {
		return "", false
	}
	p.guessed = append(p.guessed, anyOf(key, metadataValues(value), not))
	return rest, true
}

// isKey tells what may stand before the colon of a condition.
func isKey(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && r != '_' && r != '-') {
			return false
		}
	}
	return utf8.RuneCountInString(s) > 1
}

// quoted reads a phrase in quotation marks at the beginning of s.
func quoted(s string) (phrase, rest string, ok bool) {
	r, n := utf8.DecodeRuneInString(s)
	if !openingQuote(r) {
		return "", s, false
	}
	end := strings.IndexFunc(s[n:], closingQuote)
	if end < 0 {
		return "", s, false
	}
	phrase = s[n : n+end]
	_, size := utf8.DecodeRuneInString(s[n+end:])
	return phrase, s[n+end+size:], strings.TrimSpace(phrase) != ""
}

func openingQuote(r rune) bool { return r == '"' || r == '“' || r == '„' || r == '«' }
func closingQuote(r rune) bool { return r == '"' || r == '”' || r == '“' || r == '»' }

// cut divides s at its first white space.
func cut(s string) (word, rest string) {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}
