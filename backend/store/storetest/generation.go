package storetest

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var generations = aspect{"Generations", map[string]func(l *library){
	"EmptyLibrary":           generationNone,
	"FirstIsLive":            generationFirst,
	"BuiltBesideAndSwitched": generationSwitch,
	"AbandonedIsDropped":     generationAbandoned,
	"SameSpaceKeepsVectors":  generationSameSpace,
	"BadSpaces":              generationInvalid,
}}

// otherSpace has other dimensions, as another model does.
var otherSpace = corpus.Space{Provider: "test", Model: "other", Dimensions: 5, Format: "1"}

func generationNone(l *library) {
	t := l.t
	info := l.info()
	if info.Library.IsZero() || len(info.Generations) != 0 || info.Documents != 0 || info.Chunks != 0 {
		t.Errorf("info of an empty library: %+v", info)
	}
	if again := l.open(); true {
		l.must(again.View(l.t.Context(), func(r store.Reader) error {
			other, err := r.Info(l.t.Context())
			if other.Library != info.Library {
				t.Errorf("the library has the ids %s and %s", info.Library, other.Library)
			}
			return err
		}))
	}
	l.view(func(r store.Reader) {
		c, err := r.Search(l.t.Context(), store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: "x"}}, Budget: 1, Limit: 1}, Vector: &store.Vector{Query: vector("x"), Limit: 1}})
		if err != nil || len(c.Lexical)+len(c.Vector) != 0 || len(c.Stats.Frequency) != 1 {
			t.Errorf("search in an empty library: %+v, %v", c, err)
		}
		recipes, err := r.Recipes(l.t.Context(), 0)
		if err != nil || len(recipes) != 0 {
			t.Errorf("recipes of an empty library: %v, %v", recipes, err)
		}
		passages, err := r.Fetch(l.t.Context(), []corpus.ID{corpus.NewID()})
		if err != nil || len(passages) != 0 {
			t.Errorf("passages of an empty library: %v, %v", passages, err)
		}
	})
}

func generationFirst(l *library) {
	t := l.t
	g := l.build()
	if !g.Live || g.ID == 0 || g.Space != space || g.Analyzer != "analyzer/1" || g.CreatedAt.IsZero() {
		t.Errorf("first generation %+v", g)
	}
	if again := l.build(); again.ID != g.ID {
		t.Errorf("built again: generation %d, was %d", again.ID, g.ID)
	}
	other, err := l.w.Build(l.t.Context(), otherSpace, "analyzer/1") // there is still no document
	if l.must(err); !other.Live {
		t.Errorf("generation of an empty library is not live: %+v", other)
	}
	if diff := cmp.Diff([]store.Generation{other}, l.info().Generations, cmpopts.IgnoreFields(store.Generation{}, "CreatedAt")); diff != "" {
		t.Errorf("generations (-want +got):\n%s", diff)
	}
}

