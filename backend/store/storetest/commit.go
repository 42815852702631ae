package storetest

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var commits = aspect{"Commit", map[string]func(l *library){
	"RoundTrip":            commitRoundTrip,
	"Counts":               commitCounts,
	"IndexOnlyIsKept":      commitIndexOnly,
	"Emptied":              commitEmptied,
	"StaleChangesNothing":  commitStale,
	"AllOrNone":            commitAllOrNone,
	"NoneIsANoOp":          commitNone,
	"RepeatedPassages":     commitRepeated,
	"OtherTermsSameText":   commitReindexed,
	"EditsEqualFreshBuild": commitEdits,
	"UnknownGeneration":    commitUnknownGeneration,
	"Large":                commitLarge,
}}

func commitRoundTrip(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "notes/año 1#%.md", "Grüße aus 東京 🗼", "second")
	chunk := &c.Entries[0].Chunk
	chunk.Title, chunk.Breadcrumb, chunk.Header = "The \"title\"", []string{"A", "B > C"}, "| a | b |\n"
	chunk.Location.Anchor = corpus.Anchor{Page: 3, PageEnd: 4, Boxes: []corpus.Box{{X0: .1, Y0: 2.25, X1: 300.125, Y1: 4}}, Sheet: "S", RowStart: 1, RowEnd: 9, Slide: 2}
	chunks := []corpus.Chunk{c.Entries[0].Chunk, c.Entries[1].Chunk}
	corpus.Identify(c.Document.ID, chunks)
	c.Entries[0].Chunk, c.Entries[1].Chunk = chunks[0], chunks[1]
	c.Document.Metadata = corpus.Metadata{"author": "Ada", "year": 1843.5, "draft": true, "tags": []string{"b", "a"}, "none": []string{}}
	c.Document.Report = corpus.Report{Encoding: "latin1", Pages: 2, NoTextPages: []int{2}, Garble: .25, Notes: []string{"cut"}}
	done := l.commit(c)
	if diff := cmp.Diff([]store.Committed{{Document: c.Document.ID, Revision: 1, Added: 2, Missing: 2}}, done); diff != "" {
		t.Errorf("committed (-want +got):\n%s", diff)
	}
	want := c.Document
	want.Revision, want.Chunks = 1, 2
	l.view(func(r store.Reader) {
		got, err := r.Document(l.t.Context(), want.ID)
		l.must(err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("document (-want +got):\n%s", diff)
		}
		text, revision, err := r.Text(l.t.Context(), 0, want.ID)
		if l.must(err); text != c.Text || revision != 1 {
			t.Errorf("text %q of revision %d", text, revision)
		}
		list, err := r.Chunks(l.t.Context(), 0, want.ID)
		l.must(err)
		if diff := cmp.Diff(chunks, list, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("chunks (-want +got):\n%s", diff)
		}
		passages, err := r.Fetch(l.t.Context(), []corpus.ID{chunks[1].ID, corpus.NewID(), chunks[0].ID, chunks[1].ID})
		l.must(err)
		wantPassages := []store.Passage{{Chunk: chunks[1], Document: want, Revision: 1}, {Chunk: chunks[0], Document: want, Revision: 1}, {Chunk: chunks[1], Document: want, Revision: 1}}
		if diff := cmp.Diff(wantPassages, passages, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("passages in the caller's order (-want +got):\n%s", diff)
		}
		recipes, err := r.Recipes(l.t.Context(), 0)
		l.must(err)
		if diff := cmp.Diff(map[corpus.ID]store.Made{want.ID: {Revision: 1, Recipe: "recipe/1", Chunks: 2}}, recipes); diff != "" {
			t.Errorf("recipes (-want +got):\n%s", diff)
		}
	})
}

