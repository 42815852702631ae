package service

import (
	"context"
	"sync"
	"time"

	"ibid/backend/ingest"
)

// yieldLimit is how long a call to the embedder may go on after the turn was
// asked for; then it is cut off. Together with what was asked of it, background
// embedding gives way within a second.
const yieldLimit = 700 * time.Millisecond

// more is why embedding in the background ended before its end.
type more int

const (
	nothing   more = iota // it did not
	again                 // a run of this process wants its turn
	elsewhere             // another process wants the writer role
	paused                // somebody paused it
)

// giving is embedding that gives way.
type giving struct {
	control *ingest.Control
	mu      sync.Mutex
	reason  more
}

// way waits until a run of this process wants its turn or another process asks
// for something; then nothing more is begun, and what is in flight is cut off
// if it takes too long.
func (g *giving) way(ctx context.Context, cut func(), wanted <-chan struct{}, asks <-chan more) {
	reason := again
	select {
	case <-wanted:
	case reason = <-asks:
	case <-ctx.Done():
		return
	}
	g.mu.Lock()
	g.reason = reason
	g.mu.Unlock()
	g.control.Yield()
	select {
	case <-time.After(yieldLimit):
		cut()
	case <-ctx.Done():
	}
}

func (g *giving) why() more {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reason
}

func offer(c chan<- more, m more) {
	select {
	case c <- m:
	default:
	}
}

// closed reports whether a channel on which nothing is sent was closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
