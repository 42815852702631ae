package service_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/service"
	"ibid/backend/source/watch"
)

// watched is a library that a Watch keeps in step.
type watched struct {
	*library
	events chan api.WatchEvent
	end    context.CancelFunc
	ended  chan error
}

// watch begins to watch; the end of the test ends it.
func (l *library) watch() *watched {
	l.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watched{library: l, events: make(chan api.WatchEvent, 10000), end: cancel, ended: make(chan error, 1)}
	go func() {
		w.ended <- l.Watch(ctx, service.WatchOptions{
			Report: func(e api.WatchEvent) { w.events <- e },
			Pace:   watch.Options{Quiet: 10 * time.Millisecond, Limit: 100 * time.Millisecond, Pulse: 20 * time.Millisecond},
		})
	}()
	l.t.Cleanup(w.stop)
	return w
}

func (w *watched) stop() {
	w.t.Helper()
	if w.end == nil {
		return
	}
	w.end()
	w.end = nil
	if err := <-w.ended; err != nil {
		w.t.Error(err)
	}
}

// until waits for an event.
func (w *watched) until(what string, is func(api.WatchEvent) bool) api.WatchEvent {
	w.t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	var seen []string
	for {
		select {
		case e := <-w.events:
			if is(e) {
				return e
			}
			seen = append(seen, fmt.Sprintf("%+v", e))
		case <-deadline.C:
			w.t.Fatalf("never: %s. But:\n%s", what, strings.Join(seen, "\n"))
		}
	}
}

// until waits for what no event tells.
func (l *library) until(what string, is func() bool) {
	l.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); {
		if time.Now().After(deadline) {
			l.t.Fatalf("never: %s", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func (w *watched) source(mode string) api.WatchEvent {
	w.t.Helper()
	return w.until("source is "+mode, func(e api.WatchEvent) bool { return e.Type == api.WatchSource && e.Mode == mode })
}

// applied waits until documents at the paths were applied, in any number of runs.
func (w *watched) applied(paths ...string) (last api.WatchEvent) {
	w.t.Helper()
	missing := map[string]bool{}
	for _, p := range paths {
		missing[p] = true
	}
	for len(missing) > 0 {
		last = w.until(fmt.Sprintf("applied %v", missing), func(e api.WatchEvent) bool { return e.Type == api.WatchApplied })
		for _, a := range last.Actions {
			delete(missing, a.Path)
		}
	}
	return last
}

// waiting waits until so many documents wait for consent.
func (w *watched) waiting(n int, why string) {
	w.t.Helper()
	w.until(fmt.Sprintf("%d waiting: %s", n, why), func(e api.WatchEvent) bool {
		return e.Type == api.WatchWaiting && e.Waiting == n && strings.Contains(e.Why, why)
	})
}

func (w *watched) embedded() api.WatchEvent {
	w.t.Helper()
	return w.until("embedded", func(e api.WatchEvent) bool { return e.Type == api.WatchEmbedded })
}

// finds checks by which documents a query is answered.
func (l *library) finds(query, mode string, want ...string) {
	l.t.Helper()
	r := must[api.SearchResponse](l.t)(l.Search(l.t.Context(), api.SearchRequest{Query: query, Mode: mode}))
	var got []string
	for _, h := range r.Hits {
		if !slices.Contains(got, h.Path) {
			got = append(got, h.Path)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		l.t.Errorf("%s search for %q finds %q, want %q", mode, query, got, want)
	}
}

// policy adds the notes under a policy.
func (l *library) policy(p corpus.Policy) api.Source {
	l.t.Helper()
	return must[api.Source](l.t)(l.AddSource(l.t.Context(), api.AddSourceRequest{Path: l.notes, Name: "notes", Policy: string(p)}))
}

// touch changes a file's times.
func (l *library) touch(path string) {
	l.t.Helper()
	if err := os.Chtimes(filepath.Join(l.notes, path), time.Time{}, time.Unix(1_700_000_000, 0)); err != nil {
		l.t.Fatal(err)
	}
}