func commitCounts(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "one", "two", "three"))
	l.embed()
	// "zero" is new, "one" and "two" move, "three" goes.
	done := l.commit(from(1, change(g.ID, "a", "zero", "one", "two")))
	want := store.Committed{Document: corpus.DeriveID(source.ID, "a"), Revision: 2, Added: 1, Relocated: 2, Removed: 1, Missing: 1}
	if diff := cmp.Diff([]store.Committed{want}, done); diff != "" {
		t.Errorf("committed (-want +got):\n%s", diff)
	}
	done = l.commit(from(2, change(g.ID, "a", "zero", "one", "four")))
	want = store.Committed{Document: want.Document, Revision: 3, Added: 1, Kept: 2, Removed: 1, Missing: 2}
	if diff := cmp.Diff([]store.Committed{want}, done); diff != "" {
		t.Errorf("committed (-want +got):\n%s", diff)
	}
	chunks := l.chunks(want.Document)
	if diff := cmp.Diff([]string{"zero", "one", "four"}, contents(chunks)); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	for i, c := range chunks {
		if c.Index != i || c.Location.LineStart != i+1 {
			t.Errorf("passage %q has index %d and line %d, want %d and %d", c.Content, c.Index, c.Location.LineStart, i, i+1)
		}
	}
	if d, err := l.document(want.Document); err != nil || d.Chunks != 3 || d.Embedded != 1 {
		t.Errorf("document has %d passages, %d embedded (%v), want 3 and 1", d.Chunks, d.Embedded, err)
	}
}

func commitIndexOnly(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "a", "one", "two")
	l.commit(c)
	c.From = 1
	last := c.Entries[1]
	last.Chunk.Index = 0
	c.Entries = []store.Entry{last}
	if done := l.commit(c); done[0].Kept != 1 || done[0].Relocated != 0 || done[0].Removed != 1 {
		t.Errorf("committed %+v, want 1 kept and 1 removed", done[0])
	}
	if chunks := l.chunks(c.Document.ID); len(chunks) != 1 || chunks[0].Index != 0 {
		t.Errorf("passages %v, want one with index 0", chunks)
	}
}

func commitEmptied(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "one", "two"))
	l.embed()
	done := l.commit(strict(from(1, change(g.ID, "a"))))
	if done[0].Removed != 2 || done[0].Missing != 0 {
		t.Errorf("committed %+v, want 2 removed", done[0])
	}
	info := l.info()
	want := map[string]int64{"documents": 1, "texts": 1, "chunks": 0, "terms": 0, "vectors": 0, "cached": 2}
	if diff := cmp.Diff(want, info.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if c := l.search(store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: "one"}}, Budget: 10, Limit: 10}}); len(c.Lexical) != 0 || c.Stats.Chunks != 0 || c.Stats.Length != 0 {
		t.Errorf("an emptied document is found: %+v", c)
	}
}

func commitStale(l *library) {
	g := l.build()
	l.commit(change(g.ID, "a", "one"))
	l.commit(from(1, change(g.ID, "a", "two")))
	l.unchanged(func() {
		for _, revision := range []int64{0, 1, 3} {
			_, err := l.w.Commit(l.t.Context(), from(revision, change(g.ID, "a", "three")))
			l.wants(err, corpus.ErrStale)
		}
		_, err := l.w.Commit(l.t.Context(), from(1, change(g.ID, "new", "three")))
		l.wants(err, corpus.ErrStale)
	})
}

func commitAllOrNone(l *library) {
	g := l.build()
	l.commit(change(g.ID, "a", "one"), change(g.ID, "b", "two"))
	l.embed()
	l.unchanged(func() {
		_, err := l.w.Commit(l.t.Context(), from(1, change(g.ID, "a", "new")), change(g.ID, "c", "new"), from(7, change(g.ID, "b", "new")))
		l.wants(err, corpus.ErrStale)
		_, err = l.w.Commit(l.t.Context(), from(1, change(g.ID, "a", "new")), strict(change(g.ID, "c", "one", "unknown")))
		l.wants(err, corpus.ErrUnavailable)
		_, err = l.w.Commit(l.t.Context(), change(g.ID, "c", "new"), change(g.ID+99, "d", "new"))
		l.wants(err, corpus.ErrNotFound)
	})
	l.commit(strict(change(g.ID, "c", "one", "two")))
}

