package service

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/source/watch"
)

// WatchOptions say how to watch.
type WatchOptions struct {
	// Report is told what is done and noticed, one event at a time; it must not
	// block. nil: nobody wants to know.
	Report func(api.WatchEvent)
	// Pace overrides how events of the file system are gathered; zero values
	// stand for the defaults.
	Pace watch.Options
}

// Watch keeps the library in step with its sources until ctx ends or the
// service closes: it looks where the file system says that something happened,
// applies what each source's policy allows without asking, and embeds in the
// background what lacks vectors. Changes that follow from settings are never
// applied, mass removals neither. What cannot be done now, since
// another process writes or a file is in use, is done later.
//
// One Watch goes on at a time: a second is a busy error, the only one there is.
func (s *Service) Watch(ctx context.Context, o WatchOptions) error {
	ctx, leave, err := s.watch.enter(ctx)
	if err != nil {
		return s.fault(ctx, "watch the sources", err)
	}
	defer leave()
	k := newKeeper(s, o)
	k.watcher.Start()
	defer k.watcher.Stop()
	var embedding sync.WaitGroup
	embedding.Go(func() { k.embed(ctx) })
	k.run(ctx)
	embedding.Wait()
	return nil
}

// watchState is what others may know of Watch, and how they reach it.
type watchState struct {
	kicked chan struct{} // something changed that Watch is to look at

	mu      sync.Mutex
	closed  bool
	end     context.CancelFunc // nil: nobody watches
	going   sync.WaitGroup
	sources map[string]seen // by id
	embed   *run            // in the background, nil if there is nothing to do
}

// seen is how a source is kept in view.
type seen struct {
	mode, detail string
	waiting      int
}

func newWatchState() *watchState { return &watchState{kicked: make(chan struct{}, 1)} }

// enter begins a watch; its context ends with ctx or close. Whoever gets leave
// calls it once.
func (w *watchState) enter(ctx context.Context) (inner context.Context, leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return ctx, nil, fmt.Errorf("%w: ibid is closing", corpus.ErrUnavailable)
	case w.end != nil:
		return ctx, nil, fmt.Errorf("%w: this process watches the sources already", corpus.ErrBusy)
	}
	inner, w.end = context.WithCancel(ctx)
	w.going.Add(1)
	return inner, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.end()
		w.end, w.sources, w.embed = nil, nil, nil
		w.going.Done()
	}, nil
}

// close ends Watch and waits for that.
func (w *watchState) close() {
	w.mu.Lock()
	w.closed = true
	if w.end != nil {
		w.end()
	}
	w.mu.Unlock()
	w.going.Wait()
}

// kick lets Watch look at the library at once.
func (w *watchState) kick() { signal(w.kicked) }

// source returns how a source is kept in view; nothing if nobody watches.
func (w *watchState) source(id string) seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sources[id]
}

// status tells whether somebody watches, how many documents wait for consent
// and what goes on in the background.
func (w *watchState) status() (watching bool, waiting int, embed *run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sources {
		waiting += s.waiting
	}
	return w.end != nil, waiting, w.embed
}

// show makes the sources' states known, and reports whether they are others
// than before.
func (w *watchState) show(sources map[string]seen) (changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed = !maps.Equal(w.sources, sources)
	w.sources = sources
	return changed
}

func (w *watchState) background(r *run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.embed = r
}

// signal wakes whoever waits for a channel of capacity one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
