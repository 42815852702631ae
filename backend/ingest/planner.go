package ingest

import (
	"context"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// PlanOptions says what to plan.
type PlanOptions struct {
	// Sources to look at; none: all that are not paused.
	Sources []corpus.ID
	// Places limits the look at a source to folders and files, as events hint
	// at them; nothing outside is planned (D9). A source not in it is looked at
	// as a whole.
	Places map[corpus.ID][]string
	// Exact extracts every document that is to be made, so that the counts are
	// exact.
	Exact bool
	// Retry tries documents again that failed and have not changed.
	Retry   bool
	Observe Observer // Progress only
	Control *Control
}

// Plan says what a run would do. It changes nothing and needs no writer role.
// A source that cannot be looked at is part of the plan; errors are those of
// the store and of ctx.
func (in *Ingester) Plan(ctx context.Context, opt PlanOptions) (*plan.Reindex, error) {
	return nil, corpus.ErrUnsupported
}

// Exact extracts and divides every document of the plan that is to be made and
// replaces the estimates by what it finds. Documents that cannot be extracted
// keep their estimate; applying will say why.
func (in *Ingester) Exact(ctx context.Context, p *plan.Reindex, opt PlanOptions) error {
	return corpus.ErrUnsupported
}

// Comparison shows what an action does to a document's passages.
type Comparison struct {
	Action plan.Action // with exact counts
	Title  string
	Rows   []plan.Row
	// Have tells of which passages a vector is at hand, by hash.
	Have map[corpus.Hash]bool
}

// Diff extracts one document of a plan and compares its passages.
func (in *Ingester) Diff(ctx context.Context, a plan.Action) (*Comparison, error) {
	return nil, corpus.ErrUnsupported
}
