package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var embeddings = aspect{"Vectors", map[string]func(l *library){
	"AttachToWaiting":     vectorsAttach,
	"FoundByLaterCommits": vectorsCached,
	"PendingOrder":        vectorsPending,
	"PendingOf":           vectorsPendingOf,
	"HaveVectors":         vectorsHave,
	"Replaced":            vectorsReplaced,
	"KeptOverEdits":       vectorsKept,
	"KeywordOnly":         vectorsKeywordOnly,
	"SweepByAge":          vectorsSweep,
}}

func (l *library) pending(generation int64, limit int) (inputs []string) {
	l.t.Helper()
	l.view(func(r store.Reader) {
		list, err := r.Pending(l.t.Context(), generation, limit)
		l.must(err)
		for _, p := range list {
			if p.Hash.IsZero() || p.Document.IsZero() || p.Tokens == 0 {
				l.t.Errorf("incomplete %+v", p)
			}
			inputs = append(inputs, p.Input)
		}
	})
	return inputs
}

func vectorsAttach(l *library) {
	t := l.t
	g := l.build()
	a, b := change(g.ID, "a", "one", "two"), change(g.ID, "b", "two", "three")
	l.commit(a)
	l.commit(b)
	l.must(l.w.PutVectors(l.t.Context(), space, map[corpus.Hash][]float32{a.Entries[1].Chunk.Hash: vector("two")}))
	for _, c := range []store.Change{a, b} {
		if d, err := l.document(c.Document.ID); err != nil || d.Chunks != 2 || d.Embedded != 1 {
			t.Errorf("%s has %d of %d passages embedded (%v), want 1 of 2", c.Document.Path, d.Embedded, d.Chunks, err)
		}
	}
	if diff := cmp.Diff([]string{"three", "one"}, l.pending(0, 10)); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
	if got := len(l.search(store.Query{Vector: &store.Vector{Query: vector("x"), Limit: 10}}).Vector); got != 2 {
		t.Errorf("%d passages by vector, want 2", got)
	}
}

func vectorsCached(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "a", "one", "two")
	l.must(l.w.PutVectors(l.t.Context(), space, vectors(c)))
	if info := l.info(); info.Rows["cached"] != 2 || info.Rows["vectors"] != 0 {
		t.Errorf("rows %v, want 2 cached", info.Rows)
	}
	if done := l.commit(strict(c)); done[0].Missing != 0 || done[0].Added != 2 {
		t.Errorf("committed %+v, want nothing missing", done[0])
	}
	if info := l.info(); info.Rows["cached"] != 0 || info.Rows["vectors"] != 2 || info.Embedded != 2 {
		t.Errorf("rows %v, %d embedded, want 2 in use", info.Rows, info.Embedded)
	}
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: c.Document.ID}))
	if info := l.info(); info.Rows["cached"] != 2 || info.Rows["vectors"] != 0 {
		t.Errorf("rows %v, want 2 cached after removal", info.Rows)
	}
	if done := l.commit(strict(change(g.ID, "elsewhere", "two"))); done[0].Missing != 0 {
		t.Errorf("committed %+v, want nothing missing", done[0])
	}
}

func vectorsPending(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "a1", "a2"))
	l.commit(change(g.ID, "b", "b1", "shared"))
	l.commit(change(g.ID, "c", "c1", "shared", "c1", "c2"))
	l.commit(from(1, change(g.ID, "a", "a0", "a1", "a2")))
	all := []string{"a0", "a1", "a2", "c1", "shared", "c2", "b1"}
	for _, limit := range []int{0, 1, 4, 7, 100} {
		if diff := cmp.Diff(all[:min(limit, len(all))], append([]string{}, l.pending(g.ID, limit)...)); diff != "" {
			t.Errorf("pending, limit %d (-want +got):\n%s", limit, diff)
		}
	}
	l.embed()
	if got := l.pending(0, 10); len(got) != 0 {
		t.Errorf("pending after embedding: %v", got)
	}
}

