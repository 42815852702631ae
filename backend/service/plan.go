package service

import (
	"context"
	"fmt"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Plan says what a run would do.
func (s *Service) Plan(ctx context.Context, r api.PlanRequest) (api.Plan, error) {
	var p *plan.Reindex
	err := s.within(ctx, r.RunID, kindPlan, func(ctx context.Context, run *run) (err error) {
		p, err = s.plan(ctx, r, run)
		return err
	})
	if err != nil {
		return api.Plan{}, s.fault(ctx, "plan", err)
	}
	return wirePlan(s.plans.put(p), p, 0, r.Limit), nil
}

// plan makes a plan; run may be nil.
func (s *Service) plan(ctx context.Context, r api.PlanRequest, run *run) (*plan.Reindex, error) {
	if r.Limit < 0 {
		return nil, invalid("limit is %d; use a number from 1, or 0 for all", r.Limit)
	}
	opt := ingest.PlanOptions{Exact: r.Exact, Retry: r.Retry}
	if len(r.Sources) > 0 {
		all, err := s.allSources(ctx)
		if err != nil {
			return nil, err
		}
		found, err := findSources(all, r.Sources)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			opt.Sources = append(opt.Sources, f.ID)
		}
	}
	in, err := s.ingester(ctx, s.Config.Settings())
	if err != nil {
		return nil, err
	}
	if run != nil {
		opt.Observe.Progress = func(p ingest.Progress) { run.progress(wireProgress(p)) }
	}
	return in.Plan(ctx, opt)
}

func (s *Service) allSources(ctx context.Context) (list []corpus.Source, err error) {
	err = s.Store.View(ctx, func(v store.Reader) (err error) {
		list, err = v.Sources(ctx)
		return err
	})
	return list, err
}

// Diff compares one document's stored passages with those of its file.
func (s *Service) Diff(ctx context.Context, r api.DiffRequest) (api.Diff, error) {
	d, err := s.diff(ctx, r)
	return d, s.fault(ctx, "compare the document", err)
}

func (s *Service) diff(ctx context.Context, r api.DiffRequest) (api.Diff, error) {
	all, err := s.allSources(ctx)
	if err != nil {
		return api.Diff{}, err
	}
	source, err := findSource(all, r.Source)
	if err != nil {
		return api.Diff{}, err
	}
	in, err := s.ingester(ctx, s.Config.Settings())
	if err != nil {
		return api.Diff{}, err
	}
	a, ok := s.plans.action(source.ID, r.Path)
	if !ok {
		if a, err = planOne(ctx, in, source.ID, r.Path); err != nil {
			return api.Diff{}, err
		}
	}
	c, err := in.Diff(ctx, a)
	if err != nil {
		return api.Diff{}, err
	}
	return wireDiff(c), nil
}

// planOne plans a single document, where no plan is at hand that has it.
func planOne(ctx context.Context, in *ingest.Ingester, source corpus.ID, path string) (plan.Action, error) {
	p, err := in.Plan(ctx, ingest.PlanOptions{
		Sources: []corpus.ID{source}, Places: map[corpus.ID][]string{source: {path}},
	})
	if err != nil {
		return plan.Action{}, err
	}
	for _, a := range p.Actions {
		if a.Path == path {
			return a, nil
		}
	}
	return plan.Action{}, fmt.Errorf("%w: %q is neither a file of this source nor in the library", corpus.ErrNotFound, path)
}

// wirePlan is a plan with its actions from an offset on, at most limit; 0: all.
func wirePlan(id string, p *plan.Reindex, offset, limit int) api.Plan {
	base, _ := p.Base.MarshalText() // never fails
	t := p.Summary
	out := api.Plan{
		FormatVersion: p.FormatVersion, ID: id, Base: string(base), CreatedAt: timestamp(p.CreatedAt),
		Model: p.Model, Analyzer: p.Analyzer, Build: p.Build,
		Summary: api.PlanSummary{
			Added: t.Added, Updated: t.Updated, Moved: t.Moved, Removed: t.Removed, Unchanged: t.Unchanged,
			Repair: t.Repair, Failed: t.Failed, Busy: t.Busy, Unavailable: t.Unavailable,
			ChunksToEmbed: t.ChunksToEmbed, ChunksReused: t.ChunksReused, ChunksRelocated: t.ChunksRelocated,
			ChunksRemoved: t.ChunksRemoved, ChunksExact: t.ChunksExact,
			Tokens: t.Tokens, Cost: api.Cost(t.Cost), Seconds: t.Seconds,
		},
		Sources: []api.PlanSource{}, Actions: []api.PlanAction{},
	}
	for _, s := range p.Sources {
		out.Sources = append(out.Sources, api.PlanSource{
			ID: s.ID.String(), Name: s.Name, Path: s.Path, State: s.State, Detail: s.Detail,
			Files: s.Files, Guard: (*api.Guard)(s.Guard),
		})
	}
	for _, a := range p.Actions {
		switch {
		case a.Kind == plan.Unchanged:
		case offset > 0:
			offset--
		default:
			out.Actions = append(out.Actions, wireAction(a))
			if len(out.Actions) == limit {
				return out
			}
		}
	}
	return out
}

