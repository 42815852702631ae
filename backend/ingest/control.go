package ingest

import (
	"context"
	"sync"
)

// Control steers a run from outside. A run looks at it before each document
// and each batch of embedding, so that it acts within a second. The zero value
// is ready; it serves one run after another until Yield, and all methods may be called
// from several goroutines.
type Control struct {
	mu      sync.Mutex
	resumed chan struct{} // nil: not paused; closed by Resume
	yielded bool
}

// Pause lets the run stop before its next piece of work. What was committed
// stays; the writer role is kept.
func (c *Control) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resumed == nil {
		c.resumed = make(chan struct{})
	}
}

// Resume lets a paused run go on.
func (c *Control) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resumed != nil {
		close(c.resumed)
		c.resumed = nil
	}
}

// Yield lets EmbedPending end in order before its next call to the embedder:
// what is in flight is stored, and the writer role is given back. There is no
// way back; of Apply it is not to be asked.
func (c *Control) Yield() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.yielded = true
}

func (c *Control) yields() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.yielded
}

// Paused reports whether the run is to stand still.
func (c *Control) Paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resumed != nil
}

// wait returns when the run may go on, or ctx's error.
func (c *Control) wait(ctx context.Context) error {
	c.mu.Lock()
	resumed := c.resumed
	c.mu.Unlock()
	if resumed == nil {
		return ctx.Err()
	}
	select {
	case <-resumed:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