func vectorsHave(l *library) {
	t := l.t
	g := l.build()
	used, cached, absent := change(g.ID, "a", "used"), change(g.ID, "b", "cached"), change(g.ID, "c", "absent")
	l.commit(used)
	l.must(l.w.PutVectors(l.t.Context(), space, vectors(used, cached)))
	hashes := []corpus.Hash{used.Entries[0].Chunk.Hash, cached.Entries[0].Chunk.Hash, absent.Entries[0].Chunk.Hash}
	other := space
	other.Format = "2"
	l.view(func(r store.Reader) {
		have, err := r.HaveVectors(l.t.Context(), space, hashes)
		l.must(err)
		if len(have) != 2 || !have[hashes[0]] || !have[hashes[1]] {
			t.Errorf("have vectors %v, want the first two of %v", have, hashes)
		}
		for _, s := range []corpus.Space{other, {}} {
			if have, err := r.HaveVectors(l.t.Context(), s, hashes); err != nil || len(have) != 0 {
				t.Errorf("space %q has vectors %v, %v", s, have, err)
			}
		}
	})
}

func vectorsReplaced(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "a", "one", "two")
	l.commit(c)
	l.embed()
	near := func(v []float32) float64 {
		return l.search(store.Query{Vector: &store.Vector{Query: v, Limit: 1}}).Vector[0].Score
	}
	if got := near(vector("one")); got < .999 {
		t.Errorf("score %f of the stored vector", got)
	}
	l.must(l.w.PutVectors(l.t.Context(), space, map[corpus.Hash][]float32{c.Entries[0].Chunk.Hash: vector("new")}))
	if got := near(vector("new")); got < .999 {
		t.Errorf("score %f of the new vector", got)
	}
	if got := near(vector("one")); got > .99 {
		t.Errorf("score %f of the old vector", got)
	}
	if info := l.info(); info.Rows["vectors"] != 2 || info.Embedded != 2 {
		t.Errorf("rows %v, %d embedded", info.Rows, info.Embedded)
	}
}

func vectorsKept(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "one", "two", "three"))
	l.embed()
	done := l.commit(strict(from(1, change(g.ID, "a", "three", "one"))))
	if done[0].Missing != 0 {
		t.Errorf("committed %+v, want nothing missing", done[0])
	}
	done = l.commit(strict(from(2, change(g.ID, "a", "two", "three")))) // "two" comes back from the cache
	if done[0].Missing != 0 || done[0].Added != 1 {
		t.Errorf("committed %+v, want 1 added and nothing missing", done[0])
	}
	if info := l.info(); info.Rows["vectors"] != 2 || info.Rows["cached"] != 1 {
		t.Errorf("rows %v, want 2 vectors and 1 cached", info.Rows)
	}
}

func vectorsKeywordOnly(l *library) {
	t := l.t
	g, err := l.w.Build(l.t.Context(), corpus.Space{}, "analyzer/1")
	l.must(err)
	if done := l.commit(strict(change(g.ID, "a", "one"))); done[0].Missing != 0 {
		t.Errorf("committed %+v, nothing is missing without a space", done[0])
	}
	if got := l.pending(0, 10); len(got) != 0 {
		t.Errorf("pending without a space: %v", got)
	}
	l.wants(l.w.PutVectors(l.t.Context(), corpus.Space{}, map[corpus.Hash][]float32{{1}: {}}), corpus.ErrInvalid)
	l.view(func(r store.Reader) {
		_, err := r.Search(l.t.Context(), store.Query{Vector: &store.Vector{Query: vector("x"), Limit: 1}})
		l.wants(err, corpus.ErrInvalid)
	})
	if got := l.search(store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: "one"}}, Budget: 1, Limit: 1}}); len(got.Lexical) != 1 {
		t.Errorf("%d keyword candidates, want 1", len(got.Lexical))
	}
}

func vectorsSweep(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "a", "used")
	l.commit(c)
	l.must(l.w.PutVectors(l.t.Context(), space, vectors(c, change(g.ID, "b", "cached"))))
	for _, step := range []struct {
		before time.Time
		want   int64
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 1}, {time.Now().Add(time.Hour), 0}} {
		if got, err := l.w.Sweep(l.t.Context(), step.before); err != nil || got != step.want {
			t.Errorf("swept %d (%v), want %d", got, err, step.want)
		}
	}
	if info := l.info(); info.Rows["cached"] != 0 || info.Rows["vectors"] != 1 || info.Embedded != 1 {
		t.Errorf("rows %v, %d embedded", info.Rows, info.Embedded)
	}
}
