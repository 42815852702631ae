package ingest

import (
	"context"
	"runtime"
	"runtime/debug"

	"golang.org/x/sync/semaphore"

	"ibid/backend/extract"
)

// memoryBudget bounds the documents that are in the pipeline, estimated as
// memoryFactor times the size of their files: bytes, text, passages and terms.
// Of one that was read extract.Weight knows better.
const (
	memoryBudget = 192 << 20
	memoryFactor = 12
	memoryLeast  = 64 << 10
)

// share is what a document takes of the budget. One goroutine uses it at a time.
type share struct {
	of   *semaphore.Weighted
	held int64
}

// newShare waits until there is room for a file of so many bytes.
func newShare(ctx context.Context, of *semaphore.Weighted, bytes int64) (*share, error) {
	s := &share{of: of}
	return s, s.raise(ctx, memoryLeast+memoryFactor*bytes)
}

// weigh waits until there is room for the file with these bytes, which may be
// denser than most. A nil share has all the room that there is.
func (s *share) weigh(ctx context.Context, data []byte) error {
	if s == nil {
		return nil
	}
	return s.raise(ctx, extract.Weight(data))
}

// raise makes the share larger. What it holds is given back before: several that
// wait for more than there is would wait for each other.
func (s *share) raise(ctx context.Context, n int64) error {
	if n = min(n, memoryBudget); n <= s.held {
		return nil
	}
	s.release()
	if err := s.of.Acquire(ctx, n); err != nil {
		return err
	}
	if s.held = n; n == memoryBudget {
		relieve()
	}
	return nil
}

// release gives all of it back.
func (s *share) release() {
	if s.held == memoryBudget {
		relieve()
	}
	s.of.Release(s.held)
	s.held = 0
}

// muchMemory is how much memory of this process may stand, in bytes, beside what
// a process takes that reads documents.
const muchMemory = 192 << 20

// relieve gives garbage back to the system where there may be much, after a large
// document or a large mailbox was listed: the runtime would keep it for the next.
func relieve() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapSys-m.HeapReleased > muchMemory {
		debug.FreeOSMemory()
	}
}
