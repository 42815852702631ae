package storetest

import (
	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var batches = aspect{"Batches", map[string]func(l *library){
	"Whole":          batchWhole,
	"AllOrNothing":   batchAtomic,
	"StrictOrNone":   batchStrict,
	"NothingAtAll":   batchEmpty,
	"NoTwoPlaces":    batchTwice,
	"LabelsAtOnce":   batchLabels,
	"TextIsReplaced": batchReplaces,
}}

// inline is a source without files.
func inline() corpus.Source {
	s := source
	s.ID, s.Kind, s.Name, s.Root = corpus.DeriveID(corpus.NoID, "inline"), corpus.SourceInline, "inline", "inline:inline"
	return s
}

// batchWhole: one batch puts a source, adds, changes, relabels and removes.
func batchWhole(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "changed", "one"), change(g.ID, "labelled", "two"), change(g.ID, "removed", "three"), change(g.ID, "kept", "four"))
	l.embed()
	l.must(l.w.PutVectors(t.Context(), space, vectors(change(g.ID, "x", "new text", "five"))))
	src := inline()
	labelled := change(g.ID, "labelled").Document
	labelled.Revision, labelled.Metadata = 1, corpus.Metadata{"kind": "manual"}
	revision := l.info().Revision
	done, err := l.w.Ingest(t.Context(), store.Batch{
		Source:  &src,
		Changes: []store.Change{strict(from(1, change(g.ID, "changed", "one", "five"))), strict(change(g.ID, "added", "new text"))},
		Records: []corpus.Document{labelled},
		Removed: []store.Ref{{Document: change(g.ID, "removed").Document.ID, Revision: 1}, {Document: corpus.NewID()}},
	})
	l.must(err)
	want := []store.Committed{
		{Document: change(g.ID, "changed").Document.ID, Revision: 2, Added: 1, Relocated: 1},
		{Document: change(g.ID, "added").Document.ID, Revision: 1, Added: 1},
	}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("committed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"added", "changed", "kept", "labelled"}, l.paths(source.ID)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]corpus.Source{src}, l.sources()); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if info := l.info(); info.Revision != revision+1 || info.Chunks != 5 || info.Embedded != 5 {
		t.Errorf("revision %d after %d: %d passages, %d embedded; want one step, 5 and 5", info.Revision, revision, info.Chunks, info.Embedded)
	}
}

// batchAtomic: whichever part fails, nothing of the others happens.
func batchAtomic(l *library) {
	g := l.build()
	l.commit(change(g.ID, "a", "one"), change(g.ID, "b", "two"))
	src := inline()
	id := func(path string) corpus.ID { return change(g.ID, path).Document.ID }
	record := func(path string, revision int64) corpus.Document {
		d := change(g.ID, path).Document
		d.Revision, d.Title = revision, "Another"
		return d
	}
	good := func() store.Batch {
		return store.Batch{Source: &src, Changes: []store.Change{change(g.ID, "new", "text")}, Records: []corpus.Document{record("a", 1)}, Removed: []store.Ref{{Document: id("b")}}}
	}
	l.unchanged(func() {
		for _, step := range []struct {
			err  error
			edit func(b *store.Batch)
		}{
			{corpus.ErrStale, func(b *store.Batch) { b.Changes = append(b.Changes, change(g.ID, "a", "exists")); b.Records = nil }},
			{corpus.ErrStale, func(b *store.Batch) { b.Records = []corpus.Document{record("a", 2)} }},
			{corpus.ErrStale, func(b *store.Batch) { b.Removed[0].Revision = 7 }},
			{corpus.ErrNotFound, func(b *store.Batch) { b.Changes = append(b.Changes, change(g.ID+100, "c", "text")) }},
			{corpus.ErrInvalid, func(b *store.Batch) { b.Source = &corpus.Source{Name: "no id"} }},
			{corpus.ErrInvalid, func(b *store.Batch) { b.Records[0].Path = "" }},
			{corpus.ErrInvalid, func(b *store.Batch) { b.Changes[0].Text = "\xff" }},
			{corpus.ErrInvalid, func(b *store.Batch) { b.Events = []store.Event{{}} }},
		} {
			b := good()
			step.edit(&b)
			done, err := l.w.Ingest(l.t.Context(), b)
			l.wants(err, step.err)
			if done != nil {
				l.t.Errorf("committed %+v beside the error %v", done, err)
			}
		}
	})
	_, err := l.w.Ingest(l.t.Context(), good())
	l.must(err)
}

// batchStrict: one passage without a vector keeps all documents out.
func batchStrict(l *library) {
	g := l.build()
	l.must(l.w.PutVectors(l.t.Context(), space, vectors(change(g.ID, "x", "known"))))
	l.unchanged(func() {
		_, err := l.w.Ingest(l.t.Context(), store.Batch{Changes: []store.Change{
			strict(change(g.ID, "a", "known")), strict(change(g.ID, "b", "known", "unknown")),
		}})
		l.wants(err, store.ErrMissingVectors)
	})
}

func batchEmpty(l *library) {
	l.unchanged(func() {
		done, err := l.w.Ingest(l.t.Context(), store.Batch{Removed: []store.Ref{{Document: corpus.NewID()}}})
		l.must(err)
		if len(done) != 0 {
			l.t.Errorf("committed %+v", done)
		}
		_, err = l.w.Ingest(l.t.Context(), store.Batch{})
		l.must(err)
	})
}

func batchTwice(l *library) {
	g := l.build()
	l.commit(change(g.ID, "a", "one"))
	c := from(1, change(g.ID, "a", "two"))
	d := c.Document
	d.Revision = 1
	l.unchanged(func() {
		for _, b := range []store.Batch{
			{Changes: []store.Change{c}, Records: []corpus.Document{d}},
			{Changes: []store.Change{c}, Removed: []store.Ref{{Document: d.ID}}},
			{Records: []corpus.Document{d}, Removed: []store.Ref{{Document: d.ID}}},
			{Removed: []store.Ref{{Document: d.ID}, {Document: d.ID}}},
		} {
			_, err := l.w.Ingest(l.t.Context(), b)
			l.wants(err, corpus.ErrInvalid)
		}
	})
}

// batchLabels: a filter sees changed labels at once, and the vector stays.
func batchLabels(l *library) {
	t := l.t
	g := l.build()
	l.commit(with(change(g.ID, "a", "one"), func(d *corpus.Document) { d.Metadata = corpus.Metadata{"group": "public"} }))
	l.embed()
	d := change(g.ID, "a").Document
	d.Revision, d.Metadata = 1, corpus.Metadata{"group": "private", "uri": "https://example.org/a"}
	_, err := l.w.Ingest(t.Context(), store.Batch{Records: []corpus.Document{d}})
	l.must(err)
	for group, want := range map[string]int{"public": 0, "private": 1} {
		found := l.search(store.Query{
			Vector: &store.Vector{Query: vector("one"), Limit: 5},
			Filter: store.Filter{{Field: "group", Op: store.Eq, Values: []any{group}}},
		})
		if len(found.Vector) != want {
			t.Errorf("%d passages of the group %q, want %d", len(found.Vector), group, want)
		}
	}
}

// batchReplaces: shorter text leaves nothing of the longer one.
func batchReplaces(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "one", "two", "three"))
	l.embed()
	_, err := l.w.Ingest(t.Context(), store.Batch{Changes: []store.Change{strict(from(1, change(g.ID, "a", "two")))}})
	l.must(err)
	info := l.info()
	if diff := cmp.Diff(map[string]int64{"documents": 1, "texts": 1, "chunks": 1, "terms": 1, "vectors": 1, "cached": 2}, info.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
