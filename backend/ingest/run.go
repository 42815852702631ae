package ingest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// run is one execution, from taking the writer role to giving it back.
type run struct {
	*Ingester
	opt    ApplyOptions
	w      store.Writer
	meter  *meter
	engine *engine // nil: keywords only
	budget *semaphore.Weighted

	sources map[corpus.ID]corpus.Source
	ledger  map[corpus.ID]corpus.Document // of the planned documents
	places  map[place]corpus.ID           // documents where the plan wants to put one
	gen     store.Generation              // that is written to
	live    store.Generation              // the same, unless gen is being built

	mu      sync.Mutex
	result  Result
	allowed map[corpus.Hash]bool // inputs that opt.Allow let in
	hasty   bool                 // the embedder gave nothing within swapWait: do not wait again
}

// start takes the writer role, does the work and gives the role back.
func (in *Ingester) start(ctx context.Context, opt ApplyOptions, work func(context.Context, *run) error) (Result, error) {
	if opt.Control == nil {
		opt.Control = &Control{}
	}
	w, err := in.Store.Acquire(ctx, opt.Holder)
	if err != nil {
		return Result{}, err // it says that the role cannot be had, and who has it
	}
	r := &run{
		Ingester: in, opt: opt, w: w, meter: newMeter(opt.Observe, opt.Control),
		budget: semaphore.NewWeighted(memoryBudget), allowed: make(map[corpus.Hash]bool),
	}
	r.result = Result{Skipped: []Problem{}, Failed: []Problem{}, Notes: []string{}}
	if in.Embedder != nil {
		r.engine = newEngine(in.Embedder, w, opt.Control, r.meter)
	}
	r.meter.start(ctx)
	err = r.record(ctx, nil)
	if err == nil {
		err = work(ctx, r)
	}
	// A cancelled run still says what it did.
	last := context.WithoutCancel(ctx)
	r.sum(last)
	r.meter.end()
	// What ended the run is told once: its record may fail for the same reason.
	if recorded := r.record(last, err); err == nil {
		err = recorded
	} else if recorded != nil {
		in.Log.Warn("the run was not recorded", "error", recorded)
	}
	if released := w.Release(); err == nil {
		err = released
	} else if released != nil {
		in.Log.Warn("the writer role was not given back", "error", released)
	}
	return r.result, err
}

// record stores the run's record.
func (r *run) record(ctx context.Context, err error) error {
	if r.opt.Record == nil {
		return nil
	}
	run, events := r.opt.Record(r.result, err)
	if err := r.w.PutRun(ctx, run, events...); err != nil {
		return fmt.Errorf("record run: %w", err)
	}
	return nil
}

// sum fills in the totals that are known only at the end.
func (r *run) sum(ctx context.Context) {
	if e := r.engine; e != nil {
		r.result.Embedded, r.result.Tokens = e.count, e.tokens
		r.result.EmbedSeconds = r.meter.embedTime().Seconds()
		if e.failure != nil {
			r.result.Embedding = e.failure.Error()
		}
		if n := len(e.refused); n > 0 {
			r.result.Notes = append(r.result.Notes, fmt.Sprintf("the embedding model refused %d passages: %v", n, e.refused[least(e.refused)]))
		}
	}
	err := r.Store.View(ctx, func(v store.Reader) (err error) {
		r.result.Pending, err = r.waiting(ctx, v)
		return err
	})
	if err != nil {
		r.Log.Warn("passages without vectors were not counted", "error", err)
	}
}

// least returns the smallest key, so that what is told does not depend on the
// order of a map.
func least(m map[corpus.Hash]error) corpus.Hash {
	return slices.MinFunc(slices.Collect(maps.Keys(m)), func(a, b corpus.Hash) int { return bytes.Compare(a[:], b[:]) })
}
