package storetest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp/cmpopts"

	"ibid/backend/store"
)

var keywords = aspect{"Keyword", map[string]func(l *library){
	"Cases":       keywordCases,
	"AnyTerm":     keywordOddTerms,
	"RandomRules": keywordRandom,
}}

// shelf commits changes and returns their passages for the naive searches.
func (l *library) shelf(changes ...store.Change) (all []passage) {
	l.t.Helper()
	l.commit(changes...)
	for _, c := range changes {
		for _, e := range c.Entries {
			all = append(all, passage{entry: e, document: c.Document})
		}
	}
	return all
}

func keywordCases(l *library) {
	g := l.build()
	all := l.shelf(
		change(g.ID, "a", "the quick brown fox", "the lazy dog sleeps", "brown dog quick fox"),
		change(g.ID, "b", "state _ _ art", "state of the art", "art state", "new york new jersey"),
		change(g.ID, "c", "the the the", "york new", "quick quick brown"),
	)
	whole := func(words ...string) (terms []store.Term) {
		for _, w := range words {
			terms = append(terms, store.Term{Text: w})
		}
		return terms
	}
	// Frequencies: the 4, quick 3, brown 3, fox 2, dog 2, state 3, art 3, new 2, york 2.
	for name, q := range map[string]store.Lexical{
		"one term":                    {Terms: whole("dog"), Budget: 100, Limit: 100},
		"any of two":                  {Terms: whole("dog", "fox"), Budget: 100, Limit: 100},
		"absent":                      {Terms: whole("zebra"), Budget: 100, Limit: 100},
		"no terms":                    {Budget: 100, Limit: 100},
		"absent term takes no budget": {Terms: whole("zebra", "the"), Budget: 1, Limit: 100},
		"budget keeps the rarest":     {Terms: whole("the", "dog"), Budget: 2, Limit: 100},
		"budget exactly reached":      {Terms: whole("the", "dog"), Budget: 6, Limit: 100},
		"budget exceeded by one":      {Terms: whole("the", "dog"), Budget: 5, Limit: 100},
		"at least one term":           {Terms: whole("the", "quick"), Budget: 1, Limit: 100},
		"equal frequency by text":     {Terms: whole("quick", "brown"), Budget: 3, Limit: 100},
		"term given twice":            {Terms: whole("dog", "dog", "the"), Budget: 6, Limit: 3},
		"parts":                       {Terms: []store.Term{{Part: true, Text: "qui"}, {Part: true, Text: "quick"}}, Budget: 100, Limit: 100},
		"fields are apart":            {Terms: []store.Term{{Part: false, Text: "qui"}, {Part: true, Text: "dog"}}, Budget: 100, Limit: 100},
		"whole before part":           {Terms: []store.Term{{Part: true, Text: "dog"}, {Text: "dog"}, {Text: "the"}}, Budget: 3, Limit: 2},
		"limit by frequency":          {Terms: whole("the", "quick", "fox"), Budget: 100, Limit: 2},
		"limit by id":                 {Terms: whole("the"), Budget: 100, Limit: 2},
		"limit counts taken only":     {Terms: whole("fox", "the", "quick"), Budget: 2, Limit: 1},
		"phrase":                      {Terms: whole("new", "york"), Must: [][]string{{"new", "york"}}, Budget: 100, Limit: 100},
		"phrase of one":               {Terms: whole("new", "york"), Must: [][]string{{"jersey"}}, Budget: 100, Limit: 100},
		"phrase with a gap":           {Terms: whole("state", "art"), Must: [][]string{{"state", "", "", "art"}}, Budget: 100, Limit: 100},
		"phrase with a repeat":        {Terms: whole("the"), Must: [][]string{{"the", "the", "the"}}, Budget: 100, Limit: 100},
		"phrase with open ends":       {Terms: whole("art"), Must: [][]string{{"", "art", ""}}, Budget: 100, Limit: 100},
		"phrase without a word":       {Terms: whole("the", "dog"), Must: [][]string{{"", ""}, {}}, Budget: 2, Limit: 100},
		"phrase of an absent word":    {Terms: whole("the"), Must: [][]string{{"the", "zebra"}}, Budget: 100, Limit: 100},
		"two phrases":                 {Terms: whole("quick"), Must: [][]string{{"quick"}, {"brown"}, {"fox"}}, Budget: 100, Limit: 100},
		"phrase ignores the budget":   {Terms: whole("the", "fox"), Must: [][]string{{"the"}}, Budget: 1, Limit: 100},
		"phrase and limit":            {Terms: whole("the", "fox", "dog"), Must: [][]string{{"the"}}, Budget: 3, Limit: 1},
		"phrase needs a term":         {Terms: whole("fox"), Must: [][]string{{"the"}}, Budget: 100, Limit: 100},
		"not a word":                  {Terms: whole("quick"), Not: [][]string{{"fox"}}, Budget: 100, Limit: 100},
		"not a phrase":                {Terms: whole("quick"), Not: [][]string{{"quick", "fox"}, {}}, Budget: 100, Limit: 100},
		"not and limit":               {Terms: whole("the", "quick"), Not: [][]string{{"dog"}}, Budget: 100, Limit: 2},
		"must and not":                {Terms: whole("brown"), Must: [][]string{{"quick"}}, Not: [][]string{{"fox"}}, Budget: 100, Limit: 100},
	} {
		l.compareLexical(name, all, &q, nil)
	}
	l.compareLexical("filter before limit", all, &store.Lexical{Terms: whole("the", "quick"), Budget: 100, Limit: 1},
		store.Filter{{Field: "path", Op: store.Eq, Values: []any{"c"}}})
}

