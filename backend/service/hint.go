package service

import (
	"sync"
	"time"
)

// libraryEvents names the stream of hints that something changed that no run
// tells of: sources, how they are watched, what waits, a pause. Whoever hears
// one asks Sources and Status. No run can have this id.
const libraryEvents = "~library"

func (s *Service) hint() { s.broker.Open(libraryEvents).Progress(struct{}{}) }

// sights are when the roots of sources were last seen in this process. The
// zero value is ready.
type sights struct {
	mu sync.Mutex
	at map[string]time.Time // by source id
}

func (s *sights) seen(source string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[string]time.Time{}
	}
	s.at[source] = at
}

// last returns the time in words of the wire; "" if the root never was seen.
func (s *sights) last(source string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return timestamp(s.at[source])
}
