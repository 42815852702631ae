package service

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/store"
)

// yieldLimit is how long a call to the embedder may go on after the turn was
// asked for; then it is cut off. Together with what was asked of it, background
// embedding gives way within a second (E7).
const yieldLimit = 700 * time.Millisecond

// embed brings the vectors that are missing, those of the documents committed
// last first, until ctx ends. It has the turn only while nobody else wants it.
func (k *keeper) embed(ctx context.Context) {
	b := &backlog{keeper: k, patience: patience{first: 2 * time.Second, most: 5 * time.Minute}}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wait := b.work(ctx)
		var due <-chan time.Time
		if wait > 0 {
			timer.Reset(wait)
			due = timer.C
		}
		select {
		case <-due:
		case <-k.pending:
		case <-ctx.Done():
			b.end(nil)
			return
		}
	}
}

// backlog is the work of embedding in the background. All of it, with its
// interruptions, is one run.
type backlog struct {
	*keeper
	patience patience
	delayed  string
	run      *run // nil: there is nothing to do
	stop     func() bool
	result   ingest.Result
	conclude conclusion
}

// work embeds until nothing is left, or until it has to wait; for how long, it
// returns. 0 means until something happens.
func (b *backlog) work(ctx context.Context) time.Duration {
	for {
		in, err := b.open(ctx)
		if err == nil && in == nil {
			b.end(nil)
			return 0
		}
		yielded := false
		if err == nil {
			yielded, err = b.once(ctx, in)
		}
		switch {
		case ctx.Err() != nil:
			return 0
		case b.run != nil && b.run.ctx.Err() != nil: // canceled: until something new comes
			b.end(context.Canceled)
			return 0
		case err == nil && yielded:
			continue
		case err == nil:
			b.patience.reset()
			b.delayed = ""
			b.end(nil)
			return 0
		}
		wait := b.patience.next(rand.Float64())
		if reason := b.words(ctx, err); reason != b.delayed {
			b.delayed = reason
			b.tell(api.WatchEvent{Type: api.WatchDelayed, Why: "passages wait for their vectors: " + reason, Seconds: wait.Seconds()})
		}
		return wait
	}
}

// open returns what embeds, nil if nothing lacks a vector. A generation
// under construction is completed where the settings ask for it: its plan was
// agreed to.
func (b *backlog) open(ctx context.Context) (*ingest.Ingester, error) {
	info, err := b.info(ctx)
	if err != nil {
		return nil, err
	}
	live, ok := info.Live()
	set := b.Config.Settings()
	for _, g := range info.Generations {
		if !g.Live && modelName(g.Space) == set.Embeddings {
			return b.Service.ingester(ctx, set)
		}
	}
	if !ok || live.Space == (corpus.Space{}) || info.Embedded >= info.Chunks {
		return nil, nil //nolint:nilnil // nothing to do
	}
	return b.liveIngester(ctx, live.Space)
}

// once embeds with the turn, until somebody else wants it.
func (b *backlog) once(ctx context.Context, in *ingest.Ingester) (yielded bool, err error) {
	if b.run == nil {
		if err := b.begin(ctx); err != nil {
			return false, err
		}
	}
	asked, release, err := b.turns.lend(b.run.ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if closed(asked) {
		return true, nil
	}
	inner, cut := context.WithCancel(b.run.ctx)
	defer cut()
	opt := b.options(b.run, b.Config.Settings(), b.conclude)
	opt.Control = &ingest.Control{}
	opt.Record = b.record(asked)
	var aside sync.WaitGroup
	aside.Go(func() {
		select {
		case <-asked:
		case <-inner.Done():
			return
		}
		opt.Control.Yield()
		select {
		case <-time.After(yieldLimit):
			cut()
		case <-inner.Done():
		}
	})
	result, err := in.EmbedPending(inner, opt)
	cut()
	aside.Wait()
	b.result = plus(b.result, result)
	switch {
	case closed(asked) && b.run.ctx.Err() == nil && (err == nil || errors.Is(err, context.Canceled)):
		return true, nil
	case err == nil && result.Embedding != "":
		err = fmt.Errorf("%w: %s", corpus.ErrUnavailable, result.Embedding)
	}
	return false, err
}

// begin makes the run.
func (b *backlog) begin(ctx context.Context) error {
	run, _, err := b.runs.begin(corpus.NewID().String(), kindEmbed, false, now())
	if err != nil {
		return err
	}
	b.run, b.stop = run, context.AfterFunc(ctx, run.cancel)
	b.result, b.conclude = ingest.Result{}, b.Service.conclude(run)
	b.watch.background(run)
	return nil
}

// record returns what makes the run's record: it goes on until the last of its
// parts, the one that nobody asks to give way.
func (b *backlog) record(asked <-chan struct{}) func(ingest.Result, error) store.Run {
	started := false
	return func(r ingest.Result, err error) store.Run {
		v, sum := b.run.view(), plus(b.result, r)
		if started && !closed(asked) {
			b.conclude(&v, sum, err)
			v.FinishedAt = timestamp(now())
		}
		started = true
		return record(summary{Run: v, Model: b.Config.Settings().Embeddings, Result: sum})
	}
}

// plus sums up what the parts of a run did.
func plus(a, b ingest.Result) ingest.Result {
	a.Embedded += b.Embedded
	a.Tokens += b.Tokens
	a.EmbedSeconds += b.EmbedSeconds
	a.Pending, a.Notes = b.Pending, b.Notes
	return a
}

// end ends the run, if there is one.
func (b *backlog) end(err error) {
	if b.run == nil {
		return
	}
	run := b.run
	b.run = nil
	b.stop()
	b.watch.background(nil)
	if err == nil && run.ctx.Err() != nil {
		err = context.Canceled
	}
	b.runs.end(run, now(), func(v *api.Run) { b.conclude(v, b.result, err) })
	if b.result.Embedded > 0 {
		v := run.view()
		b.tell(api.WatchEvent{Type: api.WatchEmbedded, Run: &v})
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