func (l *library) compareLexical(name string, all []passage, q *store.Lexical, f store.Filter) {
	t := l.t
	t.Helper()
	got := l.search(store.Query{Lexical: q, Filter: f})
	hits, stats := naiveLexical(all, q, f)
	if d := diff(hits, got.Lexical, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s: candidates of %+v (-want +got):\n%s", name, q, d)
	}
	if d := diff(stats, got.Stats, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s: statistics (-want +got):\n%s", name, d)
	}
}

// keywordOddTerms: a term is any text without NUL.
func keywordOddTerms(l *library) {
	g := l.build()
	terms := []string{
		"c++", "c#", "c", "C", "std::vector", "err_0x80070005", "xps-9520-4k", "v1.2.3", "ada@example.org", "don't", `"quoted"`, `back\slash`,
		"a|b", "a&b", "!", "(", ":*", "<->", "%", "_", "*", "naïve", "nai\u0308ve", "東京", "\U0001F5FC", " ", "a b", "\n", "'", "--", "/*", strings.Repeat("long", 400),
	}
	c := change(g.ID, "a")
	for i := range terms {
		one := change(g.ID, strconv.Itoa(i), fmt.Sprintf("passage %d", i))
		one.Entries[0].Whole = []string{terms[i], "", terms[(i+1)%len(terms)]}
		one.Entries[0].Parts = []string{terms[(i+2)%len(terms)], terms[(i+2)%len(terms)]}
		l.commit(one)
		c.Entries = append(c.Entries, one.Entries...)
	}
	var all []passage
	for _, e := range c.Entries {
		all = append(all, passage{entry: e})
	}
	for i, term := range terms {
		l.compareLexical("whole", all, &store.Lexical{Terms: []store.Term{{Text: term}}, Budget: 100, Limit: 100}, nil)
		l.compareLexical("part", all, &store.Lexical{Terms: []store.Term{{Text: term, Part: true}}, Budget: 100, Limit: 100}, nil)
		next := terms[(i+1)%len(terms)]
		l.compareLexical("phrase", all, &store.Lexical{Terms: []store.Term{{Text: term}}, Must: [][]string{{term, "", next}}, Budget: 100, Limit: 100}, nil)
		l.compareLexical("not", all, &store.Lexical{Terms: []store.Term{{Text: term}}, Not: [][]string{{term, "", next}}, Budget: 100, Limit: 100}, nil)
	}
}

// keywordRandom compares random queries over random passages, of which some
// were edited and removed, with the naive rule.
func keywordRandom(l *library) {
	g := l.build()
	r := rand.New(rand.NewPCG(1, 2))
	alive := map[string]store.Change{}
	for i := range 60 {
		path := strconv.Itoa(i % 40)
		c := change(g.ID, path, randomParagraphs(r)...)
		if before, ok := alive[path]; ok {
			c.From = before.From + 1
		}
		l.commit(c)
		alive[path] = c
	}
	var all []passage
	for i := range 40 {
		path := strconv.Itoa(i)
		c := alive[path]
		if i%5 == 0 {
			l.must(l.w.Remove(l.t.Context(), store.Ref{Document: c.Document.ID}))
			continue
		}
		for _, e := range c.Entries {
			all = append(all, passage{entry: e, document: c.Document})
		}
	}
	for i := range 200 {
		l.compareLexical(fmt.Sprintf("query %d", i), all, randomLexical(r), nil)
	}
}

// vocabulary is Zipf-like: early words are frequent.
var vocabulary = strings.Fields("the of and alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega")

func randomWord(r *rand.Rand) string {
	return vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64())]
}

func randomParagraphs(r *rand.Rand) []string {
	list := make([]string, r.IntN(5))
	for i := range list {
		words := make([]string, 1+r.IntN(8))
		for k := range words {
			if words[k] = randomWord(r); r.IntN(8) == 0 && k > 0 {
				words[k] = "_"
			}
		}
		list[i] = strings.Join(words, " ")
	}
	return list
}

func randomLexical(r *rand.Rand) *store.Lexical {
	l := &store.Lexical{Budget: 1 + r.IntN(60), Limit: 1 + r.IntN(20)}
	for range 1 + r.IntN(5) {
		t := store.Term{Text: randomWord(r)}
		if r.IntN(3) == 0 {
			t = store.Term{Text: stem(t.Text), Part: true}
		}
		l.Terms = append(l.Terms, t)
	}
	phrase := func() []string {
		p := make([]string, 1+r.IntN(3))
		for i := range p {
			if p[i] = randomWord(r); r.IntN(5) == 0 {
				p[i] = ""
			}
		}
		return p
	}
	if r.IntN(3) == 0 {
		l.Must = append(l.Must, phrase())
	}
	if r.IntN(3) == 0 {
		l.Not = append(l.Not, phrase())
	}
	return l
}
