package ingest

import (
	"context"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// ApplyOptions says how to apply.
type ApplyOptions struct {
	// Holder names process and purpose to others who want the writer role.
	Holder string
	// AllowRemovals is the consent to mass removals: at least as many as the
	// plan's guarded removals (A5).
	AllowRemovals int
	// NoWait leaves the vectors of new documents to a later run.
	NoWait bool
	// Strict commits no document without all its vectors (vectors = required).
	Strict  bool
	Observe Observer
	Control *Control // may be nil
	// Record makes the run's record: it is called when the writer role was
	// taken and again at the end, also after an error; what it returns is
	// stored. May be nil.
	Record func(r Result, err error) store.Run
}

// Apply executes a plan. Documents fail and are skipped one by one and stand
// in the result; an error means that the run ended early:
//
//   - *GuardError, corpus.ErrInvalid, corpus.ErrStale (the plan is of another
//     library or model): nothing was changed
//   - corpus.ErrBusy: another process has the writer role, or took it
//   - ctx's error: what was committed stays
//   - any other: the store failed
func (in *Ingester) Apply(ctx context.Context, p *plan.Reindex, opt ApplyOptions) (Result, error) {
	return Result{}, corpus.ErrUnsupported
}

// GuardError: a mass removal was not consented to.
type GuardError struct {
	Removals, Allowed int
}

// Error says what consent is missing.
func (e *GuardError) Error() string {
	return fmt.Sprintf("plan removes %d documents and %d are allowed", e.Removals, e.Allowed)
}

// EmbedPending embeds passages that lack vectors, those of the most recently
// changed documents first, and completes a second generation. Of opt, plan and
// removals do not matter.
func (in *Ingester) EmbedPending(ctx context.Context, opt ApplyOptions) (Result, error) {
	return Result{}, corpus.ErrUnsupported
}