// generationSwitch: the old generation answers until the switch (F5, S74).
func generationSwitch(l *library) {
	t := l.t
	old := l.build()
	l.commit(change(old.ID, "a", "one", "two"))
	l.embed()
	next, err := l.w.Build(l.t.Context(), otherSpace, "analyzer/2")
	if l.must(err); next.Live || next.ID == old.ID {
		t.Fatalf("second generation %+v", next)
	}
	if again, err := l.w.Build(l.t.Context(), otherSpace, "analyzer/2"); err != nil || again.ID != next.ID {
		t.Errorf("built again: generation %d (%v), want %d", again.ID, err, next.ID)
	}
	c := from(1, change(next.ID, "a", "one", "two", "three"))
	c.Document.Recipe = "recipe/2"
	done := l.commit(c)
	if diff := cmp.Diff(store.Committed{Document: c.Document.ID, Revision: 2, Added: 3, Missing: 3}, done[0]); diff != "" {
		t.Errorf("committed (-want +got):\n%s", diff)
	}
	query := store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: "three"}, {Text: "one"}}, Budget: 10, Limit: 10}, Vector: &store.Vector{Query: vector("one"), Limit: 10}}
	if got := l.search(query); len(got.Lexical) != 1 || len(got.Vector) != 2 || got.Stats.Chunks != 2 {
		t.Errorf("the old generation answers %+v", got)
	}
	if d, err := l.document(c.Document.ID); err != nil || d.Chunks != 2 || d.Embedded != 2 || d.Revision != 2 {
		t.Errorf("document %+v, %v; want counts of the live generation", d, err)
	}
	l.view(func(r store.Reader) {
		for generation, want := range map[int64]string{0: "one\n\ntwo", old.ID: "one\n\ntwo", next.ID: c.Text} {
			if text, _, err := r.Text(l.t.Context(), generation, c.Document.ID); err != nil || text != want {
				t.Errorf("text in generation %d: %q, %v; want %q", generation, text, err, want)
			}
		}
		recipes, err := r.Recipes(l.t.Context(), 0)
		if l.must(err); recipes[c.Document.ID].Recipe != "recipe/1" || recipes[c.Document.ID].Revision != 1 {
			t.Errorf("recipes of the live generation %v", recipes)
		}
	})
	if info := l.info(); info.Rows["chunks"] != 5 || info.Rows["texts"] != 2 || info.Chunks != 2 {
		t.Errorf("rows %v, %d passages", info.Rows, info.Chunks)
	}
	v := map[corpus.Hash][]float32{}
	for _, e := range c.Entries {
		v[e.Chunk.Hash] = vector(e.Chunk.Input())[:5]
	}
	l.must(l.w.PutVectors(l.t.Context(), otherSpace, v))
	if got := l.pending(next.ID, 10); len(got) != 0 {
		t.Errorf("pending %v", got)
	}
	l.must(l.w.Switch(l.t.Context(), next.ID))
	l.must(l.w.Switch(l.t.Context(), next.ID)) // idempotent
	query.Vector.Query = vector("one")[:5]
	if got := l.search(query); len(got.Lexical) != 2 || len(got.Vector) != 3 || got.Stats.Chunks != 3 {
		t.Errorf("the new generation answers %+v", got)
	}
	info := l.info()
	want := map[string]int64{"documents": 1, "texts": 1, "chunks": 3, "terms": 3, "vectors": 3, "cached": 2}
	if diff := cmp.Diff(want, info.Rows); diff != "" {
		t.Errorf("rows after the switch (-want +got):\n%s", diff)
	}
	if live, ok := info.Live(); !ok || live.ID != next.ID || len(info.Generations) != 1 {
		t.Errorf("generations after the switch: %+v", info.Generations)
	}
	l.view(func(r store.Reader) {
		passages, err := r.Fetch(l.t.Context(), []corpus.ID{c.Entries[2].Chunk.ID})
		if l.must(err); len(passages) != 1 || passages[0].Revision != 2 {
			t.Errorf("fetched %+v", passages)
		}
	})
	_, err = l.w.Commit(l.t.Context(), from(2, change(old.ID, "a", "late")))
	l.wants(err, corpus.ErrNotFound)
}

func generationAbandoned(l *library) {
	t := l.t
	live := l.build()
	l.commit(change(live.ID, "a", "one"))
	l.embed()
	before := l.dump()
	next, err := l.w.Build(l.t.Context(), otherSpace, "analyzer/1")
	l.must(err)
	l.commit(from(1, with(change(next.ID, "a", "one", "two"), func(d *corpus.Document) { d.Content = corpus.HashBytes([]byte("one")) })),
		change(next.ID, "b", "three"))
	third, err := l.w.Build(l.t.Context(), otherSpace, "analyzer/3")
	l.must(err)
	if info := l.info(); info.Rows["chunks"] != 1 || len(info.Generations) != 2 || third.ID == next.ID {
		t.Errorf("rows %v, generations %+v", info.Rows, info.Generations)
	}
	if g := l.build(); g.ID != live.ID || !g.Live {
		t.Errorf("built %+v, want the live generation %d", g, live.ID)
	}
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: corpus.DeriveID(source.ID, "b")}))
	if diff := cmp.Diff(before, l.dump()); diff != "" {
		t.Errorf("something of the abandoned generations is left (-want +got):\n%s", diff)
	}
}

// generationSameSpace: a new analyzer rebuilds the terms, not the vectors.
func generationSameSpace(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "one", "two"), change(g.ID, "b", "one"))
	l.embed()
	next, err := l.w.Build(l.t.Context(), space, "analyzer/2")
	l.must(err)
	done := l.commit(strict(from(1, change(next.ID, "a", "one", "two"))), from(1, change(next.ID, "b", "three")))
	if done[0].Missing != 0 || done[1].Missing != 1 {
		t.Errorf("committed %+v, want only \"three\" missing", done)
	}
	if diff := cmp.Diff([]string{"three"}, l.pending(next.ID, 10)); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
	l.must(l.w.PutVectors(l.t.Context(), space, map[corpus.Hash][]float32{change(1, "b", "three").Entries[0].Chunk.Hash: vector("three")}))
	l.must(l.w.Switch(l.t.Context(), next.ID))
	if info := l.info(); info.Embedded != 3 || info.Rows["vectors"] != 3 || info.Rows["cached"] != 0 {
		t.Errorf("rows %v, %d embedded", info.Rows, info.Embedded)
	}
}

func generationInvalid(l *library) {
	huge, none := space, space
	huge.Dimensions, none.Dimensions = l.store.Capabilities().MaxDimensions+1, 0
	l.unchanged(func() {
		_, err := l.w.Build(l.t.Context(), huge, "analyzer/1")
		l.wants(err, corpus.ErrLimit)
		_, err = l.w.Build(l.t.Context(), none, "analyzer/1")
		l.wants(err, corpus.ErrInvalid)
	})
}
