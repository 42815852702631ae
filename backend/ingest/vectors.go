package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// backlogCalls is how many calls' worth of passages are fetched at a time, some
// ten seconds of work: so that looking them up costs little, and a document
// that was just committed comes first soon.
const backlogCalls = 10 * int(time.Second/batchTime) * embedCalls

// backlog embeds the generation's passages that lack vectors until none is
// left but those that the model refuses, or the embedder fails.
func (r *run) backlog(ctx context.Context) error {
	if r.engine == nil {
		return nil
	}
	r.meter.stage(StageEmbed)
	err := r.Store.View(ctx, func(v store.Reader) error {
		waiting, err := r.waiting(ctx, v)
		r.meter.set(func(p *Progress) { p.ChunksOf = p.Chunks + waiting })
		return err
	})
	if err != nil {
		return fmt.Errorf("count passages without vectors: %w", err)
	}
	var before map[corpus.Hash]bool
	for r.engine.stopped() == nil && !r.opt.Control.yields() {
		pending, err := r.pending(ctx)
		if err != nil || len(pending) == 0 {
			return err
		}
		asked := make(map[corpus.Hash]bool, len(pending))
		for _, p := range pending {
			if before[p.hash] {
				return errors.New("store vectors: a vector that was stored is missing again")
			}
			asked[p.hash] = true
		}
		before = asked
		if err := r.engine.run(ctx, pending, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// pending returns the next passages to embed.
func (r *run) pending(ctx context.Context) ([]input, error) {
	var list []store.Pending
	limit := backlogCalls*r.engine.size() + len(r.engine.refused)
	err := r.Store.View(ctx, func(v store.Reader) (err error) {
		var first []corpus.ID
		if r.opt.First != nil {
			first = r.opt.First()
		}
		if list, err = v.PendingOf(ctx, r.gen.ID, first, limit); err != nil || len(list) == limit {
			return err
		}
		others, err := v.Pending(ctx, r.gen.ID, limit)
		list = append(list, others...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read passages without vectors: %w", err)
	}
	var inputs []input
	seen := make(map[corpus.Hash]bool, len(list))
	for _, p := range list {
		if r.engine.refused[p.Hash] == nil && !seen[p.Hash] {
			seen[p.Hash] = true
			inputs = append(inputs, input{hash: p.Hash, text: p.Input, tokens: p.Tokens})
		}
	}
	return inputs, nil
}

// waiting counts the generation's passages without vectors.
func (r *run) waiting(ctx context.Context, v store.Reader) (int, error) {
	if r.engine == nil || r.gen.ID == 0 {
		return 0, nil
	}
	tally, err := v.Tally(ctx, r.gen.ID)
	n := 0
	for _, t := range tally {
		n += t.Chunks - t.Embedded
	}
	return n, err
}