func wireAction(a plan.Action) api.PlanAction {
	out := api.PlanAction{
		Action: string(a.Kind), Path: a.Path, From: a.From, Source: a.Source.String(),
		Reason: a.Reason, ReasonCode: string(a.Code), Bytes: a.Bytes, Chunks: api.PlanChunks(a.Chunks),
		Revision: a.Revision,
	}
	if !a.FromSource.IsZero() {
		out.FromSource = a.FromSource.String()
	}
	if !a.Document.IsZero() {
		out.Document = a.Document.String()
	}
	if !a.Content.IsZero() {
		out.Content = a.Content.String()
	}
	return out
}

// savedPlan reads a plan that was a file meanwhile, and validates it: it may
// have been edited by hand. What a wire plan leaves out (unchanged documents,
// fingerprints) apply finds by looking again.
func savedPlan(w api.Plan) (*plan.Reindex, error) {
	if w.FormatVersion > plan.FormatVersion {
		return nil, fmt.Errorf("%w: plan format %d, this program knows up to %d", corpus.ErrTooNew, w.FormatVersion, plan.FormatVersion)
	}
	p := &plan.Reindex{FormatVersion: w.FormatVersion, Model: w.Model, Analyzer: w.Analyzer, Build: w.Build}
	if err := p.Base.UnmarshalText([]byte(w.Base)); err != nil {
		return nil, invalid("the plan's base %q", w.Base)
	}
	var err error
	if p.CreatedAt, err = time.Parse(time.RFC3339, w.CreatedAt); err != nil {
		return nil, invalid("the plan's time %q", w.CreatedAt)
	}
	for i, s := range w.Sources {
		id, err := corpus.ParseID(s.ID)
		if err != nil {
			return nil, invalid("source %d of the plan: %v", i, err)
		}
		p.Sources = append(p.Sources, plan.Source{
			ID: id, Name: s.Name, Path: s.Path, State: s.State, Detail: s.Detail,
			Files: s.Files, Guard: (*plan.Guard)(s.Guard),
		})
	}
	for i, a := range w.Actions {
		action, err := savedAction(a)
		if err != nil {
			return nil, invalid("action %d of the plan (%q): %v", i, a.Path, err)
		}
		p.Actions = append(p.Actions, action)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p.Total()
	return p, nil
}

func savedAction(a api.PlanAction) (out plan.Action, err error) {
	out = plan.Action{
		Kind: plan.Kind(a.Action), Path: a.Path, From: a.From, Code: plan.Code(a.ReasonCode), Reason: a.Reason,
		Bytes: a.Bytes, Chunks: plan.Counts(a.Chunks), Revision: a.Revision,
	}
	if out.Source, err = corpus.ParseID(a.Source); err != nil {
		return out, err
	}
	if a.FromSource != "" {
		if out.FromSource, err = corpus.ParseID(a.FromSource); err != nil {
			return out, err
		}
	}
	if a.Document != "" {
		if out.Document, err = corpus.ParseID(a.Document); err != nil {
			return out, err
		}
	}
	if a.Content != "" {
		out.Content, err = corpus.ParseHash(a.Content)
	}
	return out, err
}

func wireDiff(c *ingest.Comparison) api.Diff {
	out := api.Diff{
		Path: c.Action.Path, Title: c.Title, Action: string(c.Action.Kind), Reason: c.Action.Reason,
		Chunks: api.PlanChunks(c.Action.Chunks), Rows: []api.DiffRow{},
	}
	passage := func(k *corpus.Chunk) *api.DiffPassage {
		if k == nil {
			return nil
		}
		return &api.DiffPassage{Text: k.Content, Tokens: k.Tokens, Reused: c.Have[k.Hash], Location: location(k.Location)}
	}
	for _, r := range c.Rows {
		out.Rows = append(out.Rows, api.DiffRow{Kind: string(r.Kind), Count: r.Count, Old: passage(r.Old), New: passage(r.New)})
	}
	return out
}
