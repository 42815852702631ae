package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var sources = aspect{"Sources", map[string]func(l *library){
	"RoundTrip":       sourceRoundTrip,
	"ReplacedById":    sourceReplaced,
	"NeedNoRole":      sourceWithoutRole,
	"WithoutIdFail":   sourceInvalid,
	"Changed":         sourceChanged,
	"ChangedTogether": sourceChangedTogether,
	"RunsNewestFirst": runs,
	"Requests":        requests,
}}

func (l *library) sources() (list []corpus.Source) {
	l.t.Helper()
	l.view(func(r store.Reader) {
		var err error
		list, err = r.Sources(l.t.Context())
		l.must(err)
	})
	return list
}

func sourceRoundTrip(l *library) {
	t := l.t
	first := source
	first.Include, first.Exclude = []string{"**/*.md"}, []string{"tmp"}
	first.Paused, first.FoldCase, first.Mark = true, true, "42:7"
	second := source
	second.ID, second.Kind, second.Root, second.CreatedAt = corpus.NewID(), corpus.SourceURL, "https://example.org/", epoch.Add(-time.Hour)
	l.must(l.store.PutSource(l.t.Context(), first))
	l.must(l.store.PutSource(l.t.Context(), second))
	if diff := cmp.Diff([]corpus.Source{second, first}, l.sources()); diff != "" {
		t.Errorf("sources by time of creation (-want +got):\n%s", diff)
	}
}

func sourceReplaced(l *library) {
	t := l.t
	l.must(l.store.PutSource(l.t.Context(), source))
	renamed := source
	renamed.Name, renamed.Policy = "Letters", corpus.PolicyAuto
	l.must(l.store.PutSource(l.t.Context(), renamed))
	if diff := cmp.Diff([]corpus.Source{renamed}, l.sources()); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func sourceWithoutRole(l *library) {
	t := l.t
	other := l.open()
	l.must(other.PutSource(l.t.Context(), source)) // l.w holds the role meanwhile
	if got := l.sources(); len(got) != 1 {
		t.Errorf("%d sources, want 1", len(got))
	}
}

func sourceInvalid(l *library) {
	l.wants(l.store.PutSource(l.t.Context(), corpus.Source{Name: "no id"}), corpus.ErrInvalid)
}

func sourceChanged(l *library) {
	l.must(l.store.PutSource(l.t.Context(), source))
	l.wants(l.store.ChangeSource(l.t.Context(), corpus.NewID(), func(*corpus.Source) error { return nil }), corpus.ErrNotFound)
	l.wants(l.store.ChangeSource(l.t.Context(), source.ID, func(s *corpus.Source) error {
		s.Name = "refused"
		return corpus.ErrInvalid
	}), corpus.ErrInvalid)
	l.must(l.store.ChangeSource(l.t.Context(), source.ID, func(s *corpus.Source) error {
		s.Mark = "42:7"
		return nil
	}))
	want := source
	want.Mark = "42:7"
	if diff := cmp.Diff([]corpus.Source{want}, l.sources()); diff != "" {
		l.t.Errorf("sources (-want +got):\n%s", diff)
	}
}

// sourceChangedTogether: what several change at the same time is all there.
func sourceChangedTogether(l *library) {
	l.must(l.store.PutSource(l.t.Context(), source))
	other := l.open()
	var group errgroup.Group
	for _, s := range []store.Store{l.store, other} {
		for range 2 {
			group.Go(func() error {
				for range 10 {
					if err := s.ChangeSource(l.t.Context(), source.ID, func(s *corpus.Source) error {
						s.Include = append(s.Include, "x")
						return nil
					}); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	l.must(group.Wait())
	if n := len(l.sources()[0].Include); n != 40 {
		l.t.Errorf("%d of 40 changes are there", n)
	}
}

func runs(l *library) {
	t := l.t
	old := store.Run{ID: "a", Kind: "apply", State: "done", StartedAt: epoch, FinishedAt: epoch.Add(time.Minute), Summary: []byte(`{"added":1}`)}
	young := store.Run{ID: "b", Kind: "embed", State: "running", StartedAt: epoch.Add(time.Hour), Summary: []byte(`{}`)}
	l.must(l.w.PutRun(l.t.Context(), young))
	l.must(l.w.PutRun(l.t.Context(), old))
	young.State, young.FinishedAt = "failed", epoch.Add(2*time.Hour)
	l.must(l.w.PutRun(l.t.Context(), young))
	l.wants(l.w.PutRun(l.t.Context(), store.Run{Kind: "apply"}), corpus.ErrInvalid)
	l.view(func(r store.Reader) {
		for _, limit := range []int{0, 1, 2, 3} {
			got, err := r.Runs(l.t.Context(), limit)
			l.must(err)
			want := []store.Run{young, old}
			if diff := cmp.Diff(want[:min(limit, 2)], got, cmp.Transformer("list", func(list []store.Run) map[int]store.Run {
				m := map[int]store.Run{}
				for i, run := range list {
					m[i] = run
				}
				return m
			})); diff != "" {
				t.Errorf("runs, limit %d (-want +got):\n%s", limit, diff)
			}
		}
	})
}

func requests(l *library) {
	t := l.t
	expect := func(want ...store.Request) {
		t.Helper()
		l.view(func(r store.Reader) {
			got, err := r.Requests(t.Context())
			l.must(err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
	expect()
	other := l.open() // l.w holds the role meanwhile
	revision := l.info().Revision
	pause := store.Request{Kind: "pause", By: "somebody", At: epoch}
	cancel := store.Request{Kind: "cancel", Run: "a", By: "somebody", At: epoch.Add(time.Microsecond)}
	l.must(other.PutRequest(t.Context(), pause))
	l.must(other.PutRequest(t.Context(), cancel))
	expect(cancel, pause)
	cancel.Run, cancel.By = "b", "somebody else"
	l.must(other.PutRequest(t.Context(), cancel))
	expect(cancel, pause)
	l.must(other.DropRequest(t.Context(), "pause"))
	l.must(other.DropRequest(t.Context(), "pause"))
	expect(cancel)
	n := newLibrary(t, l.db, corpus.NewID()) // another tenant
	l.must(n.store.DropRequest(t.Context(), "cancel"))
	l.must(n.store.PutRequest(t.Context(), store.Request{Kind: "cancel", At: epoch}))
	expect(cancel)
	for _, bad := range []store.Request{{}, {Kind: "a\x00b"}, {Kind: "a", By: "\xff"}, {Kind: "a", Run: "\x00"}} {
		l.wants(l.store.PutRequest(t.Context(), bad), corpus.ErrInvalid)
	}
	if got := l.info().Revision; got != revision {
		t.Errorf("revision %d after requests, want %d: nothing changed that a search could see", got, revision)
	}
}
