package postgres

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// lexical is one run of the keyword leg.
type lexical struct {
	*store.Lexical
	generation
	lexicon lexicon
	filter  store.Filter
	wrong   []corpus.ID // passages that a query finds though a phrase says otherwise
	hits    []store.LexicalHit
}

// queryFrequencies queues the reading of the terms' frequencies.
func (l *lexical) queryFrequencies(b *batch, into []int) {
	places := make(map[string][]int, len(l.Terms))
	for i, t := range l.Terms {
		if storable(t.Text) {
			key := l.lexicon.key(t)
			places[key] = append(places[key], i)
		}
	}
	b.rows("SELECT term, n FROM kb_embeddings_frequencies WHERE tenant_id = $1 AND generation = $2 AND term = ANY($3)",
		[]any{b.db.tenant, l.ID, slices.Collect(maps.Keys(places))}, func(scan func(...any) error) error {
			var key string
			var n int
			err := scan(&key, &n)
			for _, i := range places[key] {
				into[i] = n
			}
			return err
		})
}

// queryClipped queues the search for passages whose positions are not all in
// their lexemes and that hold the terms of a phrase; whether they hold the
// phrase is found out here.
func (l *lexical) queryClipped(b *batch) {
	var queries []string
	for _, p := range slices.Concat(l.Must, l.Not) {
		if !isTerm(p) && storable(p...) {
			queries = append(queries, l.lexicon.clipped(p))
		}
	}
	if len(queries) == 0 {
		return
	}
	b.rows("SELECT id, whole FROM kb_embeddings_find($1)", []any{anyOf(queries)}, func(scan func(...any) error) error {
		var id corpus.ID
		var text string
		if err := scan(&id, &text); err != nil {
			return err
		}
		var whole []string
		if err := json.Unmarshal([]byte(text), &whole); err != nil {
			return err
		}
		lacks := func(phrase []string) bool { return !isTerm(phrase) && !holds(whole, phrase) }
		has := func(phrase []string) bool { return !isTerm(phrase) && holds(whole, phrase) }
		if slices.ContainsFunc(l.Must, lacks) || slices.ContainsFunc(l.Not, has) {
			l.wrong = append(l.wrong, id)
		}
		return nil
	})
}

// queryPool queues the search for the candidates, by the rule of store.Lexical.
func (l *lexical) queryPool(b *batch, stats store.Stats) error {
	taken := l.Choose(stats.Frequency)
	if len(taken) == 0 {
		return nil
	}
	var rest strings.Builder
	must := false
	for _, p := range l.Must {
		if !storable(p...) {
			return nil // no passage has it
		}
		if countTerms(p) > 0 {
			must = true
			rest.WriteString(" & " + l.lexicon.phrase(p))
		}
	}
	for _, p := range l.Not {
		if countTerms(p) > 0 && storable(p...) {
			if query := l.lexicon.exactly(p); query != "" { // queryClipped sees to the rest
				rest.WriteString(" & !" + query)
			}
		}
	}
	var queries []string
	var weights []float64
	for _, i := range taken {
		queries = append(queries, l.lexicon.term(l.Terms[i])+rest.String())
		weights = append(weights, store.IDF(stats.Chunks, stats.Frequency[i]))
	}
	if must { // every candidate is in the pool, also those that hold only terms that were not taken
		var all []string
		for i, t := range l.Terms {
			if stats.Frequency[i] > 0 {
				all = append(all, l.lexicon.term(t))
			}
		}
		queries = append(queries, anyOf(all)+rest.String())
		weights = append(weights, 0)
	}
	condition, args, err := filtered("f.document", l.filter, b.db.tenant, []any{b.db.tenant, l.ID, queries, weights, l.Limit, l.wrong})
	if err != nil {
		return err
	}
	// A lateral function is called for one row of t after the other, so weights
	// are added up in the order taken; to demand it would sort all of them.
	b.rows(`SELECT p.id, e.terms, e.length FROM (
			SELECT f.id FROM unnest($3::text[], $4::float8[]) AS t (query, weight), LATERAL kb_embeddings_find(t.query) f
			WHERE ($6::uuid[] IS NULL OR f.id <> ALL ($6)) AND `+condition+`
			GROUP BY f.id ORDER BY sum(t.weight) DESC, f.id LIMIT $5
		) p JOIN kb_embeddings e ON e.tenant_id = $1 AND e.generation = $2 AND e.id = p.id ORDER BY p.id`, args, func(scan func(...any) error) error {
		var h store.LexicalHit
		err := scan(&h.Chunk, &h.Terms, &h.Length)
		l.hits = append(l.hits, h)
		return err
	})
	return nil
}

// storable reports whether the texts are such as can be stored.
func storable(texts ...string) bool {
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return false
		}
	}
	return true
}
