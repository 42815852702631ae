package app

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
)

// script is a feed that gives its events and then fails, or waits.
type script struct {
	events []api.Event
	err    error // nil: wait for the context
	closed bool
}

func (f *script) Next(ctx context.Context) (api.Event, error) {
	if len(f.events) > 0 {
		e := f.events[0]
		f.events = f.events[1:]
		return e, nil
	}
	if f.err != nil {
		return api.Event{}, f.err
	}
	<-ctx.Done()
	return api.Event{}, ctx.Err()
}

func (f *script) Close() { f.closed = true }

func TestForward(t *testing.T) {
	lagged := errors.New("subscriber too slow")
	one, two := api.Event{RunID: "r", Seq: 1}, api.Event{RunID: "r", Seq: 7}
	for name, feeds := range map[string][]*script{
		"until the window closes": {{events: []api.Event{one, two}}},
		"again when it lagged":    {{events: []api.Event{one}, err: lagged}, {events: []api.Event{two}}},
		"not for ever":            {{events: []api.Event{one, two}, err: lagged}, {err: lagged}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			defer end()
			used := 0
			var got []api.Event
			forward(ctx, func() feed { used++; return feeds[used-1] }, func(e api.Event) {
				if got = append(got, e); len(got) == 2 && feeds[len(feeds)-1].err == nil {
					end()
				}
			})
			if d := cmp.Diff([]api.Event{one, two}, got); d != "" || used != len(feeds) {
				t.Errorf("%d of %d feeds\n%s", used, len(feeds), d)
			}
			for i, f := range feeds {
				if !f.closed {
					t.Errorf("feed %d was left open", i)
				}
			}
		})
	}
}
