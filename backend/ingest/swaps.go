package ingest

import (
	"context"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// A changed document waits for its vectors at most swapWait; no call to the
// embedder is begun in the last swapGrace of it, so that none is thrown away.
const (
	swapWait  = 30 * time.Second
	swapGrace = 5 * time.Second
)

// commitSwaps commits documents together with their vectors: what lacks one is
// embedded first. After swapWait, or when the embedder fails, a document is
// committed text first, unless vectors are required.
func (r *run) commitSwaps(ctx context.Context, ready <-chan *made) error {
	full := func(batch []*made) bool {
		n := 0
		for _, m := range batch {
			n += len(m.change.Entries)
		}
		return len(batch) >= commitDocuments || n >= 2*batchMax
	}
	for {
		batch, err := gather(ctx, ready, full)
		if err != nil || len(batch) == 0 {
			return err
		}
		need, err := r.lacking(ctx, batch)
		if err != nil {
			return err
		}
		r.meter.set(func(p *Progress) { p.ChunksOf += len(need) })
		if err := r.embedFor(ctx, need); err != nil {
			return err
		}
		fresh := make(map[corpus.Hash]bool, len(need))
		for _, i := range need {
			fresh[i.hash] = true
		}
		if err := r.commit(ctx, batch, fresh); err != nil {
			return err
		}
		finish(batch)
	}
}

// embedFor embeds what a batch of documents waits for.
func (r *run) embedFor(ctx context.Context, need []input) error {
	if len(need) == 0 || r.hasty {
		return nil
	}
	if r.opt.Strict {
		return r.engine.run(ctx, need, time.Time{})
	}
	began, count := time.Now(), r.engine.count
	limited, cancel := context.WithDeadline(ctx, began.Add(swapWait))
	defer cancel()
	err := r.engine.run(limited, need, began.Add(swapWait-swapGrace))
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = nil // time is up; the vectors follow
	}
	r.hasty = r.engine.count == count
	return err
}

// lacking returns the inputs of documents that have no vector anywhere.
func (r *run) lacking(ctx context.Context, batch []*made) ([]input, error) {
	var hashes []corpus.Hash
	for _, m := range batch {
		for i := range m.change.Entries {
			hashes = append(hashes, m.change.Entries[i].Chunk.Hash)
		}
	}
	var have map[corpus.Hash]bool
	err := r.Store.View(ctx, func(v store.Reader) (err error) {
		have, err = v.HaveVectors(ctx, r.space, hashes)
		return err
	})
	if err != nil {
		return nil, err
	}
	var need []input
	for _, m := range batch {
		chunks := make([]corpus.Chunk, len(m.change.Entries))
		for i := range m.change.Entries {
			chunks[i] = m.change.Entries[i].Chunk
		}
		for _, c := range plan.Inputs(chunks, func(h corpus.Hash) bool { return have[h] }) {
			need = append(need, input{hash: c.Hash, text: c.Input(), tokens: c.Tokens})
			have[c.Hash] = true // asked for once in the batch
		}
	}
	return need, nil
}
