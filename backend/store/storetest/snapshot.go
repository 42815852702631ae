package storetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var snapshots = aspect{"Snapshot", map[string]func(l *library){
	"SeesOneRevision":       snapshotStable,
	"OtherProcessCatchesUp": snapshotOtherProcess,
	"VectorsOfItsRevision":  snapshotVectors,
	"ConcurrentReaders":     snapshotConcurrent,
	"CanceledWrite":         snapshotCanceled,
	"ErrorsPassThrough":     snapshotError,
	"Closed":                snapshotClosed,
}}

var everything = store.Query{
	Lexical: &store.Lexical{Terms: []store.Term{{Text: "word"}}, Budget: 1000, Limit: 1000},
	Vector:  &store.Vector{Query: vector("query"), Limit: 1000},
}

// snapshotStable: a reader that is open while others write sees nothing of it.
func snapshotStable(l *library) {
	t := l.t
	g := l.build()
	l.must(l.store.PutSource(l.t.Context(), source))
	l.commit(change(g.ID, "a", "word one", "word two"), change(g.ID, "b", "word three"))
	l.embed()
	l.must(l.store.View(l.t.Context(), func(r store.Reader) error {
		shown := func() string {
			var b strings.Builder
			l.must(dump(l.t.Context(), r, &b))
			c, err := r.Search(l.t.Context(), everything)
			l.must(err)
			return b.String() + fmt.Sprint(c)
		}
		before := shown()
		l.commit(from(1, change(g.ID, "a", "word one", "word new")), change(g.ID, "c", "word more"))
		l.must(l.w.Remove(l.t.Context(), store.Ref{Document: corpus.DeriveID(source.ID, "b")}))
		l.embed()
		l.must(l.w.RemoveSource(l.t.Context(), corpus.NewID(), true))
		if after := shown(); after != before {
			t.Errorf("snapshot changed:\n%s\nwas:\n%s", after, before)
		}
		next, err := l.w.Build(l.t.Context(), otherSpace, "analyzer/1")
		l.must(err)
		l.must(l.w.Switch(l.t.Context(), next.ID))
		if after := shown(); after != before {
			t.Errorf("snapshot changed by the switch:\n%s\nwas:\n%s", after, before)
		}
		return nil
	}))
}

// snapshotOtherProcess: who opened the library before sees what was committed
// since, without reopening (S17).
func snapshotOtherProcess(l *library) {
	t := l.t
	other := l.open()
	search := func() (got store.Candidates) {
		l.must(other.View(l.t.Context(), func(r store.Reader) (err error) {
			got, err = r.Search(l.t.Context(), everything)
			return err
		}))
		return got
	}
	g := l.build()
	for i := range 12 {
		path := strconv.Itoa(i % 4)
		revision := int64(i / 4)
		switch {
		case i == 9:
			l.must(l.w.Remove(l.t.Context(), store.Ref{Document: corpus.DeriveID(source.ID, path)}))
		case i < 9:
			l.commit(from(revision, change(g.ID, path, fmt.Sprintf("word %d", i), fmt.Sprintf("word %d", i%3), "word")))
		default:
			continue
		}
		if i%2 == 1 {
			l.embed()
		}
		if diff := cmp.Diff(l.search(everything), search()); diff != "" {
			t.Fatalf("after step %d the other process sees (-here +there):\n%s", i, diff)
		}
	}
	next, err := l.w.Build(t.Context(), otherSpace, "analyzer/1")
	l.must(err)
	made := change(next.ID, "made anew", "word of the next generation")
	l.commit(made)
	l.must(l.w.Switch(t.Context(), next.ID))
	l.must(other.View(t.Context(), func(r store.Reader) error {
		found, err := r.Search(t.Context(), store.Query{Lexical: everything.Lexical})
		l.must(err)
		if found.Stats.Chunks != 1 || len(found.Lexical) != 1 || found.Lexical[0].Chunk != made.Entries[0].Chunk.ID {
			t.Errorf("after the switch the other process sees %+v", found)
		}
		return nil
	}))
}

// snapshotVectors: one process, two snapshots at once, each with its own vectors.
func snapshotVectors(l *library) {
	t := l.t
	g := l.build()
	c := change(g.ID, "a", "word one", "word two")
	l.commit(c)
	l.embed()
	ask := func(r store.Reader, query string) store.VectorHit {
		found, err := r.Search(l.t.Context(), store.Query{Vector: &store.Vector{Query: vector(query), Limit: 1}})
		l.must(err)
		if len(found.Vector) != 1 {
			t.Fatalf("%d hits, want 1", len(found.Vector))
		}
		return found.Vector[0]
	}
	l.must(l.store.View(l.t.Context(), func(old store.Reader) error {
		if _, err := old.Info(l.t.Context()); err != nil { // the snapshot begins
			return err
		}
		l.must(l.w.PutVectors(l.t.Context(), space, map[corpus.Hash][]float32{c.Entries[0].Chunk.Hash: vector("other")}))
		l.commit(from(1, change(g.ID, "a", "word one")))
		return l.store.View(l.t.Context(), func(young store.Reader) error {
			for range 2 { // each after the other has searched
				if h := ask(young, "other"); h.Score < .999 || h.Chunk != c.Entries[0].Chunk.ID {
					t.Errorf("the young snapshot finds %+v", h)
				}
				if h := ask(old, "word one"); h.Score < .999 || h.Chunk != c.Entries[0].Chunk.ID {
					t.Errorf("the old snapshot finds %+v", h)
				}
				if h := ask(old, "word two"); h.Score < .999 || h.Chunk != c.Entries[1].Chunk.ID {
					t.Errorf("the old snapshot finds %+v", h)
				}
				if h := ask(young, "word two"); h.Score > .99 {
					t.Errorf("the young snapshot finds the removed passage: %+v", h)
				}
			}
			return nil
		})
	}))
}

