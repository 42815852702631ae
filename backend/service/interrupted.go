package service

import (
	"context"
	"slices"
	"strings"
	"time"

	"ibid/backend/api"
	"ibid/backend/store"
)

// silence is how long a run that gave the writer role away may take to come
// back to it while nobody else has it.
const silence = 10 * time.Second

// storedRuns returns the newest runs on record. A run whose process is gone has
// the state interrupted: it has no writer role any more, and said nothing.
func (s *Service) storedRuns(ctx context.Context, limit int) ([]store.Run, error) {
	before, _, err := s.recorded(ctx, limit)
	if err != nil || !slices.ContainsFunc(before, goesOn) {
		return before, err
	}
	holder, err := s.Store.Holder(ctx)
	if err != nil {
		return nil, err
	}
	// Looked at again: a run that ended meanwhile has its last word on record,
	// since it writes that before it gives the role back.
	list, paused, err := s.recorded(ctx, limit)
	if err != nil {
		return nil, err
	}
	here := func(id string) bool {
		_, ok := s.runs.find(id)
		return ok
	}
	return interrupted(before, list, here, holder != "", paused, now()), nil
}

// recorded reads the newest runs as they are on record, and whether embedding
// is paused.
func (s *Service) recorded(ctx context.Context, limit int) (list []store.Run, paused bool, err error) {
	err = s.Store.View(ctx, func(v store.Reader) error {
		if list, err = v.Runs(ctx, limit); err != nil {
			return err
		}
		asked, err := v.Requests(ctx)
		paused = isPaused(asked)
		return err
	})
	return list, paused, err
}

func goesOn(r store.Run) bool { return r.State == api.RunRunning }

// interrupted returns the list with the state of runs whose process is gone.
// Somebody holds the writer role or not; it was looked at between the two
// readings. A run has the role from its first record to its last, so that of
// those that go on in both only the one that wrote last can have it. Embedding
// in the background gives it away between: then it is given some time, or as
// long as it is paused.
func interrupted(before, list []store.Run, here func(id string) bool, held, paused bool, at time.Time) []store.Run {
	went := map[string]bool{}
	for _, r := range before {
		went[r.ID] = goesOn(r)
	}
	writer, wrote := "", time.Time{}
	for _, r := range list {
		if sum := readSummary(r); goesOn(r) && !sum.GaveWay {
			if wroteAt := sum.past(at); writer == "" || !wroteAt.Before(wrote) {
				writer, wrote = r.ID, wroteAt
			}
		}
	}
	list = slices.Clone(list)
	for i, r := range list {
		if !goesOn(r) || !went[r.ID] || here(r.ID) {
			continue
		}
		sum := readSummary(r)
		alive := held && r.ID == writer
		if sum.GaveWay {
			alive = held || paused || at.Sub(sum.past(at)) < silence
		}
		if !alive {
			list[i].State = api.RunInterrupted
		}
	}
	return list
}

// past is when a run was recorded, seen from at. What lies ahead is of the time
// before the clock was set back: long ago.
func (s summary) past(at time.Time) time.Time {
	if s.At.After(at.Add(silence)) {
		return time.Time{}
	}
	return s.At
}

// writer names who has the writer role, if that is another process.
func (s *Service) writer(ctx context.Context) (string, error) {
	holder, err := s.Store.Holder(ctx)
	if holder == s.Holder || strings.HasPrefix(holder, s.Holder+" ") {
		return "", err
	}
	return holder, err
}
