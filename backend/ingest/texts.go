package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// A batch of documents is committed in one transaction as far as they are
// ready; each stays whole for itself. A commit writes the statistics of each of
// its terms once: a few large ones cost a server half of what many small ones do.
const (
	commitDocuments = 256
	commitBytes     = 4 << 20
)

// stream makes the documents of actions in parallel and in bounded memory and
// hands them to consume in the order in which they are ready. Those that
// cannot be made are noted.
func (r *run) stream(ctx context.Context, actions []plan.Action, consume func(context.Context, <-chan *made) error) error {
	if len(actions) == 0 {
		return nil
	}
	relieve() // of what looking took
	g, ctx := errgroup.WithContext(ctx)
	jobs := make(chan plan.Action)
	ready := make(chan *made, commitDocuments)
	g.Go(func() error {
		defer close(jobs)
		for _, a := range actions {
			if err := r.opt.Control.wait(ctx); err != nil {
				return err
			}
			select {
			case jobs <- a:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	var makers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		makers.Add(1)
		g.Go(func() error {
			defer makers.Done()
			for a := range jobs {
				m, err := r.one(ctx, a)
				if err != nil {
					return err
				}
				if m == nil {
					continue
				}
				select {
				case ready <- m:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		makers.Wait()
		close(ready)
		return nil
	})
	g.Go(func() error { return consume(ctx, ready) })
	return g.Wait()
}

// one makes a document, or notes why it cannot be made and returns nil. The
// error is the run's end.
func (r *run) one(ctx context.Context, a plan.Action) (*made, error) {
	share, err := newShare(ctx, r.budget, a.Bytes)
	if err != nil {
		return nil, err
	}
	r.meter.set(func(p *Progress) { p.Current = a.Path })
	var prior *corpus.Document
	if doc, known := r.ledger[a.Document]; known {
		prior = &doc
	}
	m, err := r.make(ctx, r.sources[a.Source], a, prior, share)
	if err == nil {
		err = r.allow(ctx, m)
	}
	if err == nil {
		m.share = share
		return m, nil
	}
	share.release()
	return nil, r.unmade(ctx, a, err)
}

// allow asks whether a document may come in; *staleError says why not.
func (r *run) allow(ctx context.Context, m *made) error {
	if r.opt.Allow == nil || r.engine == nil {
		return nil
	}
	need, err := r.lacking(ctx, []*made{m})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	tokens := 0
	for _, i := range need {
		if !r.allowed[i.hash] { // once in the run
			tokens += i.tokens
		}
	}
	if refusal := r.opt.Allow(m.action, tokens); refusal != "" {
		return &staleError{refusal}
	}
	for _, i := range need {
		r.allowed[i.hash] = true
	}
	return nil
}

// unmade notes why a document could not be made.
func (r *run) unmade(ctx context.Context, a plan.Action, err error) error {
	var stale *staleError
	var content *contentError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &stale):
		r.skip(a, stale.reason)
	case errors.As(err, &content):
		return r.spoiled(ctx, a, content.attempt, content.err)
	default:
		r.fail(a, err.Error())
	}
	return nil
}

// spoiled records in the ledger that a document's bytes cannot be indexed. The
// passages of an earlier version stay.
func (r *run) spoiled(ctx context.Context, a plan.Action, attempt corpus.Document, reason error) error {
	attempt.Error = strings.ReplaceAll(strings.ToValidUTF8(reason.Error(), "\uFFFD"), "\x00", "\uFFFD")
	switch err := r.w.Record(ctx, attempt); {
	case errors.Is(err, corpus.ErrStale):
		r.skip(a, "the library changed since it was planned")
	case err != nil && !ofDocument(err):
		return fmt.Errorf("record failed document: %w", err)
	case !r.reads(attempt.Path, attempt.Type):
		r.leave(a, attempt.Error)
	default:
		r.fail(a, attempt.Error)
	}
	return nil
}

// ofDocument reports whether a store's error is about one document and says
// nothing of the others.
func ofDocument(err error) bool {
	return errors.Is(err, corpus.ErrStale) || errors.Is(err, corpus.ErrInvalid) ||
		errors.Is(err, corpus.ErrLimit) || errors.Is(err, store.ErrMissingVectors)
}

// gather waits for a document and takes along what else is ready, within the
// bounds. An empty batch is the end.
func gather(ctx context.Context, ready <-chan *made, full func(batch []*made) bool) ([]*made, error) {
	var batch []*made
	select {
	case m, ok := <-ready:
		if !ok {
			return nil, nil
		}
		batch = append(batch, m)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for !full(batch) {
		select {
		case m, ok := <-ready:
			if !ok {
				return batch, nil
			}
			batch = append(batch, m)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// finish gives back what the documents of a batch took, and forgets them.
func finish(batch []*made) {
	for i, m := range batch {
		share := m.share
		batch[i] = nil
		share.release()
	}
}

// commitTexts commits documents as they come; their vectors follow.
func (r *run) commitTexts(ctx context.Context, ready <-chan *made) error {
	full := func(batch []*made) bool {
		size := 0
		for _, m := range batch {
			size += len(m.change.Text)
		}
		return len(batch) >= commitDocuments || size >= commitBytes
	}
	for {
		batch, err := gather(ctx, ready, full)
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := r.commit(ctx, batch, nil); err != nil {
			return err
		}
		finish(batch)
	}
}

// commit commits a batch in one transaction; if one document spoils that, each
// for itself. fresh are the hashes that were embedded for the batch just now.
func (r *run) commit(ctx context.Context, batch []*made, fresh map[corpus.Hash]bool) error {
	committed, err := r.write(ctx, batch)
	switch {
	case err == nil:
		for i, m := range batch {
			r.committed(m, committed[i], fresh)
		}
		return nil
	case !ofDocument(err) || ctx.Err() != nil:
		return err // the store says what it was doing
	case len(batch) > 1:
		for _, m := range batch {
			if err := r.commit(ctx, []*made{m}, fresh); err != nil {
				return err
			}
		}
		return nil
	}
	m := batch[0]
	switch {
	case errors.Is(err, corpus.ErrStale):
		r.skip(m.action, "the library changed since it was planned")
	case errors.Is(err, store.ErrMissingVectors):
		reason := "vectors are required and some are missing"
		if stopped := r.engine.stopped(); stopped != nil {
			reason += ": " + stopped.Error()
		}
		r.fail(m.action, reason)
	default:
		return r.spoiled(ctx, m.action, m.attempt, err)
	}
	return nil
}

// write commits a batch to the generation at hand. While a second one is
// built, changed content goes to the live one as well, text first, so that
// searches find it; but not if the two are analyzed differently, as their
// terms must not mix, nor if vectors are required.
func (r *run) write(ctx context.Context, batch []*made) ([]store.Committed, error) {
	from := make(map[corpus.ID]int64, len(batch))
	if r.building() && r.live.Analyzer == r.gen.Analyzer && !r.opt.Strict {
		var changes []store.Change
		for _, m := range batch {
			if m.action.Code == plan.ContentChanged || m.action.Kind == plan.Added {
				c := m.change
				c.Generation = r.live.ID
				changes = append(changes, c)
			}
		}
		first, err := r.w.Commit(ctx, changes...)
		if err != nil {
			return nil, err
		}
		for _, c := range first {
			from[c.Document] = c.Revision
		}
	}
	changes := make([]store.Change, len(batch))
	for i, m := range batch {
		changes[i] = m.change
		changes[i].Generation = r.gen.ID
		changes[i].Strict = r.opt.Strict && !r.building()
		if revision, ok := from[m.action.Document]; ok {
			changes[i].From = revision
		}
	}
	return r.w.Commit(ctx, changes...)
}

// committed notes what a commit did.
func (r *run) committed(m *made, c store.Committed, fresh map[corpus.Hash]bool) {
	embedded := 0
	for i := range m.change.Entries {
		if fresh[m.change.Entries[i].Chunk.Hash] {
			embedded++
		}
	}
	r.mu.Lock()
	if r.engine != nil {
		r.result.Reused += max(0, c.Added+c.Kept+c.Relocated-c.Missing-embedded)
	}
	r.result.Relocated += c.Relocated
	r.result.PassagesRemoved += c.Removed
	r.result.Texts++
	r.mu.Unlock()
	r.meter.set(func(p *Progress) { p.ChunksOf += c.Missing })
	r.done(m.action)
}
