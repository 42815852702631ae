package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/source/watch"
)

// keeper keeps the library in step with its sources. But for what report and
// embedding need, one goroutine uses it.
type keeper struct {
	*Service
	id      corpus.ID // of the watch
	telling sync.Mutex
	report  func(api.WatchEvent)
	watcher *watch.Watcher
	pending chan struct{} // passages may lack vectors

	sources  map[corpus.ID]corpus.Source
	wanted   map[corpus.ID]*want // where to look now
	later    map[corpus.ID]*retry
	hold     time.Time // nothing is planned before
	patience patience  // with what keeps everything from being planned or applied
	delayed  string    // why that is, as it was told
	waiting  map[corpus.ID]*consent
	problems map[place]string // that were told
	shown    map[corpus.ID]watch.State
	recent   map[string]bool // runs on record, with their states
	accounts map[corpus.ID]*account
	unread   string // what is wrong with the settings
	paused   bool   // the embedding in the background, as last looked
}

// want is where in a source to look, and why.
type want struct {
	places []string
	cause  watch.Cause
	events int
}

// retry is what in a source could not be done and is tried again.
type retry struct {
	patience
	places []string
	at     time.Time
}

// consent is what waits for it.
type consent struct {
	held   map[string]held // by path
	why    string
	told   string
	policy corpus.Policy // by which it was found to wait
	limits config.Limits
}

// held is a change that waits.
type held struct {
	content corpus.Hash
	sums
	setting bool // it follows from changed settings
}

type place struct {
	source corpus.ID
	path   string
}

func newKeeper(s *Service, o WatchOptions) *keeper {
	pace := o.Pace
	pace.Files, pace.Log = s.Files, s.Log
	return &keeper{
		Service: s, id: corpus.NewID(), report: o.Report, watcher: watch.New(pace), pending: make(chan struct{}, 1),
		wanted: map[corpus.ID]*want{}, later: map[corpus.ID]*retry{},
		patience: patience{first: time.Second, most: time.Minute},
		accounts: map[corpus.ID]*account{},
		waiting:  map[corpus.ID]*consent{}, problems: map[place]string{}, shown: map[corpus.ID]watch.State{},
	}
}

// run looks, plans and applies until ctx ends.
func (k *keeper) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	k.look(ctx)
	for ctx.Err() == nil {
		k.show()
		if next := k.next(); !next.IsZero() && !next.After(time.Now()) {
			k.step(ctx)
		}
		var due <-chan time.Time
		if next := k.next(); !next.IsZero() {
			timer.Reset(time.Until(next))
			due = timer.C
		}
		select {
		case batch := <-k.watcher.Batches():
			for _, h := range batch {
				k.want(h.Source, h.Places, h.Cause, h.Events)
			}
		case <-k.watch.kicked:
			k.look(ctx)
		case <-tick.C:
			k.look(ctx)
		case <-due:
		case <-ctx.Done():
		}
	}
}

// places are where a source's waiting changes are.
func (c *consent) places() []string {
	const most = 256
	if len(c.held) > most {
		return []string{""}
	}
	return slices.Collect(maps.Keys(c.held))
}

// want notes where to look.
func (k *keeper) want(source corpus.ID, places []string, cause watch.Cause, events int) {
	w := k.wanted[source]
	if w == nil {
		w = &want{cause: cause}
		k.wanted[source] = w
	}
	w.events += events
	if cause != watch.Changed {
		w.cause = cause
	}
	w.places = joined(append(w.places, places...))
}

// mostPlaces is how many places are looked at one by one. More, as gather while
// nothing can be looked at, are a look at the whole source.
const mostPlaces = 10_000

// joined returns places each once, or the whole source in place of all.
func joined(places []string) []string {
	slices.Sort(places)
	places = slices.Compact(places)
	if len(places) > mostPlaces || len(places) > 0 && places[0] == "" {
		return []string{""}
	}
	return places
}

