package service

import (
	"context"
	"sync"
)

// turns lets the runs of this process write one after another. Embedding in
// the background is asked to give way as soon as a run wants its turn.
type turns struct {
	token chan struct{} // holds one while somebody has the turn

	mu     sync.Mutex
	wanted int           // runs that wait for their turn
	asked  chan struct{} // closed while wanted is not 0
}

func newTurns() *turns {
	return &turns{token: make(chan struct{}, 1), asked: make(chan struct{})}
}

// take waits for a run's turn. Whoever got it calls release once.
func (t *turns) take(ctx context.Context) (release func(), err error) {
	t.want(1)
	defer t.want(-1)
	return t.acquire(ctx)
}

func (t *turns) want(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.wanted
	t.wanted += n
	switch {
	case before == 0:
		close(t.asked)
	case t.wanted == 0:
		t.asked = make(chan struct{})
	}
}

// lend waits for a turn that is to be given back as soon as asked is closed.
func (t *turns) lend(ctx context.Context) (asked <-chan struct{}, release func(), err error) {
	if release, err = t.acquire(ctx); err != nil {
		return nil, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.asked, release, nil
}

func (t *turns) acquire(ctx context.Context) (release func(), err error) {
	select {
	case t.token <- struct{}{}:
		return func() { <-t.token }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
