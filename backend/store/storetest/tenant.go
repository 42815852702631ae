package storetest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var tenants = aspect{"Tenants", map[string]func(l *library){
	"SeeNothingOfEachOther": tenantsRead,
	"ChangeNothing":         tenantsWrite,
	"SameIds":               tenantsSameIDs,
	"OwnRoles":              tenantsRoles,
	"SmallAmongMany":        tenantsSmall,
}}

// neighbour is a second tenant's library with documents in it, in the same database.
func (l *library) neighbour() (*library, store.Generation, store.Change) {
	l.t.Helper()
	n := newLibrary(l.t, l.db, corpus.NewID())
	second := source
	second.ID, second.Root = corpus.NewID(), "/home/grace"
	l.must(n.store.PutSource(l.t.Context(), second))
	g := n.build()
	c := change(g.ID, "private", "secret word", "another secret word")
	c.Document.Source = second.ID
	n.commit(c)
	n.must(n.w.PutVectors(n.t.Context(), space, vectors(c)))
	n.must(n.w.PutRun(n.t.Context(), store.Run{ID: "run", Kind: "apply", State: "done", StartedAt: epoch}))
	return n, g, c
}

// tenantsRead: nothing of another tenant by any method, ids known or not (K1, S99).
func tenantsRead(l *library) {
	t := l.t
	n, g, c := l.neighbour()
	own := l.build()
	if own.ID == g.ID {
		t.Fatalf("both tenants have the generation %d", g.ID)
	}
	l.commit(change(own.ID, "mine", "my word"))
	l.embed()
	info := l.info()
	if info.Library == n.info().Library || info.Documents != 1 || info.Chunks != 1 || len(info.Generations) != 1 || info.Languages["en"] != 1 {
		t.Errorf("info %+v", info)
	}
	if diff := cmp.Diff(map[string]int64{"documents": 1, "texts": 1, "chunks": 1, "terms": 1, "vectors": 1, "cached": 0}, info.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got := l.paths(corpus.NoID); len(got) != 1 || got[0] != "mine" {
		t.Errorf("documents %v", got)
	}
	if got := l.paths(c.Document.Source); len(got) != 0 {
		t.Errorf("documents of the other's source: %v", got)
	}
	if got := l.sources(); len(got) != 0 {
		t.Errorf("sources %v", got)
	}
	hash := c.Entries[0].Chunk.Hash
	l.view(func(r store.Reader) {
		_, err := r.Document(l.t.Context(), c.Document.ID)
		l.wants(err, corpus.ErrNotFound)
		for _, generation := range []int64{0, g.ID} {
			_, _, err = r.Text(l.t.Context(), generation, c.Document.ID)
			l.wants(err, corpus.ErrNotFound)
			if chunks, err := r.Chunks(l.t.Context(), generation, c.Document.ID); err != nil || len(chunks) != 0 {
				t.Errorf("passages %v, %v", chunks, err)
			}
			if recipes, err := r.Recipes(l.t.Context(), generation); err != nil || recipes[c.Document.ID] != (store.Made{}) {
				t.Errorf("recipes %v, %v", recipes, err)
			}
			if pending, err := r.Pending(l.t.Context(), generation, 10); err != nil || len(pending) != 0 {
				t.Errorf("pending %v, %v", pending, err)
			}
			q := store.Query{
				Generation: generation,
				Lexical:    &store.Lexical{Terms: []store.Term{{Text: "secret"}, {Text: "word"}}, Must: [][]string{{"word"}}, Budget: 100, Limit: 100},
				Vector:     &store.Vector{Query: vector("secret word"), Limit: 100},
			}
			found, err := r.Search(l.t.Context(), q)
			l.must(err)
			if generation == 0 {
				if len(found.Lexical) != 1 || len(found.Vector) != 1 || found.Stats.Chunks != 1 || found.Stats.Length != 2 || found.Stats.Frequency[0] != 0 {
					t.Errorf("found %+v", found)
				}
			} else if len(found.Lexical)+len(found.Vector)+found.Stats.Chunks+found.Stats.Frequency[1] != 0 {
				t.Errorf("found in the other's generation: %+v", found)
			}
		}
		if passages, err := r.Fetch(l.t.Context(), []corpus.ID{c.Entries[0].Chunk.ID}); err != nil || len(passages) != 0 {
			t.Errorf("fetched %v, %v", passages, err)
		}
		if have, err := r.HaveVectors(l.t.Context(), space, []corpus.Hash{hash}); err != nil || len(have) != 0 {
			t.Errorf("have vectors %v, %v", have, err)
		}
		if list, err := r.Runs(l.t.Context(), 10); err != nil || len(list) != 0 {
			t.Errorf("runs %v, %v", list, err)
		}
	})
}

// tenantsWrite: no method of one tenant's writer changes another's library.
func tenantsWrite(l *library) {
	t := l.t
	n, g, c := l.neighbour()
	own := l.build()
	n.unchanged(func() {
		_, err := l.w.Commit(l.t.Context(), change(g.ID, "a", "into the other's generation"))
		l.wants(err, corpus.ErrNotFound)
		l.wants(l.w.Switch(l.t.Context(), g.ID), corpus.ErrNotFound)
		stolen := c.Document
		stolen.Revision = 1
		l.wants(l.w.Record(l.t.Context(), stolen), corpus.ErrStale) // it does not exist here
		l.must(l.w.Touch(l.t.Context(), map[corpus.ID]corpus.Fingerprint{c.Document.ID: {Size: 1}}))
		l.must(l.w.Remove(l.t.Context(), store.Ref{Document: c.Document.ID}))
		l.must(l.w.RemoveSource(l.t.Context(), c.Document.Source, true))
		l.must(l.w.PutVectors(l.t.Context(), space, map[corpus.Hash][]float32{c.Entries[0].Chunk.Hash: vector("poison")}))
		_, err = l.w.Sweep(l.t.Context(), time.Now().Add(time.Hour))
		l.must(err)
		l.must(l.w.PutRun(l.t.Context(), store.Run{ID: "run", Kind: "apply", State: "failed", StartedAt: epoch}))
		next, err := l.w.Build(l.t.Context(), otherSpace, "analyzer/2")
		l.must(err)
		l.must(l.w.Switch(l.t.Context(), next.ID))
	})
	_ = own
	found := n.search(store.Query{Vector: &store.Vector{Query: vector("secret word"), Limit: 1}})
	if len(found.Vector) != 1 || found.Vector[0].Score < .999 {
		t.Errorf("the other's vector is now %+v", found.Vector)
	}
	n.view(func(r store.Reader) {
		list, err := r.Runs(n.t.Context(), 10)
		if n.must(err); len(list) != 1 || list[0].State != "done" {
			t.Errorf("the other's runs are %+v", list)
		}
	})
}

// tenantsSameIDs: documents with the same ids do not meet (S35).
func tenantsSameIDs(l *library) {
	t := l.t
	n := newLibrary(t, l.db, corpus.NewID())
	l.must(l.store.PutSource(l.t.Context(), source))
	n.must(n.store.PutSource(n.t.Context(), source))
	l.commit(change(l.build().ID, "a", "mine", "shared"))
	n.commit(change(n.build().ID, "a", "yours", "shared"))
	l.embed()
	n.embed()
	before := n.dump()
	l.commit(from(1, change(l.build().ID, "a", "shared")))
	l.must(l.w.RemoveSource(l.t.Context(), source.ID, true))
	if diff := cmp.Diff(before, n.dump()); diff != "" {
		t.Errorf("the other library changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(none, l.info().Rows); diff != "" {
		// "mine" was cached when the document was edited; a purge need not know.
		l.must(l.w.RemoveSource(l.t.Context(), source.ID, true))
		if rows := l.info().Rows; rows["cached"] > 1 || rows["documents"]+rows["chunks"]+rows["terms"]+rows["vectors"]+rows["texts"] != 0 {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
}

// tenantsRoles: a tenant never waits for another's run.
func tenantsRoles(l *library) {
	n, g, _ := l.neighbour() // both hold their roles
	l.commit(change(l.build().ID, "mine", "word"))
	n.commit(change(g.ID, "yours", "word"))
	l.must(l.w.Release())
	n.commit(change(g.ID, "more", "word"))
}

// tenantsSmall: a small tenant among many foreign passages, all nearer to the
// query than its own, still gets all it asks for (S95).
func tenantsSmall(l *library) {
	n := newLibrary(l.t, l.db, corpus.NewID())
	g := n.build()
	query := vector("query")
	var crowd []store.Change
	for i := range 15 {
		paragraphs := make([]string, 100)
		for k := range paragraphs {
			paragraphs[k] = fmt.Sprintf("foreign word %d of %d", k, i)
		}
		crowd = append(crowd, change(g.ID, strconv.Itoa(i), paragraphs...))
	}
	n.shelve(func(e store.Entry) []float32 {
		v := vector(e.Chunk.Input())
		for i := range v {
			v[i] = query[i] + v[i]/10
		}
		return v
	}, crowd...)
	own := l.build()
	all := l.shelve(func(e store.Entry) []float32 { return vector(e.Chunk.Input()) },
		change(own.ID, "a", "my word 1", "my word 2", "my word 3", "my word 4"), change(own.ID, "b", "my word 5", "my word 6", "other"))
	l.compareVectors("small tenant", 0, all, &store.Vector{Query: query, Limit: 5}, nil)
	l.compareVectors("small tenant, all", 0, all, &store.Vector{Query: query, Limit: 100}, nil)
	l.compareLexical("small tenant", all, &store.Lexical{Terms: []store.Term{{Text: "word"}, {Text: "other"}}, Budget: 100, Limit: 3}, nil)
}
