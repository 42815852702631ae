package events

import (
	"slices"
	"sync"
)

// Event is something that happened in a run. Payload is not changed after it
// was published.
type Event struct {
	RunID   string
	Seq     int64 // from 1, without gap within a run
	Type    string
	Payload any
}

// Types of events with a meaning here; Send takes any other.
const (
	Progress = "progress"
	Delta    = "delta" // the payload is a string
	End      = "end"
)

// Bounds of what is kept.
const (
	keepEvents = 1024 // of a run
	keepRuns   = 32   // finished
	queueSize  = 256  // of a subscriber
)

// Broker holds the runs' events and their subscribers. Its methods may be
// called from several goroutines.
type Broker struct {
	mu      sync.Mutex
	runs    map[string]*Stream
	ended   []string // finished runs, oldest first
	subs    map[*Subscription]struct{}
	dropped int64
	closed  bool
	timers  sync.WaitGroup
}

// New returns a broker without runs.
func New() *Broker {
	return &Broker{runs: map[string]*Stream{}, subs: map[*Subscription]struct{}{}}
}

// Open begins a run's events. A run that is known already is returned as it is.
func (b *Broker) Open(run string) *Stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.runs[run]
	if !ok {
		s = &Stream{broker: b, run: run}
		b.runs[run] = s
	}
	return s
}

// After returns the kept events of a run with a number above seq, and the
// number of its latest event. An unknown run has none.
func (b *Broker) After(run string, seq int64) (list []Event, last int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.runs[run]
	if !ok {
		return nil, 0
	}
	i, _ := slices.BinarySearchFunc(s.events, seq+1, func(e Event, n int64) int {
		return int(min(max(e.Seq-n, -1), 1))
	})
	return slices.Clone(s.events[i:]), s.seq
}

// Dropped counts the lossy events that subscribers did not get.
func (b *Broker) Dropped() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}

// Subscribe returns a queue of all events from now on.
func (b *Broker) Subscribe() *Subscription {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &Subscription{broker: b, wake: make(chan struct{}, 1)}
	if b.closed {
		s.err = ErrClosed
		return s
	}
	b.subs[s] = struct{}{}
	return s
}

// Close ends all subscriptions, once they have read their queues, and waits
// for what the broker started. It is idempotent; events published later go to
// nobody.
func (b *Broker) Close() {
	b.mu.Lock()
	b.closed = true
	for s := range b.subs {
		b.cut(s, ErrClosed)
	}
	for _, s := range b.runs {
		s.stopTimer()
	}
	b.mu.Unlock()
	b.timers.Wait()
}

// cut ends a subscription; b.mu is held.
func (b *Broker) cut(s *Subscription, err error) {
	delete(b.subs, s)
	s.err = err
	s.signal()
}

// publish numbers an event, keeps it and offers it to all; b.mu is held.
func (b *Broker) publish(s *Stream, kind string, payload any) {
	s.seq++
	e := Event{RunID: s.run, Seq: s.seq, Type: kind, Payload: payload}
	if len(s.events) == keepEvents {
		s.events = append(s.events[:0], s.events[1:]...)
	}
	s.events = append(s.events, e)
	for sub := range b.subs {
		b.offer(sub, e)
	}
}

// offer queues an event for one subscriber; b.mu is held.
func (b *Broker) offer(s *Subscription, e Event) {
	if len(s.queue) == queueSize {
		oldest := slices.IndexFunc(s.queue, func(q Event) bool { return q.Type != End })
		switch {
		case oldest >= 0:
			s.queue = slices.Delete(s.queue, oldest, oldest+1)
			b.dropped++
		case e.Type != End:
			b.dropped++
			return
		default:
			s.queue = nil
			b.cut(s, ErrLagged)
			return
		}
	}
	s.queue = append(s.queue, e)
	s.signal()
}
