package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var audits = aspect{"Audit", map[string]func(l *library){
	"EmptyIsClean":         auditEmpty,
	"FindsEveryDamage":     auditDamages,
	"MendKeeps":            auditMendKeeps,
	"Distrust":             auditDistrust,
	"ForgetsVectors":       auditForget,
	"ForgetsInGenerations": auditForgetBeside,
	"Vectors":              auditVectors,
}}

// Damage does to a tenant's library what only somebody else's SQL can do.
type Damage struct {
	Name  string
	Finds store.Damage // among what the audit must find
	// Costs tells that vectors are lost with it.
	Costs bool
	Do    func(t *testing.T, tenant corpus.ID)
}

// audit is what the suite's analyzer makes of passages.
var audit = store.Audit{Analyzer: "analyzer/1", Entry: func(c corpus.Chunk, _ string) store.Entry { return entry(c) }}

// findings of an audit of the library.
func (l *library) findings() (found []store.Finding) {
	l.t.Helper()
	l.view(func(r store.Reader) {
		l.must(r.Audit(l.t.Context(), audit, func(f store.Finding) { found = append(found, f) }))
	})
	return found
}

// clean fails if an audit finds anything.
func (l *library) clean() {
	l.t.Helper()
	for _, f := range l.findings() {
		l.t.Errorf("audit found %+v", f)
	}
}

func auditEmpty(l *library) {
	l.clean()
	l.build()
	l.clean()
	l.must(l.w.Mend(l.t.Context(), audit))
	l.clean()
}

// furnished is a library in which every kind of row is.
func furnished(l *library) []store.Change {
	l.t.Helper()
	l.must(l.store.PutSource(l.t.Context(), source))
	g := l.build()
	described := func(d *corpus.Document) {
		d.Metadata = corpus.Metadata{"author": "Ada", "year": 1843.0, "draft": true, "tags": []string{"one", "two"}}
	}
	changes := []store.Change{
		with(change(g.ID, "a", "word one", "word two", "word three"), described),
		change(g.ID, "b", "word two", "something else"),
		change(g.ID, "c", "the last of all words", "word word _ word"),
		change(g.ID, "empty"),
	}
	// An earlier version leaves dead entries behind.
	first := with(change(g.ID, "a", "word zero", "word two"), described)
	l.commit(first, changes[1])
	l.embed()
	changes[0].From = 1
	l.commit(changes[0], changes[2], changes[3])
	l.embed()
	for i := range changes {
		changes[i].From = 0
	}
	return changes
}

// restore commits all documents as they must be, as a run after a repair does,
// and returns how many of their passages found no vector.
func restore(l *library, changes []store.Change) (missing int) {
	l.t.Helper()
	l.must(l.store.PutSource(l.t.Context(), source))
	g := l.build()
	for _, c := range changes {
		c.Generation = g.ID
		if d, err := l.document(c.Document.ID); err == nil {
			c.From = d.Revision
		}
		missing += l.commit(c)[0].Missing
	}
	l.embed()
	return missing
}

// auditDamages: every damage is found, and mended by Mend and new commits.
func auditDamages(l *library) {
	fresh := newLibrary(l.t, l.db, corpus.NewID())
	furnished(fresh)
	fresh.clean()
	for _, damage := range l.db.Damages {
		l.t.Run(damage.Name, func(t *testing.T) {
			l := newLibrary(t, l.db, corpus.NewID())
			changes := furnished(l)
			neighbour := fresh.dump()
			damage.Do(t, l.tenant)
			found := l.findings()
			if !slices.ContainsFunc(found, func(f store.Finding) bool { return f.Damage == damage.Finds && f.Count > 0 }) {
				t.Errorf("found %v, not %q", found, damage.Finds)
			}
			l.must(l.w.Mend(t.Context(), audit))
			missing := restore(l, changes)
			l.clean()
			if missing > 0 && !damage.Costs {
				t.Errorf("%d passages lost their vectors", missing)
			}
			if d := diff(fresh.dump(), l.dump()); d != "" {
				t.Errorf("differs from a fresh build (-fresh +mended):\n%s", d)
			}
			if d := diff(answers(fresh), answers(l)); d != "" {
				t.Errorf("answers otherwise than a fresh build (-fresh +mended):\n%s", d)
			}
			fresh.clean()
			if neighbour != fresh.dump() {
				t.Error("another tenant's library changed")
			}
			// What was mended can be changed and removed like anything else.
			for _, c := range changes {
				l.must(l.w.Remove(t.Context(), store.Ref{Document: c.Document.ID}))
			}
			l.clean()
			if n := l.info().Rows["chunks"]; n != 0 {
				t.Errorf("%d passages are left after all were removed", n)
			}
		})
	}
}

