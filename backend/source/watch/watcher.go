package watch

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/mount"
)

// Cause is why to look somewhere.
type Cause string

// Causes. All but the first ask for a look at all of a source.
const (
	Changed  Cause = "changed"  // the file system said that something happened there
	Many     Cause = "many"     // so much changed that listing the places would help nobody
	Overflow Cause = "overflow" // the system lost events
	Started  Cause = "started"  // watching began
	Returned Cause = "returned" // the root is back, or another one is in its place
	Lost     Cause = "lost"     // the root cannot be reached any more
	Swept    Cause = "sweep"    // regularly, for what no event told
	Polled   Cause = "poll"     // regularly, because the source cannot be watched
)

// Hint says where in a source to look. Places are paths from its root, none of
// which contains another; "" is all of it.
type Hint struct {
	Source corpus.ID
	Places []string
	Cause  Cause
	Events int // of the file system since the last hint
}

// Batch are hints that belong together: a file that moved from one source to
// another is in both hints. No source is in it twice.
type Batch []Hint

// Mode is how a source is kept in view.
type Mode string

// Modes.
const (
	Starting    Mode = "starting"
	Watching    Mode = "watching"
	Polling     Mode = "polling"     // Reason says why it is not watched
	Unavailable Mode = "unavailable" // Reason says what is wrong with the root
)

// State is how a source is kept in view now.
type State struct {
	Source  corpus.ID
	Mode    Mode
	Reason  string
	Folders int // watched
}

// Files looks at sources; package source does.
type Files interface {
	// Folders calls visit for each folder at a place and below that a scan
	// would list, with its path from the root and its real path.
	Folders(ctx context.Context, s corpus.Source, place string, visit func(rel, abs string) error) error
	// Relevant reduces hints to places that a scan has to look at.
	Relevant(ctx context.Context, s corpus.Source, places []string) ([]string, error)
}

// Options say how to watch. Zero values stand for the defaults.
type Options struct {
	Files Files // required
	// Quiet is how long nothing may happen at a place before it is told, Limit
	// how long that may be put off.
	Quiet time.Duration // default 150 ms
	Limit time.Duration // default 3 s
	// Sweep is how often all of a watched source is looked at, Poll that of one
	// that cannot be watched, Pulse how often its root is.
	Sweep time.Duration // default 10 min
	Poll  time.Duration // default 30 s
	Pulse time.Duration // default 2 s
	// Pages is how often web pages are asked for.
	Pages time.Duration // default 1 h
	// More changed places than this in one folder are told as the folder, more
	// in a source as all of it.
	FolderPlaces int          // default 128
	AllPlaces    int          // default 512
	Log          *slog.Logger // nil: none

	open   func() (notifier, error)         // nil: the system's
	silent func(dir string) (string, error) // nil: mount.Silent
}

func (o Options) complete() Options {
	for _, d := range []struct {
		at       *time.Duration
		standard time.Duration
	}{
		{&o.Quiet, 150 * time.Millisecond},
		{&o.Limit, 3 * time.Second},
		{&o.Sweep, 10 * time.Minute},
		{&o.Poll, 30 * time.Second},
		{&o.Pulse, 2 * time.Second},
		{&o.Pages, time.Hour},
	} {
		if *d.at <= 0 {
			*d.at = d.standard
		}
	}
	if o.FolderPlaces <= 0 {
		o.FolderPlaces = 128
	}
	if o.AllPlaces <= 0 {
		o.AllPlaces = 512
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.open == nil {
		o.open = openSystem
	}
	if o.silent == nil {
		o.silent = mount.Silent
	}
	return o
}

// Watcher watches sources. Its methods may be called from several goroutines.
type Watcher struct {
	opt     Options
	batches chan Batch

	life sync.Mutex // of Start and Stop
	end  context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	sources []corpus.Source
	states  map[corpus.ID]State
	pending *aggregator
	changed chan struct{} // sources were set
	earlier chan struct{} // something is due earlier than it was
}

// New returns a watcher that does nothing before Start.
func New(o Options) *Watcher {
	o = o.complete()
	return &Watcher{
		opt: o, batches: make(chan Batch), states: map[corpus.ID]State{}, pending: newAggregator(o),
		changed: make(chan struct{}, 1), earlier: make(chan struct{}, 1),
	}
}

// Watch sets the sources to watch, instead of those before. Paused ones and
// inline ones are left out; web pages can only be polled.
func (w *Watcher) Watch(sources []corpus.Source) {
	var list []corpus.Source
	for _, s := range sources {
		if !s.Paused && s.Kind != corpus.SourceInline {
			list = append(list, s)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sources = list
	signal(w.changed)
}

// Batches delivers where to look. Hints gather while nobody receives.
func (w *Watcher) Batches() <-chan Batch { return w.batches }

// States tells how the sources are kept in view, in the order of Watch. A
// change of a source's mode comes with a hint at all of it.
func (w *Watcher) States() []State {
	w.mu.Lock()
	defer w.mu.Unlock()
	states := make([]State, len(w.sources))
	for i, s := range w.sources {
		state, ok := w.states[s.ID]
		if !ok {
			state = State{Source: s.ID, Mode: Starting}
		}
		states[i] = state
	}
	return states
}

// Start begins to watch and returns at once. It does nothing if that began
// already.
func (w *Watcher) Start() {
	w.life.Lock()
	defer w.life.Unlock()
	if w.end != nil {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	w.end = end
	s := newSession(w)
	w.done.Go(func() { s.run(ctx) })
}

// Stop ends watching and waits until it has ended. It does nothing if nobody
// watches. Start may follow.
func (w *Watcher) Stop() {
	w.life.Lock()
	defer w.life.Unlock()
	if w.end == nil {
		return
	}
	w.end()
	w.done.Wait()
	w.end = nil
}

// source returns a source that is watched.
func (w *Watcher) source(id corpus.ID) (corpus.Source, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.sources, func(s corpus.Source) bool { return s.ID == id })
	if i < 0 {
		return corpus.Source{}, false
	}
	return w.sources[i], true
}

// signal wakes whoever waits for a channel of capacity one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