// next is when there is something to do; zero: nothing is to be done.
func (k *keeper) next() (next time.Time) {
	if len(k.wanted) > 0 {
		next = time.Now()
	}
	for _, r := range k.later {
		if len(r.places) > 0 && (next.IsZero() || r.at.Before(next)) {
			next = r.at
		}
	}
	if !next.IsZero() && k.hold.After(next) {
		return k.hold
	}
	return next
}

// take returns where to look now, in sources that there still are, and forgets it.
func (k *keeper) take() map[corpus.ID]*want {
	for id, r := range k.later {
		if !r.at.After(time.Now()) && len(r.places) > 0 {
			k.want(id, r.places, watch.Changed, 0)
			r.places = nil
		}
	}
	out := k.wanted
	k.wanted = map[corpus.ID]*want{}
	for id := range out {
		if s, ok := k.sources[id]; !ok || s.Paused {
			delete(out, id)
		}
	}
	return out
}

// step looks where it is wanted and applies what may be applied.
func (k *keeper) step(ctx context.Context) {
	wanted := k.take()
	if len(wanted) == 0 {
		return
	}
	err := k.reconcile(ctx, wanted)
	switch {
	case err == nil:
		k.patience.reset()
		k.delayed = ""
		return
	case ctx.Err() != nil:
		return
	}
	for id, w := range wanted {
		k.want(id, w.places, w.cause, w.events)
	}
	wait := k.patience.next(rand.Float64())
	k.hold = time.Now().Add(wait)
	if reason := k.words(ctx, err); reason != k.delayed {
		k.delayed = reason
		k.tell(api.WatchEvent{Type: api.WatchDelayed, Why: reason, Seconds: wait.Seconds()})
	}
}

// words say to a person why something failed.
func (k *keeper) words(ctx context.Context, err error) string {
	return Fault(ctx, k.Log, "keep the library in step", err).Error()
}

// errHalfBuilt: another model's generation is under construction, and applying
// to the live one would drop it.
var errHalfBuilt = errors.New("a change of the embedding model is not complete; if no apply goes on, ibid apply completes it")

// ingester returns what plans and applies with the model that the library has
// now, whatever the settings ask for.
func (k *keeper) ingester(ctx context.Context) (*ingest.Ingester, error) {
	info, err := k.info(ctx)
	if err != nil {
		return nil, err
	}
	set := k.Config.Settings()
	live, ok := info.Live()
	switch {
	case !ok:
		return k.Service.ingester(ctx, set)
	case len(info.Generations) > 1:
		return nil, fmt.Errorf("%w: %w", corpus.ErrUnavailable, errHalfBuilt)
	}
	return k.liveIngester(ctx, live.Space)
}

// show tells how the sources are kept in view.
func (k *keeper) show() {
	k.publish()
	for _, state := range k.watcher.States() {
		s, before := k.sources[state.Source], k.shown[state.Source]
		k.shown[state.Source] = state
		if state.Mode == watch.Starting || state.Mode == before.Mode && state.Reason == before.Reason {
			continue
		}
		k.tell(api.WatchEvent{
			Type: api.WatchSource, Source: s.Name, Path: s.Root,
			Mode: string(state.Mode), Detail: state.Reason, Folders: state.Folders,
		})
	}
}

// publish makes the sources' states known to requests.
func (k *keeper) publish() {
	all := map[string]seen{}
	for _, state := range k.watcher.States() {
		all[state.Source.String()] = seen{string(state.Mode), state.Reason, k.count(state.Source)}
	}
	if k.watch.show(all) {
		k.hint()
	}
}

// count is how many of a source's documents wait for consent.
func (k *keeper) count(source corpus.ID) int {
	if c := k.waiting[source]; c != nil {
		return len(c.held)
	}
	return 0
}

// tell reports an event.
func (k *keeper) tell(e api.WatchEvent) {
	if k.report == nil {
		return
	}
	e.At = timestamp(now())
	k.telling.Lock()
	defer k.telling.Unlock()
	k.report(e)
}
