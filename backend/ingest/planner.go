package ingest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// PlanOptions says what to plan.
type PlanOptions struct {
	// Sources to look at; none: all that are not paused and have files.
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
	Control *Control // may be nil
}

// Plan says what a run would do. It changes nothing and needs no writer role.
// A source that cannot be looked at is part of the plan; errors are those of
// the store and of ctx, and corpus.ErrNotFound for a source that there is not.
func (in *Ingester) Plan(ctx context.Context, opt PlanOptions) (*plan.Reindex, error) {
	input, sources, err := in.ledger(ctx)
	if err != nil {
		return nil, fmt.Errorf("plan: read library: %w", err)
	}
	input.Retry = opt.Retry
	chosen, err := choose(sources, opt.Sources)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	l := newLook(in, sources, opt)
	l.meter.start(ctx)
	defer l.meter.end()
	known := bySource(input.Known)
	for _, s := range chosen {
		scan, err := l.scan(ctx, s, known[s.ID])
		if err != nil {
			return nil, fmt.Errorf("plan: scan source %q: %w", s.Name, err)
		}
		input.Scans = append(input.Scans, scan)
	}
	p, err := plan.Documents(input)
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
			return s.Paused || s.Kind == corpus.SourceInline
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

// ledger reads the library's side of a plan from one snapshot.
func (in *Ingester) ledger(ctx context.Context) (plan.Input, []corpus.Source, error) {
	input := plan.Input{
		Tenant: in.Tenant, CreatedAt: time.Now().UTC(), Recipe: in.recipe, Economy: in.Economy,
		Wanted: plan.Target{Space: in.space, Analyzer: analyze.Version},
	}
	var sources []corpus.Source
	err := in.Store.View(ctx, func(v store.Reader) error {
		info, err := v.Info(ctx)
		if err != nil {
			return err
		}
		if sources, err = v.Sources(ctx); err != nil {
			return err
		}
		input.Base = plan.Base{Library: info.Library, Revision: info.Revision}
		if live, ok := info.Live(); ok {
			input.HasLive, input.Live = true, plan.Target{Space: live.Space, Analyzer: live.Analyzer}
		}
		passages := 0
		var wanted map[corpus.ID]store.Made
		for _, g := range info.Generations {
			made, err := v.Recipes(ctx, g.ID)
			if err != nil {
				return err
			}
			for _, m := range made {
				passages += m.Chunks
			}
			if (plan.Target{Space: g.Space, Analyzer: g.Analyzer}) == input.Wanted {
				wanted = made
			}
		}
		rows, err := v.Rows(ctx, "chunks")
		if err != nil {
			return err
		}
		lost := int64(passages) != rows["chunks"]
		for doc, err := range v.Documents(ctx, corpus.NoID) {
			if err != nil {
				return err
			}
			k := plan.Known{Document: doc}
			if m, ok := wanted[doc.ID]; ok {
				k.Made = &plan.Made{Recipe: m.Recipe, Chunks: m.Chunks, Embedded: m.Embedded}
			}
			input.Known = append(input.Known, k)
		}
		if lost {
			return countStored(ctx, v, input.Known)
		}
		return nil
	})
	return input, sources, err
}

// countStored is called where the rows of passages are not as many as the
// ledger says (S11): it counts them, so that the plan repairs what differs.
func countStored(ctx context.Context, v store.Reader, known []plan.Known) error {
	for i := range known {
		chunks, err := v.Chunks(ctx, 0, known[i].ID)
		if err != nil {
			return err
		}
		known[i].Chunks = len(chunks)
	}
	return nil
}
