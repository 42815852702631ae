package events

import (
	"context"
	"errors"
)

// Reasons why a subscription ends.
var (
	// ErrClosed: the broker or the subscription was closed.
	ErrClosed = errors.New("subscription closed")
	// ErrLagged: the subscriber read too slowly to be told of every end.
	// Subscribe again, then read the runs with After.
	ErrLagged = errors.New("subscriber too slow")
)

// Subscription is one watcher's queue, read by one goroutine at a time.
type Subscription struct {
	broker *Broker
	wake   chan struct{}

	// Guarded by broker.mu.
	queue []Event
	err   error
}

// Next returns the next event, waiting for it. When the subscription ended it
// returns what is queued and then ErrClosed or ErrLagged; when ctx ended, its error.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	for {
		s.broker.mu.Lock()
		if len(s.queue) > 0 {
			e := s.queue[0]
			s.queue = s.queue[1:]
			s.broker.mu.Unlock()
			return e, nil
		}
		err := s.err
		s.broker.mu.Unlock()
		if err != nil {
			return Event{}, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// Close ends the subscription. It is idempotent.
func (s *Subscription) Close() {
	s.broker.mu.Lock()
	defer s.broker.mu.Unlock()
	if s.err == nil {
		s.queue = nil
		s.broker.cut(s, ErrClosed)
	}
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
