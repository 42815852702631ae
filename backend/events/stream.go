package events

import "time"

// interval is the least time between two progress or delta events of a run.
const interval = 100 * time.Millisecond

// Stream is where a run publishes. Its methods may be called from several
// goroutines and do nothing after Finish.
type Stream struct {
	broker *Broker
	run    string

	// Guarded by broker.mu.
	seq      int64
	events   []Event
	ended    bool
	progress any    // waits for its turn
	delta    string // likewise
	next     time.Time
	timer    *time.Timer
}

// Progress publishes the state of the run, or lets it wait until its turn;
// what waits is replaced.
func (s *Stream) Progress(payload any) {
	s.throttled(func() { s.progress = payload })
}

// Delta publishes a piece of text, or joins it to what waits. No text is lost.
func (s *Stream) Delta(text string) {
	if text != "" {
		s.throttled(func() { s.delta += text })
	}
}

// Send publishes an event at once.
func (s *Stream) Send(kind string, payload any) {
	s.broker.mu.Lock()
	defer s.broker.mu.Unlock()
	if !s.ended {
		s.flush() // keeps the order of what happened
		s.broker.publish(s, kind, payload)
	}
}

// Finish publishes what waits and the run's end.
func (s *Stream) Finish(payload any) {
	b := s.broker
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.ended {
		return
	}
	s.stopTimer()
	s.flush()
	b.publish(s, End, payload)
	s.ended = true
	b.ended = append(b.ended, s.run)
	if len(b.ended) > keepRuns {
		delete(b.runs, b.ended[0])
		b.ended = append(b.ended[:0], b.ended[1:]...)
	}
}

func (s *Stream) throttled(add func()) {
	b := s.broker
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.ended {
		return
	}
	add()
	wait := time.Until(s.next)
	switch {
	case s.timer != nil: // it will be published with the rest
	case wait <= 0:
		s.flush()
	case !b.closed:
		b.timers.Add(1)
		s.timer = time.AfterFunc(wait, func() {
			defer b.timers.Done()
			b.mu.Lock()
			defer b.mu.Unlock()
			if s.timer != nil {
				s.timer = nil
				s.flush()
			}
		})
	}
}

// flush publishes what waits; broker.mu is held.
func (s *Stream) flush() {
	if s.delta != "" {
		s.broker.publish(s, Delta, s.delta)
		s.delta = ""
		s.next = time.Now().Add(interval)
	}
	if s.progress != nil {
		s.broker.publish(s, Progress, s.progress)
		s.progress = nil
		s.next = time.Now().Add(interval)
	}
}

// stopTimer forgets a waiting publication; broker.mu is held.
func (s *Stream) stopTimer() {
	if s.timer != nil && s.timer.Stop() {
		s.broker.timers.Done()
	}
	s.timer = nil
}
