package storetest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var filters = aspect{"Filter", map[string]func(l *library){
	"Cases":          filterCases,
	"Random":         filterRandom,
	"FollowsRecords": filterFollows,
	"Bounds":         filterBounds,
}}

// cabinet commits documents whose records differ in every field.
func (l *library) cabinet() []passage {
	l.t.Helper()
	g := l.build()
	second := corpus.DeriveID(source.ID, "second")
	var changes []store.Change
	add := func(path string, edit func(d *corpus.Document)) {
		changes = append(changes, with(change(g.ID, path, "common words in "+path), edit))
	}
	add("reports/2024/q1.pdf", func(d *corpus.Document) {
		d.Type, d.Title, d.Language = "application/pdf", "Quarter", "de"
		d.Metadata = corpus.Metadata{"author": "Ada", "year": 2024.0, "draft": false, "tags": []string{"money", "berlin"}, "100": "digits"}
		d.Fingerprint.ModTime = epoch.Add(-48 * time.Hour).UnixNano()
	})
	add("reports/2024/q2.pdf", func(d *corpus.Document) {
		d.Source, d.Type, d.Title = second, "application/pdf", `quo"ted' \ title`
		d.Metadata = corpus.Metadata{"author": "ada", "year": "2024", "draft": true, "tags": []string{}, `odd "key'`: "x"}
		d.Fingerprint.ModTime = epoch.UnixNano() + 999
	})
	add("reports%2024.txt", func(d *corpus.Document) {
		d.Title, d.Language = "", ""
		d.Metadata = corpus.Metadata{"author": "Ádám", "year": -1.5, "draft": "true", "tags": "money", "value": 1e15 + .25}
		d.IndexedAt = epoch.Add(time.Hour)
	})
	add("Reports/x_y", func(d *corpus.Document) {
		d.Metadata = corpus.Metadata{"year": 1.0, "author": "", "tags": []string{"1", "money"}, "value": 1e300}
		d.Fingerprint.ModTime = -1
	})
	add("no metadata", func(d *corpus.Document) { d.IndexedAt = epoch.Add(time.Microsecond) })
	all := l.shelf(changes...)
	m := map[corpus.Hash][]float32{}
	for i := range all {
		all[i].vector = vector(all[i].entry.Chunk.Input())
		m[all[i].entry.Chunk.Hash] = all[i].vector
	}
	l.must(l.w.PutVectors(l.t.Context(), space, m))
	return all
}

// compareFilter checks the filter's meaning on both legs.
func (l *library) compareFilter(name string, all []passage, f store.Filter) {
	t := l.t
	t.Helper()
	q := &store.Lexical{Terms: []store.Term{{Text: "common"}}, Budget: 1000, Limit: 1000}
	v := &store.Vector{Query: vector("query"), Limit: 1000}
	got := l.search(store.Query{Lexical: q, Vector: v, Filter: f})
	hits, stats := naiveLexical(all, q, f)
	if d := diff(hits, got.Lexical, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s: keyword leg of %v (-want +got):\n%s", name, f, d)
	}
	if d := diff(stats, got.Stats); d != "" {
		t.Errorf("%s: statistics do not depend on the filter (-want +got):\n%s", name, d)
	}
	if d := diff(naiveNearest(all, v, f), got.Vector, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-5)); d != "" {
		t.Errorf("%s: vector leg of %v (-want +got):\n%s", name, f, d)
	}
}

