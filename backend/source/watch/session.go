package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ibid/backend/corpus"
)

// session is the time from Start to Stop. But for its queue and what is told
// to the Watcher, one goroutine uses it: it also calls the notifier alone, so
// that folders are dropped and added in the order of the events.
type session struct {
	*Watcher
	notifier notifier // nil: events are not to be had, for the reason
	reason   string
	queue    queue
	records  map[corpus.ID]*record
	folders  map[string][]spot          // watched, by real path
	below    map[string]map[string]bool // those directly in a folder, watched or not
}

// record is a source that is watched.
type record struct {
	corpus.Source
	state  State
	base   string      // the root without links
	anchor string      // the folder that makes root's events: base, or its folder if that is a file
	id     fs.FileInfo // of the anchor, as it was when its watching began
	silent bool
	// folders is how many of its folders are watched.
	folders int
	// When to look at the root, at all of a source that is polled, and at all of
	// it whatever its mode.
	pulse, poll, sweep time.Time
}

// spot is a folder's place in a source.
type spot struct {
	source corpus.ID
	rel    string
	only   string // of a source that is one file: its name
}

func newSession(w *Watcher) *session {
	return &session{
		Watcher: w, queue: queue{ready: make(chan struct{}, 1)},
		records: map[corpus.ID]*record{}, folders: map[string][]spot{}, below: map[string]map[string]bool{},
	}
}

// run watches until ctx ends.
func (s *session) run(ctx context.Context) {
	var parts sync.WaitGroup
	n, err := s.opt.open()
	if err != nil {
		s.reason = inWords(err)
		s.opt.Log.Warn("sources cannot be watched", "error", err)
	} else {
		s.notifier = n
		parts.Go(func() { s.queue.fill(ctx, n) })
	}
	parts.Go(func() { s.deliver(ctx) })
	s.attend(ctx)
	if s.notifier != nil {
		if err := s.notifier.Close(); err != nil {
			s.opt.Log.Warn("watching did not end cleanly", "error", err)
		}
	}
	parts.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.states)
	s.pending = newAggregator(s.opt)
}