func commitNone(l *library) {
	g := l.build()
	l.commit(change(g.ID, "a", "one"))
	l.unchanged(func() {
		_, err := l.w.Commit(l.t.Context())
		l.must(err)
		l.must(l.w.Record(l.t.Context()))
		l.must(l.w.Touch(l.t.Context(), nil))
		l.must(l.w.Remove(l.t.Context()))
		l.must(l.w.PutVectors(l.t.Context(), space, nil))
		l.must(l.w.RemoveSource(l.t.Context(), corpus.NewID(), true))
		l.must(l.w.Remove(l.t.Context(), store.Ref{Document: corpus.NewID()}))
		l.must(l.w.Touch(l.t.Context(), map[corpus.ID]corpus.Fingerprint{corpus.NewID(): {Size: 1}}))
		l.view(func(r store.Reader) {
			if passages, err := r.Fetch(l.t.Context(), nil); err != nil || len(passages) != 0 {
				l.t.Errorf("fetching nothing gives %v, %v", passages, err)
			}
			if have, err := r.HaveVectors(l.t.Context(), space, nil); err != nil || len(have) != 0 {
				l.t.Errorf("no hashes have vectors %v, %v", have, err)
			}
		})
	})
}

// commitRepeated: equal passages, in one document and in two, share a vector
// and keep their places (S10, S32).
func commitRepeated(l *library) {
	t := l.t
	g := l.build()
	a, b := change(g.ID, "a", "same", "other", "same"), change(g.ID, "b", "same")
	l.commit(a, b)
	l.must(l.w.PutVectors(l.t.Context(), space, vectors(b)))
	info := l.info()
	if info.Embedded != 3 || info.Rows["vectors"] != 1 {
		t.Errorf("%d passages share %d vectors, want 3 and 1", info.Embedded, info.Rows["vectors"])
	}
	hits := l.search(store.Query{Vector: &store.Vector{Query: vector("same"), Limit: 10}}).Vector
	want := []corpus.ID{a.Entries[0].Chunk.ID, a.Entries[2].Chunk.ID, b.Entries[0].Chunk.ID}
	slices.SortFunc(want, func(x, y corpus.ID) int { return slices.Compare(x[:], y[:]) })
	var got []corpus.ID
	for _, h := range hits {
		got = append(got, h.Chunk)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("passages of the vector, ties by id (-want +got):\n%s", diff)
	}
	var lines []int
	for _, c := range l.chunks(a.Document.ID) {
		lines = append(lines, c.Location.LineStart)
	}
	if !slices.Equal(lines, []int{1, 2, 3}) {
		t.Errorf("lines of the passages %v, want 1 2 3", lines)
	}
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: a.Document.ID}))
	if info := l.info(); info.Chunks != 1 || info.Embedded != 1 || info.Rows["vectors"] != 1 {
		t.Errorf("after removing one of two: %+v", info)
	}
	if c := l.chunks(b.Document.ID); len(c) != 1 || c[0].Content != "same" {
		t.Errorf("the other document has %v", c)
	}
}

// commitReindexed: the terms of a passage may change without its text, when
// the document's language does.
func commitReindexed(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "a", "running shoes")
	l.commit(c)
	l.embed()
	c.From = 1
	c.Entries[0].Parts = []string{"run", "schuh"}
	c.Entries[0].Terms = []byte("German")
	c.Entries[0].Length = 5
	if done := l.commit(c); done[0].Kept != 1 || done[0].Added != 0 || done[0].Missing != 0 {
		t.Errorf("committed %+v, want 1 kept", done[0])
	}
	found := l.search(store.Query{
		Lexical: &store.Lexical{Terms: []store.Term{{Text: "schuh", Part: true}, {Text: "sho", Part: true}}, Budget: 10, Limit: 10},
		Vector:  &store.Vector{Query: vector("running shoes"), Limit: 10},
	})
	want := []store.LexicalHit{{Chunk: c.Entries[0].Chunk.ID, Terms: []byte("German"), Length: 5}}
	if diff := cmp.Diff(want, found.Lexical); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(store.Stats{Chunks: 1, Length: 5, Frequency: []int{1, 0}}, found.Stats); diff != "" {
		t.Errorf("statistics (-want +got):\n%s", diff)
	}
	if len(found.Vector) != 1 {
		t.Errorf("%d passages by vector, want 1", len(found.Vector))
	}
}

