package app

import (
	"context"

	"ibid/backend/api"
)

// feed is a stream of events. Next waits for the next one; Close ends the feed.
type feed interface {
	Next(ctx context.Context) (api.Event, error)
	Close()
}

// forward hands events to emit until ctx ends. A feed that ends before, because
// too much was missed, is replaced by a new one: the page sees the gap in the
// numbers and asks for the run. One that ends without having given anything
// will not be better the next time.
func forward(ctx context.Context, subscribe func() feed, emit func(api.Event)) {
	for given := true; given && ctx.Err() == nil; {
		given = pump(ctx, subscribe(), emit)
	}
}

// pump empties one feed and reports whether it gave anything.
func pump(ctx context.Context, f feed, emit func(api.Event)) (given bool) {
	defer f.Close()
	for {
		e, err := f.Next(ctx)
		if err != nil {
			return given
		}
		emit(e)
		given = true
	}
}
