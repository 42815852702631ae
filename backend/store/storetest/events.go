package storetest

import (
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

var events = aspect{"Events", map[string]func(l *library){
	"NewestFirst":      eventsOrder,
	"WithTheirChange":  eventsTransaction,
	"AreNoPayload":     eventsValidated,
	"OnlyTheNewest":    eventsBounded,
	"OfTheTenant":      eventsTenants,
	"NeedNoRole":       eventsWithoutRole,
	"ManyProcesses":    eventsConcurrent,
	"AreNoRevision":    eventsInvisible,
	"SurviveTheSource": eventsStay,
}}

// event is one of an action.
func event(action string, at time.Time) store.Event {
	return store.Event{At: at, Trigger: "cli", Action: action, Outcome: "done"}
}

func (l *library) events(q store.EventQuery) (list []store.Event) {
	l.t.Helper()
	l.view(func(r store.Reader) {
		var err error
		list, err = r.Events(l.t.Context(), q)
		l.must(err)
	})
	return list
}

// actions of the events that are kept, newest first.
func (l *library) actions() string {
	l.t.Helper()
	var list []string
	for _, e := range l.events(store.EventQuery{Limit: 100}) {
		list = append(list, e.Action)
	}
	return strings.Join(list, " ")
}

func eventsOrder(l *library) {
	t := l.t
	full := store.Event{
		At: epoch.Add(1500 * time.Nanosecond).Truncate(time.Microsecond), Trigger: "api", Action: "documents.ingest", Outcome: "failed",
		Code: "limit", Run: "a-1_2", Source: source.ID, Documents: []corpus.ID{corpus.NewID(), corpus.NewID()},
		Counts: map[string]int{"added": 2, "documents": 3},
	}
	earlier := event("config.set", epoch.Add(-time.Hour)) // the clock was set back
	l.must(l.store.PutEvent(t.Context(), event("source.add", epoch), full))
	l.must(l.store.PutEvent(t.Context()))
	l.must(l.store.PutEvent(t.Context(), earlier))
	got := l.events(store.EventQuery{Limit: 10})
	for i := 1; i < len(got); i++ {
		if got[i].Seq >= got[i-1].Seq {
			t.Errorf("event %d has number %d after %d, newest first", i, got[i].Seq, got[i-1].Seq)
		}
	}
	for i := range got {
		got[i].Seq = 0
	}
	if diff := cmp.Diff([]store.Event{earlier, full, event("source.add", epoch)}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got := l.events(store.EventQuery{Limit: 1}); len(got) != 1 || got[0].Action != "config.set" {
		t.Errorf("the newest event is %+v", got)
	}
	if got := l.events(store.EventQuery{Limit: 10, Since: epoch}); len(got) != 2 {
		t.Errorf("%d events since then, want 2", len(got))
	}
	if got := l.events(store.EventQuery{Limit: 10, Since: epoch.Add(time.Hour)}); len(got) != 0 {
		t.Errorf("events of the future: %+v", got)
	}
	if got := l.events(store.EventQuery{}); len(got) != 0 {
		t.Errorf("no events asked for, got %+v", got)
	}
}

// eventsTransaction: an event is kept if and only if its change happened.
func eventsTransaction(l *library) {
	t := l.t
	l.must(l.store.PutSource(t.Context(), source, event("put", epoch)))
	l.must(l.w.PutRun(t.Context(), store.Run{ID: "a", Kind: "apply", State: "done", StartedAt: epoch}, event("run", epoch)))
	g := l.build()
	_, err := l.w.Ingest(t.Context(), store.Batch{Changes: []store.Change{change(g.ID, "a", "one")}, Events: []store.Event{event("ingest", epoch)}})
	l.must(err)
	const kept = "ingest run put"
	if got := l.actions(); got != kept {
		t.Fatalf("events %q, want %q", got, kept)
	}
	l.unchanged(func() {
		_, err := l.w.Ingest(t.Context(), store.Batch{
			Changes: []store.Change{change(g.ID, "b", "two"), change(g.ID, "a", "stale")}, Events: []store.Event{event("stale", epoch)},
		})
		l.wants(err, corpus.ErrStale)
		bad := event("no such outcome", epoch)
		l.wants(l.store.PutSource(t.Context(), source, bad), corpus.ErrInvalid)
		l.wants(l.w.RemoveSource(t.Context(), source.ID, true, bad), corpus.ErrInvalid)
		l.wants(l.w.PutRun(t.Context(), store.Run{ID: "b"}, bad), corpus.ErrInvalid)
		l.wants(l.w.PutRun(t.Context(), store.Run{}, event("no run", epoch)), corpus.ErrInvalid)
	})
	l.must(l.w.RemoveSource(t.Context(), source.ID, false, event("remove", epoch)))
	if got := l.actions(); got != "remove "+kept {
		t.Errorf("events %q, want %q", got, "remove "+kept)
	}
	l.must(l.w.Release())
	l.wants(l.w.RemoveSource(t.Context(), source.ID, false, event("late", epoch)), corpus.ErrBusy)
	if got := l.actions(); got != "remove "+kept {
		t.Errorf("events %q after a change without the role, want %q", got, "remove "+kept)
	}
}

// eventsValidated: nothing gets in that is more than an identifier.
func eventsValidated(l *library) {
	many := map[string]int{}
	for i := range 33 {
		many[strings.Repeat("x", i+1)] = i
	}
	for name, edit := range map[string]func(e *store.Event){
		"sentence":           func(e *store.Event) { e.Action = "the text of a document" },
		"path":               func(e *store.Event) { e.Outcome = "notes/secret.md" },
		"address":            func(e *store.Event) { e.Trigger = "https://example.org" },
		"error text":         func(e *store.Event) { e.Code = "read a: denied" },
		"long":               func(e *store.Event) { e.Action = strings.Repeat("a", 65) },
		"no action":          func(e *store.Event) { e.Action = "" },
		"no trigger":         func(e *store.Event) { e.Trigger = "" },
		"no outcome":         func(e *store.Event) { e.Outcome = "" },
		"no time":            func(e *store.Event) { e.At = time.Time{} },
		"run with a space":   func(e *store.Event) { e.Run = "a b" },
		"counts of a path":   func(e *store.Event) { e.Counts = map[string]int{"a/b": 1} },
		"other scripts":      func(e *store.Event) { e.Run = "Größe" },
		"many counts":        func(e *store.Event) { e.Counts = many },
		"too many documents": func(e *store.Event) { e.Documents = make([]corpus.ID, store.MaxEventDocuments+1) },
	} {
		e := event("ok", epoch)
		edit(&e)
		if err := l.store.PutEvent(l.t.Context(), event("before", epoch), e); err == nil {
			l.t.Errorf("%s was kept", name)
		} else {
			l.wants(err, corpus.ErrInvalid)
		}
	}
	if got := l.actions(); got != "" {
		l.t.Errorf("events %q beside ones that were refused", got)
	}
}

func eventsBounded(l *library) {
	t := l.t
	batch := make([]store.Event, 1000)
	for i := range batch {
		batch[i] = event("filler", epoch)
	}
	l.must(l.store.PutEvent(t.Context(), event("oldest", epoch), event("second", epoch)))
	for range store.MaxEvents/len(batch) - 1 {
		l.must(l.store.PutEvent(t.Context(), batch...))
	}
	l.must(l.store.PutEvent(t.Context(), batch[:len(batch)-1]...))
	got := l.events(store.EventQuery{Limit: 2 * store.MaxEvents})
	if len(got) != store.MaxEvents || got[len(got)-1].Action != "second" {
		t.Fatalf("%d events, the oldest %q; want %d and \"second\"", len(got), got[len(got)-1].Action, store.MaxEvents)
	}
	newest := got[0].Seq
	l.must(l.store.PutEvent(t.Context(), event("newest", epoch)))
	if got := l.events(store.EventQuery{Limit: 1}); got[0].Seq != newest+1 {
		t.Errorf("event %d follows %d", got[0].Seq, newest)
	}
}

func eventsTenants(l *library) {
	n := newLibrary(l.t, l.db, corpus.NewID())
	l.must(n.store.PutEvent(l.t.Context(), event("theirs", epoch), event("theirs", epoch)))
	l.must(l.store.PutEvent(l.t.Context(), event("ours", epoch)))
	if ours, theirs := l.actions(), n.actions(); ours != "ours" || theirs != "theirs theirs" {
		l.t.Errorf("events %q and %q of another tenant", ours, theirs)
	}
}

func eventsWithoutRole(l *library) {
	l.must(l.open().PutEvent(l.t.Context(), event("other", epoch))) // l.w holds the role meanwhile
	if got := l.actions(); got != "other" {
		l.t.Errorf("events %q", got)
	}
}

func eventsConcurrent(l *library) {
	t := l.t
	done := make(chan error)
	for range 4 {
		s := l.open()
		go func() {
			var err error
			for range 10 {
				if err == nil {
					err = s.PutEvent(t.Context(), event("racing", epoch))
				}
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	seen := map[int64]bool{}
	for _, e := range l.events(store.EventQuery{Limit: 100}) {
		seen[e.Seq] = true
	}
	if len(seen) != 40 {
		t.Errorf("%d events have numbers of their own, want 40", len(seen))
	}
}

func eventsInvisible(l *library) {
	l.unchanged(func() { l.must(l.store.PutEvent(l.t.Context(), event("seen", epoch))) })
}

// eventsStay: what was done to a source is still known when it is gone.
func eventsStay(l *library) {
	l.must(l.store.PutSource(l.t.Context(), source, event("add", epoch)))
	l.must(l.w.RemoveSource(l.t.Context(), source.ID, true))
	if got := l.actions(); got != "add" {
		l.t.Errorf("events %q after the source was removed", got)
	}
}