// commitEdits: after many edits nothing is left of what was before (S05, S34).
func commitEdits(l *library) {
	t := l.t
	g := l.build()
	texts := [][]string{{"a b c", "d e"}, {"d e", "a b c", "f"}, {}, {"f", "f", "g h"}, {"a b c", "g h", "i"}}
	for round := range int64(20) {
		l.commit(from(round, change(g.ID, "x", texts[round%5]...)), from(round, change(g.ID, "y", texts[(round*3+1)%5]...)))
		l.embed()
	}
	fresh := newLibrary(t, l.db, corpus.NewID())
	fg := fresh.build()
	fresh.commit(change(fg.ID, "x", texts[19%5]...), change(fg.ID, "y", texts[(19*3+1)%5]...))
	fresh.embed()
	if diff := cmp.Diff(fresh.dump(), l.dump()); diff != "" {
		t.Errorf("differs from a fresh build (-fresh +edited):\n%s", diff)
	}
	deleted, err := l.w.Sweep(l.t.Context(), epoch.AddDate(100, 0, 0))
	if l.must(err); deleted == 0 {
		t.Error("nothing cached after twenty edits")
	}
	if diff := cmp.Diff(fresh.info().Rows, l.info().Rows); diff != "" {
		t.Errorf("rows differ from a fresh build (-fresh +edited):\n%s", diff)
	}
}

func commitUnknownGeneration(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "one"))
	l.wants(l.w.Switch(l.t.Context(), g.ID+1), corpus.ErrNotFound)
	l.view(func(r store.Reader) {
		if chunks, err := r.Chunks(l.t.Context(), g.ID+1, corpus.DeriveID(source.ID, "a")); err != nil || len(chunks) != 0 {
			t.Errorf("unknown generation has passages %v, %v", chunks, err)
		}
		if c, err := r.Search(l.t.Context(), store.Query{Generation: g.ID + 1, Lexical: &store.Lexical{Terms: []store.Term{{Text: "one"}}, Budget: 1, Limit: 1}}); err != nil || len(c.Lexical) != 0 {
			t.Errorf("unknown generation finds %v, %v", c, err)
		}
		_, _, err := r.Text(l.t.Context(), g.ID+1, corpus.DeriveID(source.ID, "a"))
		l.wants(err, corpus.ErrNotFound)
		_, err = r.Document(l.t.Context(), corpus.NewID())
		l.wants(err, corpus.ErrNotFound)
	})
}

// commitLarge: a document of many passages, so that stores with batches or
// parameter limits cross them.
func commitLarge(l *library) {
	t := l.t
	g := l.build()
	paragraphs := make([]string, 3000)
	for i := range paragraphs {
		paragraphs[i] = "common word" + number(i)
	}
	l.commit(change(g.ID, "large", paragraphs...))
	l.embed()
	if info := l.info(); info.Chunks != 3000 || info.Embedded != 3000 {
		t.Fatalf("%d passages, %d embedded, want 3000", info.Chunks, info.Embedded)
	}
	paragraphs = slices.Insert(paragraphs, 1, "inserted")
	if done := l.commit(from(1, change(g.ID, "large", paragraphs...))); done[0].Added != 1 || done[0].Kept != 1 || done[0].Relocated != 2999 || done[0].Missing != 1 {
		t.Errorf("committed %+v", done[0])
	}
	if diff := cmp.Diff(paragraphs, contents(l.chunks(corpus.DeriveID(source.ID, "large")))); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: corpus.DeriveID(source.ID, "large")}))
	if info := l.info(); info.Rows["chunks"] != 0 || info.Rows["terms"] != 0 || info.Rows["vectors"] != 0 {
		t.Errorf("rows after removal: %v", info.Rows)
	}
}

// number spells i so that no two numbers share a prefix of three letters more
// often than needed.
func number(i int) string {
	b := []byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676%26)}
	return string(b)
}
