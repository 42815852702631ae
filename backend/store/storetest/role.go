package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var roles = aspect{"Role", map[string]func(l *library){
	"OneHolder":       roleExclusive,
	"ReleasedIsLost":  roleReleased,
	"Lost":            roleLost,
	"CloseReleases":   roleClose,
	"ManyGoroutines":  roleConcurrent,
	"OneOfManyGetsIt": roleRace,
}}

// names fails unless both openings of the library name the holder.
func (l *library) names(want string) {
	l.t.Helper()
	for _, s := range []store.Store{l.store, l.open()} {
		got, err := s.Holder(l.t.Context())
		l.must(err)
		if !strings.Contains(got, want) || want == "" && got != "" {
			l.t.Errorf("the role is held by %q, want %q", got, want)
		}
	}
}

func roleExclusive(l *library) {
	t := l.t
	l.names(t.Name())
	for _, s := range []store.Store{l.store, l.open()} {
		w, err := s.Acquire(l.t.Context(), "somebody else")
		l.wants(err, corpus.ErrBusy)
		if w != nil {
			t.Error("a writer beside an error")
		}
		if !strings.Contains(err.Error(), t.Name()) {
			t.Errorf("error %q does not name the holder %q", err, t.Name())
		}
	}
	l.must(l.w.Release())
	l.must(l.w.Release())
	l.names("")
	w, err := l.open().Acquire(l.t.Context(), "somebody else")
	l.must(err)
	l.names("somebody else")
	_, err = l.store.Acquire(l.t.Context(), "again")
	l.wants(err, corpus.ErrBusy)
	if !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("error %q does not name the holder", err)
	}
	l.must(w.Release())
}

// refuses fails if any of the writer's methods changes something.
func (l *library) refuses(g store.Generation, w store.Writer) {
	l.t.Helper()
	d := change(g.ID, "a").Document
	d.Revision = 1
	for name, call := range map[string]func() error{
		"Build":  func() error { _, err := w.Build(l.t.Context(), otherSpace, "analyzer/2"); return err },
		"Switch": func() error { return w.Switch(l.t.Context(), g.ID) },
		"Commit": func() error { _, err := w.Commit(l.t.Context(), from(1, change(g.ID, "a", "late"))); return err },
		"Ingest": func() error {
			_, err := w.Ingest(l.t.Context(), store.Batch{Records: []corpus.Document{d}})
			return err
		},
		"Record":       func() error { return w.Record(l.t.Context(), d) },
		"Touch":        func() error { return w.Touch(l.t.Context(), map[corpus.ID]corpus.Fingerprint{d.ID: {Size: 9}}) },
		"Remove":       func() error { return w.Remove(l.t.Context(), store.Ref{Document: d.ID}) },
		"RemoveSource": func() error { return w.RemoveSource(l.t.Context(), source.ID, true) },
		"PutVectors":   func() error { return w.PutVectors(l.t.Context(), space, vectors(change(g.ID, "a", "late"))) },
		"Sweep":        func() error { _, err := w.Sweep(l.t.Context(), time.Now().Add(time.Hour)); return err },
		"PutRun":       func() error { return w.PutRun(l.t.Context(), store.Run{ID: "late"}) },
	} {
		if err := call(); !errors.Is(err, corpus.ErrBusy) {
			l.t.Errorf("%s without the role: %v, want an error wrapping %q", name, err, corpus.ErrBusy)
		}
	}
}

func roleReleased(l *library) {
	g := l.build()
	l.commit(change(g.ID, "a", "one"))
	l.must(l.w.Release())
	l.unchanged(func() { l.refuses(g, l.w) })
	w, err := l.store.Acquire(l.t.Context(), "again")
	l.must(err)
	_, err = w.Commit(l.t.Context(), from(1, change(g.ID, "a", "two")))
	l.must(err)
	l.unchanged(func() { l.refuses(g, l.w) }) // the old writer stays without
	l.must(w.Release())
}

// roleLost: the role was taken away, and somebody else has it now.
func roleLost(l *library) {
	g := l.build()
	l.commit(change(g.ID, "a", "one"))
	l.db.Lose(l.t, l.tenant)
	l.unchanged(func() { l.refuses(g, l.w) })
	w, err := l.open().Acquire(l.t.Context(), "the next")
	l.must(err)
	l.unchanged(func() { l.refuses(g, l.w) })
	l.must(l.w.Release())
	_, err = w.Commit(l.t.Context(), from(1, change(g.ID, "a", "two"))) // still has it after the other's release
	l.must(err)
}

func roleClose(l *library) {
	l.must(l.w.Release())
	s := l.open()
	w, err := s.Acquire(l.t.Context(), "first")
	l.must(err)
	l.must(s.Close())
	l.must(w.Release())
	next, err := l.store.Acquire(l.t.Context(), "second")
	l.must(err)
	l.must(next.Release())
}

// roleConcurrent: a writer's methods may be called from several goroutines.
func roleConcurrent(l *library) {
	t := l.t
	g := l.build()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			path := strconv.Itoa(i)
			for revision := range int64(5) {
				c := from(revision, change(g.ID, path, fmt.Sprintf("word %d", revision), "shared word"))
				if _, err := l.w.Commit(l.t.Context(), c); err != nil {
					t.Errorf("commit: %v", err)
					return
				}
				if err := l.w.PutVectors(l.t.Context(), space, vectors(c)); err != nil {
					t.Errorf("put vectors: %v", err)
					return
				}
			}
		})
	}
	group.Wait()
	if info := l.info(); info.Documents != 8 || info.Chunks != 16 || info.Embedded != 16 || info.Rows["vectors"] != 2 {
		t.Errorf("info %+v", info)
	}
}

func roleRace(l *library) {
	t := l.t
	l.must(l.w.Release())
	var group sync.WaitGroup
	var mu sync.Mutex
	var held []store.Writer
	for range 4 {
		s := l.open()
		group.Go(func() {
			w, err := s.Acquire(l.t.Context(), "racing")
			if err != nil {
				if !errors.Is(err, corpus.ErrBusy) {
					t.Errorf("acquire: %v", err)
				}
				return
			}
			mu.Lock()
			defer mu.Unlock()
			held = append(held, w)
		})
	}
	group.Wait()
	if len(held) != 1 {
		t.Fatalf("%d of 4 got the role, want 1", len(held))
	}
	l.must(held[0].Release())
}
