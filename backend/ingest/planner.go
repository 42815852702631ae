package ingest

import (
	"context"
	"fmt"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// PlanOptions says what to plan.
type PlanOptions struct {
	// Sources to look at; none: all that are not paused.
	Sources []corpus.ID
	// Places limits the look at a source to folders and files, as events hint
	// at them; nothing outside is planned. A source not in it is looked at
	// as a whole.
	Places map[corpus.ID][]string
	// Exact extracts every document that is to be made, so that the counts are
	// exact.
	Exact bool
	// Retry tries documents again that failed and have not changed.
	Retry   bool
	Observe Observer // Progress only
	Control *Control // may be nil
}

// Plan says what a run would do. It changes nothing and needs no writer role.
// A source that cannot be looked at is part of the plan; errors are those of
// the store and of ctx, and corpus.ErrNotFound for a source that there is not.
func (in *Ingester) Plan(ctx context.Context, opt PlanOptions) (*plan.Reindex, error) {
	k := &knowledge{Ingester: in, opt: opt}
	if err := k.read(ctx); err != nil {
		return nil, fmt.Errorf("plan: read library: %w", err)
	}
	l := newLook(in, k.sources, opt)
	l.meter.start(ctx)
	defer l.meter.end()
	known := bySource(k.input.Known)
	for _, s := range k.chosen {
		scan, err := l.scan(ctx, s, known[s.ID])
		if err != nil {
			return nil, fmt.Errorf("plan: scan source %q: %w", s.Name, err)
		}
		k.input.Scans = append(k.input.Scans, scan)
	}
	if err := k.complete(ctx, l); err != nil {
		return nil, fmt.Errorf("plan: read library: %w", err)
	}
	p, err := plan.Documents(k.input)
	if err != nil {
		return nil, err
	}
	if err := l.explainRemovals(ctx, p); err != nil {
		return nil, err
	}
	if opt.Exact {
		if err := in.exact(ctx, p, l.meter); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// choose returns the sources to look at.
func choose(sources []corpus.Source, ids []corpus.ID) ([]corpus.Source, error) {
	if len(ids) == 0 {
		return slices.DeleteFunc(slices.Clone(sources), func(s corpus.Source) bool {
			return s.Paused
		}), nil
	}
	var chosen []corpus.Source
	for _, id := range ids {
		i := slices.IndexFunc(sources, func(s corpus.Source) bool { return s.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("%w: source %s", corpus.ErrNotFound, id)
		}
		chosen = append(chosen, sources[i])
	}
	return chosen, nil
}

func bySource(known []plan.Known) map[corpus.ID][]*plan.Known {
	m := make(map[corpus.ID][]*plan.Known)
	for i := range known {
		m[known[i].Source] = append(m[known[i].Source], &known[i])
	}
	return m
}