// answers is what searches find, in words.
func answers(l *library) string {
	l.t.Helper()
	c := l.search(store.Query{
		Lexical: &store.Lexical{Terms: []store.Term{{Text: "word"}, {Text: "two"}, {Text: "som", Part: true}}, Budget: 1000, Limit: 1000},
		Vector:  &store.Vector{Query: vector("query"), Limit: 1000},
	})
	filtered := l.search(store.Query{
		Lexical: &store.Lexical{Terms: []store.Term{{Text: "word"}}, Budget: 1000, Limit: 1000},
		Filter:  store.Filter{{Field: "author", Op: store.Eq, Values: []any{"Ada"}}, {Field: "draft", Op: store.Eq, Values: []any{true}}},
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n", c.Stats)
	for _, h := range c.Lexical {
		fmt.Fprintf(&b, "%s %q %d\n", h.Chunk, h.Terms, h.Length)
	}
	for _, h := range c.Vector {
		fmt.Fprintf(&b, "%s %.5f\n", h.Chunk, h.Score)
	}
	for _, h := range filtered.Lexical {
		fmt.Fprintf(&b, "%s\n", h.Chunk)
	}
	return b.String()
}

// auditMendKeeps: in a library without damage, mending changes nothing that
// can be seen.
func auditMendKeeps(l *library) {
	furnished(l)
	before, found := l.dump(), answers(l)
	l.must(l.w.MendFile(l.t.Context()))
	l.must(l.w.Mend(l.t.Context(), audit))
	l.clean()
	if d := diff(before, l.dump()); d != "" {
		l.t.Errorf("library changed (-before +after):\n%s", d)
	}
	if d := diff(found, answers(l)); d != "" {
		l.t.Errorf("answers changed (-before +after):\n%s", d)
	}
}

func auditDistrust(l *library) {
	changes := furnished(l)
	l.must(l.w.Distrust(l.t.Context(), map[corpus.ID]string{changes[1].Document.ID: "distrusted", corpus.NewID(): "unknown"}))
	for i, want := range []string{"recipe/1", "distrusted", "recipe/1"} {
		l.view(func(r store.Reader) {
			recipes, err := r.Recipes(l.t.Context(), 0)
			l.must(err)
			if got := recipes[changes[i].Document.ID].Recipe; got != want {
				l.t.Errorf("document %d is made with %q, want %q", i, got, want)
			}
		})
	}
	if d, err := l.document(changes[1].Document.ID); err != nil || d.Revision != 1 {
		l.t.Errorf("the document is at revision %d, want 1 (%v)", d.Revision, err)
	}
	if missing := restore(l, changes); missing > 0 {
		l.t.Errorf("%d passages lost their vectors", missing)
	}
	l.clean()
}

// auditForget: the vectors of a document's passages go, and with them those of
// equal passages elsewhere; all wait for new ones.
func auditForget(l *library) {
	changes := furnished(l)
	l.must(l.w.Mend(l.t.Context(), audit, changes[1].Document.ID))
	l.clean()
	got := l.pending(0, 100)
	slices.Sort(got)
	if d := diff([]string{"something else", "word two"}, got); d != "" {
		l.t.Errorf("waiting (-want +got):\n%s", d)
	}
	l.embed()
	l.clean()
}

// auditForgetBeside: what a document has in a second generation is forgotten in
// the first one as well, where another document has it.
func auditForgetBeside(l *library) {
	l.must(l.store.PutSource(l.t.Context(), source))
	g := l.build()
	a := change(g.ID, "a", "one", "two")
	l.commit(a, change(g.ID, "b", "three"))
	l.embed()
	next, err := l.w.Build(l.t.Context(), space, "analyzer/2")
	l.must(err)
	l.commit(strict(from(1, change(next.ID, "a", "one", "three"))))
	l.must(l.w.Mend(l.t.Context(), audit, a.Document.ID))
	l.clean()
	for id, want := range map[int64][]string{g.ID: {"one", "three", "two"}, next.ID: {"one", "three"}} {
		got := l.pending(id, 10)
		slices.Sort(got)
		if d := diff(want, got); d != "" {
			l.t.Errorf("waiting in generation %d (-want +got):\n%s", id, d)
		}
	}
	l.embed()
	l.clean()
}

func auditVectors(l *library) {
	changes := furnished(l)
	h := changes[0].Entries[0].Chunk.Hash
	l.must(l.w.PutVectors(l.t.Context(), space, map[corpus.Hash][]float32{corpus.HashParts("cached"): vector("cached")}))
	l.view(func(r store.Reader) {
		got, err := r.Vectors(l.t.Context(), space, []corpus.Hash{h, corpus.HashParts("cached"), corpus.HashParts("unknown")})
		l.must(err)
		want := map[corpus.Hash][]float32{h: vector("word one"), corpus.HashParts("cached"): vector("cached")}
		if d := diff(want, got); d != "" {
			l.t.Errorf("vectors (-want +got):\n%s", d)
		}
		got, err = r.Vectors(l.t.Context(), otherSpace, []corpus.Hash{h})
		l.must(err)
		if len(got) != 0 {
			l.t.Errorf("another space has %v", got)
		}
		orphans, err := r.Orphans(l.t.Context())
		l.must(err)
		if len(orphans) != 0 {
			l.t.Errorf("orphans %v", orphans)
		}
	})
}