// snapshotConcurrent: readers in a loop, here and in another process, never
// see an empty or mixed document (E1, S89, S92).
func snapshotConcurrent(l *library) {
	t := l.t
	g := l.build()
	texts := func(i int64) []string {
		return []string{fmt.Sprintf("word version %d", i), fmt.Sprintf("more of version %d", i), "constant word"}
	}
	first := change(g.ID, "a", texts(0)...)
	l.commit(first)
	l.embed()
	const rounds = 30
	ctx, stop := context.WithCancel(l.t.Context())
	var readers sync.WaitGroup
	for i, s := range []store.Store{l.store, l.store, l.open()} {
		readers.Go(func() {
			for ctx.Err() == nil {
				err := s.View(ctx, func(r store.Reader) error { return checkVersion(ctx, r, first.Document.ID) })
				if err != nil && ctx.Err() == nil {
					t.Errorf("reader %d: %v", i, err)
					return
				}
			}
		})
	}
	for i := int64(1); i <= rounds; i++ {
		c := from(i, change(g.ID, "a", texts(i)...))
		l.must(l.w.PutVectors(l.t.Context(), space, vectors(c)))
		l.commit(strict(c))
	}
	stop()
	readers.Wait()
}

// checkVersion fails if what a snapshot shows is not of one version.
func checkVersion(ctx context.Context, r store.Reader, document corpus.ID) error {
	text, revision, err := r.Text(ctx, 0, document)
	if err != nil {
		return err
	}
	want := fmt.Sprintf("word version %d\n\nmore of version %[1]d\n\nconstant word", revision-1)
	if text != want {
		return fmt.Errorf("revision %d has the text %q", revision, text)
	}
	chunks, err := r.Chunks(ctx, 0, document)
	if err != nil {
		return err
	}
	if got := strings.Join(contents(chunks), "\n\n"); got != want {
		return fmt.Errorf("revision %d has the passages %q", revision, got)
	}
	found, err := r.Search(ctx, everything)
	if err != nil {
		return err
	}
	if len(found.Lexical) != 2 || len(found.Vector) != 3 || found.Stats.Chunks != 3 {
		return fmt.Errorf("revision %d: %d passages by keyword, %d by vector", revision, len(found.Lexical), len(found.Vector))
	}
	var ids []corpus.ID
	for _, h := range found.Vector {
		ids = append(ids, h.Chunk)
	}
	passages, err := r.Fetch(ctx, ids)
	if err != nil {
		return err
	}
	for _, p := range passages {
		if p.Revision != revision || !strings.Contains(want, p.Content) {
			return fmt.Errorf("revision %d: found passage %q of revision %d", revision, p.Content, p.Revision)
		}
	}
	if len(passages) != 3 {
		return fmt.Errorf("revision %d: %d of 3 passages found can be fetched", revision, len(passages))
	}
	return nil
}

func snapshotCanceled(l *library) {
	t := l.t
	g := l.build()
	l.commit(change(g.ID, "a", "one"))
	ctx, cancel := context.WithCancel(l.t.Context())
	cancel()
	l.unchanged(func() {
		_, err := l.w.Commit(ctx, from(1, change(g.ID, "a", "two")))
		l.wants(err, context.Canceled)
		l.wants(l.w.Remove(ctx, store.Ref{Document: corpus.DeriveID(source.ID, "a")}), context.Canceled)
		l.wants(l.store.View(ctx, func(r store.Reader) error {
			_, err := r.Info(ctx)
			return err
		}), context.Canceled)
	})
	l.commit(from(1, change(g.ID, "a", "two"))) // the connections are still good
	if got := contents(l.chunks(corpus.DeriveID(source.ID, "a"))); len(got) != 1 || got[0] != "two" {
		t.Errorf("passages %q", got)
	}
}

func snapshotError(l *library) {
	mine := errors.New("mine")
	l.wants(l.store.View(l.t.Context(), func(store.Reader) error { return mine }), mine)
}

func snapshotClosed(l *library) {
	t := l.t
	s := l.open()
	l.must(s.Close())
	l.must(s.Close())
	if err := s.View(l.t.Context(), func(store.Reader) error { return nil }); err == nil {
		t.Error("a closed store has a view")
	}
	if _, err := s.Acquire(l.t.Context(), "closed"); err == nil {
		t.Error("a closed store gives the writer role")
	}
	if err := s.PutSource(l.t.Context(), source); err == nil {
		t.Error("a closed store takes a source")
	}
}
