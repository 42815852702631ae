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

// embed brings the vectors that are missing, those of the documents that
// searches found and then of those committed last first, until ctx ends. It has the turn only while nobody else wants it.
func (k *keeper) embed(ctx context.Context) {
	b := &backlog{
		keeper: k, failing: patience{first: 2 * time.Second, most: 5 * time.Minute}, busy: patience{first: time.Second, most: 10 * time.Second},
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wait := b.work(ctx)
		var due <-chan time.Time
		pending := k.pending
		if wait > 0 { // whatever comes meanwhile
			timer.Reset(wait)
			due, pending = timer.C, nil
		}
		var canceled <-chan struct{} // while it waits or is paused
		if b.run != nil {
			canceled = b.run.ctx.Done()
		}
		select {
		case <-due:
		case <-pending:
		case <-canceled:
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
	failing  patience // with a model or a store that fails
	busy     patience // with another process that writes
	delayed  string
	run      *run // nil: there is nothing to do
	stop     func() bool
	result   ingest.Result
	conclude conclusion
	onRecord bool // as going on
	measured measure
}

// work embeds until nothing is left, or until it has to wait; for how long, it
// returns. 0 means until something happens.
func (b *backlog) work(ctx context.Context) time.Duration {
	for {
		more, err := b.some(ctx)
		switch {
		case ctx.Err() != nil:
			return 0
		case b.run != nil && b.run.ctx.Err() != nil: // canceled: until something new comes
			b.end(context.Canceled)
			return 0
		case err == nil && more == again:
			continue
		case err == nil && more == paused:
			b.stand(true)
			return 0
		case err == nil && more == elsewhere:
			return yieldGrace
		case err == nil:
			b.failing.reset()
			b.busy.reset()
			b.delayed = ""
			b.end(nil)
			return 0
		}
		p := &b.failing
		if errors.Is(err, corpus.ErrBusy) {
			p = &b.busy
		}
		wait := p.next(rand.Float64())
		if reason := b.words(ctx, err); reason != b.delayed {
			b.delayed = reason
			b.tell(api.WatchEvent{Type: api.WatchDelayed, Why: "passages wait for their vectors: " + reason, Seconds: wait.Seconds()})
		}
		return wait
	}
}

// some embeds until nothing is left or somebody wants something else.
func (b *backlog) some(ctx context.Context) (more, error) {
	in, err := b.open(ctx)
	if err != nil || in == nil {
		return nothing, err
	}
	if b.run == nil {
		if err := b.begin(ctx); err != nil {
			return nothing, err
		}
	}
	asked, err := b.requests(ctx)
	if err != nil {
		return nothing, err
	}
	if _, is := asked[requestPause]; is {
		return paused, nil
	}
	b.stand(false)
	return b.once(in)
}

// stand shows whether the run stands still.
func (b *backlog) stand(still bool) {
	p := b.run.view().Progress
	if p.Paused != still {
		p.Paused = still
		b.run.progress(p)
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
func (b *backlog) once(in *ingest.Ingester) (more, error) {
	wanted, release, err := b.turns.lend(b.run.ctx)
	if err != nil {
		return nothing, err
	}
	defer release()
	if closed(wanted) {
		return again, nil
	}
	inner, cut := context.WithCancel(b.run.ctx)
	defer cut()
	asks := make(chan more, 1)
	stopHeeding := b.heed(inner, func(asked map[string]store.Request) {
		_, pause := asked[requestPause]
		_, yield := asked[requestYield]
		switch {
		case asked[requestCancel].Run == b.run.id:
			b.run.cancel()
			b.heeded(inner, requestCancel)
		case pause:
			offer(asks, paused)
		case yield:
			offer(asks, elsewhere)
		}
	})
	giving := &giving{control: &ingest.Control{}}
	var aside sync.WaitGroup
	aside.Go(func() { giving.way(inner, cut, wanted, asks) })
	b.measured = b.measure(b.run.ctx, in)
	opt := b.options(b.run, b.Config.Settings(), b.measured, b.conclude)
	opt.Control = giving.control
	opt.First = b.interest.first
	opt.Record = b.record(giving)
	result, err := in.EmbedPending(inner, opt)
	cut()
	aside.Wait()
	stopHeeding()
	b.result = plus(b.result, result)
	why := giving.why()
	switch {
	case why != nothing && b.run.ctx.Err() == nil && (err == nil || errors.Is(err, context.Canceled)):
		if why == elsewhere {
			b.heeded(b.run.ctx, requestYield)
		}
		return why, nil
	case err == nil && result.Embedding != "":
		err = fmt.Errorf("%w: %s", corpus.ErrUnavailable, result.Embedding)
	}
	return nothing, err
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
// parts, the one that did not give way.
func (b *backlog) record(g *giving) func(ingest.Result, error) (store.Run, []store.Event) {
	started := false
	return func(r ingest.Result, err error) (store.Run, []store.Event) {
		v, sum := b.run.view(), plus(b.result, r)
		if started && g.why() == nothing {
			b.conclude(&v, sum, err)
			v.FinishedAt = timestamp(now())
		}
		b.onRecord = v.FinishedAt == ""
		out := summary{Run: v, Speeds: b.measured.after(sum), Result: sum, GaveWay: started && b.onRecord}
		started = true
		return b.withEvent(b.run, out)
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
	b.close(run)
	if b.result.Embedded > 0 {
		v := run.view()
		b.tell(api.WatchEvent{Type: api.WatchEmbedded, Run: &v})
	}
}

// close records the end of a run that ends without the writer role, while it
// gave way. Where somebody else has the role, it remains to be seen from the
// record's age that the run is over.
func (b *backlog) close(run *run) {
	if !b.onRecord {
		return
	}
	b.onRecord = false
	ctx, cancel := context.WithTimeout(context.WithoutCancel(run.ctx), time.Second)
	defer cancel()
	w, err := b.Store.Acquire(ctx, b.Holder)
	if err != nil {
		return
	}
	last, events := b.withEvent(run, summary{Run: run.view(), Speeds: b.measured.after(b.result), Result: b.result})
	err = w.PutRun(ctx, last, events...)
	if err = errors.Join(err, w.Release()); err != nil {
		b.Log.Warn("the end of a run was not recorded", "run", run.id, "error", err)
	}
}
