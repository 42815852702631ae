package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var removals = aspect{"Remove", map[string]func(l *library){
	"LeavesNothing":       removeDocument,
	"InEveryGeneration":   removeGenerations,
	"StaleChangesNothing": removeStale,
	"NothingIsNothing":    removeNothing,
	"Source":              removeSource,
	"SourcePurged":        removePurged,
}}

// none are the rows of a library without documents, without cached vectors.
var none = map[string]int64{"documents": 0, "texts": 0, "chunks": 0, "terms": 0, "vectors": 0, "cached": 0}

// removeDocument: a deleted document answers no more, by any leg (S01, S03).
func removeDocument(l *library) {
	t := l.t
	g := l.build()
	kept, gone := change(g.ID, "kept", "shared words", "kept words"), change(g.ID, "gone", "shared words", "gone words")
	gone.Document.Metadata = corpus.Metadata{"k": "v"}
	l.commit(kept, gone)
	l.embed()
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: gone.Document.ID, Revision: 1}))
	found := l.search(store.Query{
		Lexical: &store.Lexical{Terms: []store.Term{{Text: "words"}, {Text: "gone"}}, Budget: 100, Limit: 100},
		Vector:  &store.Vector{Query: vector("gone words"), Limit: 100},
	})
	if len(found.Lexical) != 2 || len(found.Vector) != 2 {
		t.Errorf("found %+v, want the two passages kept", found)
	}
	if diff := cmp.Diff(store.Stats{Chunks: 2, Length: 4, Frequency: []int{2, 0}}, found.Stats); diff != "" {
		t.Errorf("statistics (-want +got):\n%s", diff)
	}
	_, err := l.document(gone.Document.ID)
	l.wants(err, corpus.ErrNotFound)
	l.view(func(r store.Reader) {
		passages, err := r.Fetch(l.t.Context(), []corpus.ID{gone.Entries[0].Chunk.ID, gone.Entries[1].Chunk.ID, kept.Entries[0].Chunk.ID})
		if l.must(err); len(passages) != 1 || passages[0].Document.Path != "kept" {
			t.Errorf("fetched %+v", passages)
		}
		_, _, err = r.Text(l.t.Context(), 0, gone.Document.ID)
		l.wants(err, corpus.ErrNotFound)
	})
	want := map[string]int64{"documents": 1, "texts": 1, "chunks": 2, "terms": 2, "vectors": 2, "cached": 1}
	if diff := cmp.Diff(want, l.info().Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	l.commit(gone) // it may come back under its id
}

func removeGenerations(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "one"))
	next, err := l.w.Build(l.t.Context(), otherSpace, "analyzer/1")
	l.must(err)
	l.commit(from(1, change(next.ID, "a", "one", "two")))
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: corpus.DeriveID(source.ID, "a")}))
	if diff := cmp.Diff(none, l.info().Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func removeStale(l *library) {
	g := l.build()
	a, b := change(g.ID, "a", "one"), change(g.ID, "b", "two")
	l.commit(a, b)
	l.unchanged(func() {
		l.wants(l.w.Remove(l.t.Context(), store.Ref{Document: a.Document.ID}, store.Ref{Document: b.Document.ID, Revision: 2}), corpus.ErrStale)
	})
}

// removeNothing: a selection without anything in it, or of what there is not,
// never means everything (S04). In each method that deletes.
func removeNothing(l *library) {
	t := l.t
	other := l.twoSources()
	next, err := l.w.Build(t.Context(), otherSpace, "analyzer/1")
	l.must(err)
	l.commit(change(next.ID, "built", "one"))
	l.must(l.w.PutVectors(t.Context(), space, vectors(change(1, "x", "cached"))))
	before := l.info().Rows
	l.unchanged(func() {
		l.must(l.w.Remove(t.Context()))
		l.must(l.w.Remove(t.Context(), []store.Ref{}...))
		l.must(l.w.Remove(t.Context(), store.Ref{}))
		l.must(l.w.Remove(t.Context(), store.Ref{Document: corpus.NewID()}, store.Ref{Document: other.Document.Source}))
		for _, purge := range []bool{false, true} {
			l.must(l.w.RemoveSource(t.Context(), corpus.NoID, purge))
			l.must(l.w.RemoveSource(t.Context(), corpus.NewID(), purge))
			l.must(l.w.RemoveSource(t.Context(), other.Document.ID, purge))
		}
		_, err := l.w.Commit(t.Context())
		l.must(err)
		l.must(l.w.Record(t.Context()))
		l.must(l.w.Touch(t.Context(), nil))
		l.must(l.w.Distrust(t.Context(), nil))
		l.must(l.w.PutVectors(t.Context(), space, nil))
		if n, err := l.w.Sweep(t.Context(), epoch); err != nil || n != 0 {
			t.Errorf("swept %d rows of before all time, %v", n, err)
		}
	})
	if diff := cmp.Diff(before, l.info().Rows); diff != "" {
		t.Errorf("rows (-before +after):\n%s", diff)
	}
}

// twoSources commits a document of each of two sources, which share a passage,
// and returns the one that is not of "source".
func (l *library) twoSources() (other store.Change) {
	l.t.Helper()
	second := source
	second.ID = corpus.NewID()
	l.must(l.store.PutSource(l.t.Context(), source))
	l.must(l.store.PutSource(l.t.Context(), second))
	g := l.build()
	mine := change(g.ID, "a", "mine", "shared")
	other = change(g.ID, "b", "other", "shared")
	other.Document.Source = second.ID
	l.commit(mine, other)
	l.embed()
	return other
}

func removeSource(l *library) {
	t := l.t
	other := l.twoSources()
	l.must(l.w.RemoveSource(l.t.Context(), source.ID, false))
	if got := l.sources(); len(got) != 1 || got[0].ID != other.Document.Source {
		t.Errorf("sources %v", got)
	}
	want := map[string]int64{"documents": 1, "texts": 1, "chunks": 2, "terms": 2, "vectors": 2, "cached": 1}
	if diff := cmp.Diff(want, l.info().Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func removePurged(l *library) {
	t := l.t
	other := l.twoSources()
	l.must(l.w.PutVectors(l.t.Context(), space, vectors(change(1, "x", "elsewhere"))))
	l.must(l.w.RemoveSource(l.t.Context(), source.ID, true))
	want := map[string]int64{"documents": 1, "texts": 1, "chunks": 2, "terms": 2, "vectors": 2, "cached": 1}
	if diff := cmp.Diff(want, l.info().Rows); diff != "" {
		t.Errorf("rows after purging one source, whose shared passage another has (-want +got):\n%s", diff)
	}
	l.must(l.w.RemoveSource(l.t.Context(), other.Document.Source, true))
	if _, err := l.w.Sweep(l.t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(none, l.info().Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
