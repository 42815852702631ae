package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// ApplyOptions says how to apply.
type ApplyOptions struct {
	// Holder names process and purpose to others who want the writer role.
	Holder string
	// AllowRemovals is the consent to mass removals: at least as many as the
	// plan's guarded removals.
	AllowRemovals int
	// NoWait leaves the vectors of new documents to a later run.
	NoWait bool
	// Strict commits no document without all its vectors (vectors = required).
	Strict bool
	// Allow decides about a document that was read, knowing how many tokens are
	// to be embedded for it: what it returns says why the document is skipped,
	// "" lets it in. It is called by one goroutine at a time. nil: all come in.
	Allow func(a plan.Action, tokens int) (refusal string)
	// First names documents of which the passages that wait are embedded before
	// all others; it is asked again every ten seconds of work. May be nil.
	First func() []corpus.ID
	// Sweep forgets vectors that no passage uses and that nobody used since
	// then; zero: none.
	Sweep   time.Time
	Observe Observer
	Control *Control // may be nil
	// Record makes the run's record: it is called when the writer role was
	// taken, and again at the end; what it returns is stored. May be nil.
	Record func(r Result, err error) (store.Run, []store.Event)
}

// GuardError: a mass removal was not consented to.
type GuardError struct {
	Removals, Allowed int
}

// Error says what consent is missing.
func (e *GuardError) Error() string {
	return fmt.Sprintf("plan removes %d documents and %d are allowed", e.Removals, e.Allowed)
}

// Apply executes a plan. Documents fail and are skipped one by one and stand
// in the result; an error means that the run ended early:
//
//   - *GuardError, corpus.ErrInvalid, corpus.ErrStale (the plan is of another
//     library or model): nothing was changed
//   - corpus.ErrBusy: another process has the writer role, or took it
//   - ctx's error: what was committed stays
//   - any other: the store failed
//
// A failing embedder is none of these: texts are committed and wait for their
// vectors, and Result.Embedding says why.
func (in *Ingester) Apply(ctx context.Context, p *plan.Reindex, opt ApplyOptions) (Result, error) {
	if err := p.Validate(); err != nil {
		return Result{}, fmt.Errorf("apply plan: %w", err)
	}
	return in.start(ctx, opt, func(ctx context.Context, r *run) error { return r.apply(ctx, p) })
}

// apply does the plan's work: places, then texts, then what is gone, then
// vectors.
func (r *run) apply(ctx context.Context, p *plan.Reindex) error {
	if err := r.check(ctx, p); err != nil {
		return err
	}
	if _, err := r.open(ctx, true); err != nil {
		return err
	}
	if err := r.mend(ctx, p); err != nil {
		return err
	}
	work := r.sort(p)
	r.result.Unseen = unseen(p.Sources)
	began := time.Now()
	r.meter.stage(StageExtract)
	if err := r.w.Touch(ctx, work.refresh); err != nil {
		return fmt.Errorf("refresh fingerprints: %w", err)
	}
	r.result.Refreshed = len(work.refresh)
	if err := r.move(ctx, work.moves); err != nil {
		return err
	}
	if err := r.stream(ctx, work.texts, r.commitTexts); err != nil {
		return err
	}
	r.result.TextSeconds = time.Since(began).Seconds()
	r.meter.stage(StageEmbed)
	if err := r.stream(ctx, work.swaps, r.commitSwaps); err != nil {
		return err
	}
	r.meter.stage(StageRemove)
	if err := r.remove(ctx, work.removals); err != nil {
		return err
	}
	if err := r.keepMarks(ctx, p.Sources); err != nil {
		return err
	}
	if r.building() {
		r.meter.stage(StageExtract)
		if err := r.carry(ctx); err != nil {
			return err
		}
	}
	if err := r.follow(ctx); err != nil || r.opt.Sweep.IsZero() {
		return err
	}
	swept, err := r.w.Sweep(ctx, r.opt.Sweep)
	if err != nil {
		return fmt.Errorf("sweep library: %w", err)
	}
	if swept > 0 {
		r.Log.Info("vectors that nobody uses were forgotten", "vectors", swept)
	}
	return nil
}

// errNewer: somebody changed a source's root since it was scanned.
var errNewer = errors.New("the source's root was changed meanwhile")

// keepMarks stores what the scan found of the sources' roots, so that an
// exchanged root is known as such: where the root is still the one that was
// scanned, and nobody said anything newer of it.
func (r *run) keepMarks(ctx context.Context, planned []plan.Source) error {
	for _, p := range planned {
		s, known := r.sources[p.ID]
		if !known || p.Mark == "" || p.Mark == s.Mark && p.FoldCase == s.FoldCase {
			continue
		}
		err := r.Store.ChangeSource(ctx, p.ID, func(s *corpus.Source) error {
			if s.Root != p.Path || s.Mark != p.MarkBefore {
				return errNewer
			}
			s.Mark, s.FoldCase = p.Mark, p.FoldCase
			return nil
		})
		if err != nil && !errors.Is(err, errNewer) && !errors.Is(err, corpus.ErrNotFound) {
			return fmt.Errorf("keep the mark of source %q: %w", p.Name, err)
		}
	}
	return nil
}

// follow brings the vectors that are still missing and completes a generation
// under construction.
func (r *run) follow(ctx context.Context) error {
	if !r.opt.NoWait {
		if err := r.backlog(ctx); err != nil {
			return err
		}
	}
	if r.building() {
		return r.switchOver(ctx)
	}
	return nil
}

// EmbedPending embeds passages that lack vectors, those of opt.First and then of
// the most recently changed documents first, and completes a generation that a killed or
// impatient run left under construction. Where the settings ask for another
// model than the library has, it does nothing: that takes a plan. Of opt,
// AllowRemovals, NoWait, Strict and Allow do not matter.
func (in *Ingester) EmbedPending(ctx context.Context, opt ApplyOptions) (Result, error) {
	opt.NoWait = false
	return in.start(ctx, opt, func(ctx context.Context, r *run) error {
		found, err := r.open(ctx, false)
		if err != nil || !found {
			return err
		}
		return r.follow(ctx)
	})
}