func filterCases(l *library) {
	all := l.cabinet()
	second := corpus.DeriveID(source.ID, "second").String()
	cond := func(field string, op store.Op, values ...any) store.Filter {
		return store.Filter{{Field: field, Op: op, Values: values}}
	}
	for i, f := range []store.Filter{
		cond("source", store.Eq, second),
		cond("source", store.Not, second),
		cond("source", store.In, second, source.ID.String(), "not an id"),
		cond("source", store.Eq, "NOT AN ID"),
		cond("source", store.Not, "not an id"),
		cond("source", store.Prefix, second[:13]),
		cond("document", store.Eq, all[0].document.ID.String()),
		cond("document", store.Range, all[0].document.ID.String(), nil),
		cond("path", store.Eq, "reports/2024/q1.pdf"),
		cond("path", store.Prefix, "reports/"),
		cond("path", store.Prefix, "reports%"),
		cond("path", store.Prefix, "Reports/x_"),
		cond("path", store.Prefix, ""),
		cond("path", store.Range, "no metadata", "reports/2024/q1.pdf"),
		cond("path", store.Range, nil, "Z"),
		cond("path", store.Eq, 1.0),
		cond("path", store.Range, 0.0, nil),
		cond("type", store.In, "application/pdf", "text/html"),
		cond("type", store.Not, "application/pdf", 1.0),
		cond("title", store.Eq, ""),
		cond("title", store.Eq, `quo"ted' \ title`),
		cond("language", store.Eq, ""),
		cond("language", store.Not, "", "de"),
		cond("modified", store.Range, epoch.Add(-72*time.Hour).Format(time.RFC3339), epoch.Add(-time.Hour).Format(time.RFC3339)),
		cond("modified", store.Range, nil, 0.0),
		cond("modified", store.Eq, epoch.Format(time.RFC3339Nano)),
		cond("modified", store.Not, float64(epoch.UnixMilli())/1000),
		cond("indexed", store.Range, epoch.Add(time.Microsecond).Format(time.RFC3339Nano), nil),
		cond("indexed", store.In, epoch.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano), 12.5),
		cond("author", store.Eq, "Ada"),
		cond("author", store.In, "Ada", "ada", 1.0),
		cond("author", store.Not, "Ada"),
		cond("author", store.Eq, ""),
		cond("author", store.Prefix, ""),
		cond("author", store.Prefix, "Á"),
		cond("author", store.Range, "Ada", "Áz"),
		cond("year", store.Eq, 2024.0),
		cond("year", store.Eq, "2024"),
		cond("year", store.In, "2024", 2024.0),
		cond("year", store.Not, 2024.0),
		cond("year", store.Range, -2.0, 1.0),
		cond("year", store.Range, nil, 1e9),
		cond("year", store.Range, "1", nil),
		cond("year", store.Range, 1.0, "3000"),
		cond("year", store.Prefix, "20"),
		cond("value", store.Eq, 1e15+.25),
		cond("value", store.Range, 1e15, 1e300),
		cond("draft", store.Eq, true),
		cond("draft", store.Eq, false),
		cond("draft", store.Eq, "true"),
		cond("draft", store.Not, true),
		cond("draft", store.Eq, 1.0),
		cond("draft", store.Range, 0.0, 1.0),
		cond("tags", store.Eq, "money"),
		cond("tags", store.In, "berlin", "1"),
		cond("tags", store.Not, "berlin"),
		cond("tags", store.Eq, 1.0),
		cond("tags", store.Prefix, "mo"),
		cond("tags", store.Range, "c", "z"),
		cond("missing", store.Eq, "x"),
		cond("missing", store.Not, "x"),
		cond("100", store.Eq, "digits"),
		cond(`odd "key'`, store.Eq, "x"),
		cond("Author", store.Eq, "Ada"),
		{{Field: "path", Op: store.Prefix, Values: []any{"reports"}}, {Field: "year", Op: store.Not, Values: []any{2024.0}}},
		{{Field: "tags", Op: store.Eq, Values: []any{"money"}}, {Field: "tags", Op: store.Eq, Values: []any{"berlin"}}},
		{{Field: "language", Op: store.Eq, Values: []any{"en"}}, {Field: "language", Op: store.Eq, Values: []any{"de"}}},
	} {
		l.compareFilter(fmt.Sprintf("case %d", i), all, f)
	}
}

// filterRandom joins conditions at random.
func filterRandom(l *library) {
	all := l.cabinet()
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 150 {
		l.compareFilter(fmt.Sprintf("filter %d", i), all, randomFilter(r))
	}
}

func randomFilter(r *rand.Rand) store.Filter {
	fields := []string{"path", "type", "title", "language", "author", "year", "draft", "tags", "value", "missing", "modified", "indexed"}
	values := []any{"Ada", "ada", "money", "2024", "en", "reports/", "application/pdf", "", "1", 2024.0, 1.0, -1.5, 0.0, true, false}
	var f store.Filter
	for range 1 + r.IntN(3) {
		c := store.Condition{Field: fields[r.IntN(len(fields))], Op: []store.Op{store.Eq, store.In, store.Not, store.Prefix, store.Range}[r.IntN(5)]}
		n := map[store.Op]int{store.Eq: 1, store.In: 1 + r.IntN(3), store.Not: 1 + r.IntN(3), store.Prefix: 1, store.Range: 2}[c.Op]
		for range n {
			c.Values = append(c.Values, values[r.IntN(len(values))])
		}
		if c.Op == store.Range && r.IntN(2) == 0 {
			c.Values[r.IntN(2)] = nil
		}
		if (store.Filter{c}).Validate() == nil {
			f = append(f, c)
		}
	}
	return f
}

// filterFollows: what Record changes counts at once (S98).
func filterFollows(l *library) {
	all := l.cabinet()
	d := all[0].document
	d.Revision, d.Path, d.Metadata, d.Title = 1, "moved", corpus.Metadata{"author": "Grace", "group": "private"}, "Moved"
	l.must(l.w.Record(l.t.Context(), d))
	all[0].document = d
	for i, f := range []store.Filter{
		{{Field: "author", Op: store.Eq, Values: []any{"Ada"}}},
		{{Field: "author", Op: store.Eq, Values: []any{"Grace"}}},
		{{Field: "group", Op: store.Not, Values: []any{"private"}}},
		{{Field: "tags", Op: store.Eq, Values: []any{"money"}}},
		{{Field: "path", Op: store.Prefix, Values: []any{"reports/"}}},
		{{Field: "title", Op: store.Eq, Values: []any{"Moved"}}},
	} {
		l.compareFilter(fmt.Sprintf("after the change, %d", i), all, f)
	}
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: d.ID}))
	l.compareFilter("after removal", all[1:], store.Filter{{Field: "author", Op: store.Not, Values: []any{"x"}}})
}

func filterBounds(l *library) {
	all := l.cabinet()
	many := make([]any, 2*corpus.MaxFilterValues)
	for i := range many {
		many[i] = fmt.Sprint("value", i)
	}
	var f store.Filter
	for range corpus.MaxFilterFields {
		f = append(f, store.Condition{Field: "author", Op: store.Not, Values: many})
	}
	l.compareFilter("the largest filter", all, f)
	l.view(func(r store.Reader) {
		for _, f := range []store.Filter{append(f, f[0]), {{Field: "author", Op: store.In, Values: append(many, "x")}}} {
			_, err := r.Search(l.t.Context(), store.Query{Filter: f})
			l.wants(err, corpus.ErrLimit)
		}
	})
}
