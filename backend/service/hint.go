package service

import (
	"sync"
	"time"

	"ibid/backend/plan"
)

// libraryEvents names the stream of hints that something changed that no run
// tells of: sources, how they are watched, what waits, a pause. Whoever hears
// one asks Sources and Status. No run can have this id.
const libraryEvents = "~library"

func (s *Service) hint() { s.broker.Open(libraryEvents).Progress(struct{}{}) }

// sights are what this process saw of the roots of sources. The zero value is
// ready.
type sights struct {
	mu sync.Mutex
	at map[string]time.Time // when it was there, by source id
	// refused says why the last plan took nothing from a root.
	refused map[string]string
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

// judge notes what a plan found of the roots, and reports whether that is
// something else than before.
func (s *sights) judge(p *plan.Reindex) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = map[string]string{}
	}
	for _, src := range p.Sources {
		id, before := src.ID.String(), s.refused[src.ID.String()]
		delete(s.refused, id)
		if src.State == plan.SourceMissing {
			s.refused[id] = src.Detail
		}
		changed = changed || s.refused[id] != before
	}
	return changed
}

// forget drops the verdict over a root that was changed.
func (s *sights) forget(source string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refused, source)
}

// verdict is why the last plan took nothing from a root; "" if it did.
func (s *sights) verdict(source string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused[source]
}