// attend does what events, time and the sources' owner ask for.
func (s *session) attend(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	s.reconcile(ctx)
	for {
		list, overflow, faults := s.queue.take()
		for _, e := range list {
			s.event(ctx, e)
		}
		for _, err := range faults {
			s.opt.Log.Warn("the file system's events have a fault", "error", err)
		}
		for _, r := range s.records {
			if overflow && r.state.Mode == Watching {
				s.attach(ctx, r, Overflow) // new folders may be among what was lost
			}
			s.tick(ctx, r, time.Now())
		}
		if ctx.Err() != nil {
			return
		}
		timer.Reset(time.Until(s.next()))
		select {
		case <-s.queue.ready:
		case <-s.changed:
			s.reconcile(ctx)
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// reconcile attaches sources that are new and forgets those that are gone.
func (s *session) reconcile(ctx context.Context) {
	s.mu.Lock()
	sources := slices.Clone(s.sources)
	s.mu.Unlock()
	for id, r := range s.records {
		i := slices.IndexFunc(sources, func(o corpus.Source) bool { return o.ID == id })
		if i >= 0 && sameWalk(sources[i], r.Source) {
			r.Source = sources[i]
			continue
		}
		s.detach(r)
		delete(s.records, id)
		s.mu.Lock()
		delete(s.states, id)
		s.pending.forget(id)
		s.mu.Unlock()
	}
	for _, src := range sources {
		if s.records[src.ID] == nil {
			r := &record{Source: src}
			s.records[src.ID] = r
			s.attach(ctx, r, Started)
		}
	}
}

// sameWalk reports whether two states of a source have the same folders.
func sameWalk(a, b corpus.Source) bool {
	return a.Kind == b.Kind && a.Root == b.Root && slices.Equal(a.Include, b.Include) && slices.Equal(a.Exclude, b.Exclude)
}

// next is when tick has something to do; in an hour if there are no sources.
func (s *session) next() time.Time {
	next := time.Now().Add(time.Hour)
	for _, r := range s.records {
		for _, t := range []time.Time{r.pulse, r.poll, r.sweep} {
			if !t.IsZero() {
				next = earlier(next, t)
			}
		}
	}
	return next
}

// tick does what is due for a source.
func (s *session) tick(ctx context.Context, r *record, now time.Time) {
	due := func(t time.Time) bool { return !t.IsZero() && !t.After(now) }
	switch {
	case due(r.sweep):
		s.attach(ctx, r, Swept)
	case due(r.poll):
		r.poll = now.Add(s.interval(r))
		s.hint(Hint{Source: r.ID, Cause: Polled}, false)
	case due(r.pulse):
		r.pulse = now.Add(s.opt.Pulse)
		_, anchor, id, err := locate(r.Source)
		// A new folder may have the old one's number: then it is known by the
		// old one's watch, which is gone.
		unwatched := r.state.Mode == Watching && s.folders[r.anchor] == nil
		switch {
		case err != nil && r.state.Mode != Unavailable:
			s.lose(r, err)
		case err == nil && (r.state.Mode == Unavailable || unwatched || anchor != r.anchor || !os.SameFile(id, r.id)):
			s.attach(ctx, r, Returned)
		}
	}
}

// locate finds a source's root, and the folder in which its events happen.
func locate(s corpus.Source) (base, anchor string, id fs.FileInfo, err error) {
	if base, err = filepath.EvalSymlinks(s.Root); err != nil {
		return "", "", nil, err
	}
	anchor = base
	if s.Kind == corpus.SourceFile {
		anchor = filepath.Dir(base)
	}
	if id, err = os.Stat(anchor); err == nil && !id.IsDir() {
		err = errors.New("it is no longer a folder")
	}
	return base, anchor, id, err
}

// attach watches a source's folders, those that are watched already as well:
// the system may have dropped them. Then all of it is to be looked at.
func (s *session) attach(ctx context.Context, r *record, cause Cause) {
	now := time.Now()
	if r.Kind == corpus.SourceURL {
		s.show(r, State{Source: r.ID, Mode: Polling, Reason: "web pages do not tell when they change; they are asked for every " + inUnits(s.opt.Pages)})
		r.poll = now.Add(s.opt.Pages)
		s.hint(Hint{Source: r.ID, Cause: cause}, false)
		return
	}
	base, anchor, id, err := locate(r.Source)
	if err != nil {
		s.lose(r, err)
		return
	}
	if anchor != r.anchor || base != r.base || r.id != nil && !os.SameFile(id, r.id) {
		s.detach(r)
	}
	r.base, r.anchor, r.id = base, anchor, id
	state := State{Source: r.ID, Mode: Watching}
	kind, err := s.opt.silent(anchor)
	switch {
	case err != nil:
		s.lose(r, err)
		return
	case kind != "":
		state.Mode, state.Reason = Polling, kind+" does not tell what others change"
	case s.notifier == nil:
		state.Mode, state.Reason = Polling, s.reason
	default:
		if err := s.add(ctx, r, ""); err != nil {
			switch {
			case ctx.Err() != nil:
				return
			case errors.Is(err, corpus.ErrUnavailable):
				s.lose(r, err)
				return
			}
			state.Mode, state.Reason = Polling, inWords(err)
		}
	}
	if r.state.Mode == Unavailable {
		cause = Returned
	}
	r.silent = kind != ""
	s.enter(r, state, now)
	s.hint(Hint{Source: r.ID, Cause: cause}, false)
}

// enter changes a source's state and says when to look at it again.
func (s *session) enter(r *record, state State, now time.Time) {
	if state.Mode != Watching {
		s.detach(r)
	}
	if state.Mode != r.state.Mode || state.Reason != r.state.Reason {
		s.opt.Log.Info("source is kept in view", "source", r.Name, "mode", string(state.Mode), "reason", state.Reason, "folders", state.Folders)
	}
	r.pulse, r.poll, r.sweep = now.Add(s.opt.Pulse), time.Time{}, now.Add(s.opt.Sweep)
	if state.Mode == Polling {
		r.poll = now.Add(s.interval(r))
	}
	if r.silent { // a server that does not answer would keep all others waiting
		r.pulse = time.Time{}
	}
	s.show(r, state)
}

// interval is how often a polled source is looked at.
func (s *session) interval(r *record) time.Duration {
	if r.Kind == corpus.SourceURL {
		return s.opt.Pages
	}
	return s.opt.Poll
}

// inUnits says a duration without units that are zero: "1h", not "1h0m0s".
func inUnits(d time.Duration) string {
	text := d.Round(time.Second).String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// show tells a source's state, with the number of its folders.
func (s *session) show(r *record, state State) {
	state.Folders = r.folders
	r.state = state
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states[r.ID] = state
}

// lose notes that a root cannot be reached. There is nothing to look at until
// it is back, so this is told once.
func (s *session) lose(r *record, err error) {
	state := State{Source: r.ID, Mode: Unavailable, Reason: inWords(err)}
	known := state == r.state
	r.anchor, r.base, r.id, r.silent = "", "", nil, false
	s.enter(r, state, time.Now())
	if !known {
		s.hint(Hint{Source: r.ID, Cause: Lost}, false)
	}
}
