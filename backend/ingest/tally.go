package ingest

import "sync"

// tally counts up to a limit; it may be used by several goroutines.
type tally struct {
	most int
	mu   sync.Mutex
	n    int
}

func newTally(most int) *tally { return &tally{most: most} }

// add counts n more and reports whether the limit is kept.
func (t *tally) add(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n += n
	return t.n <= t.most
}
