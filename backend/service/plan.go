package service

import (
	"context"

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
	out := wirePlan(s.plans.put(p), p, 0, r.Limit)
	if r.Save {
		if out.Seal, err = seal(out); err != nil {
			return api.Plan{}, s.fault(ctx, "plan", err)
		}
	}
	return out, nil
}

// plan makes a plan; run may be nil.
func (s *Service) plan(ctx context.Context, r api.PlanRequest, run *run) (*plan.Reindex, error) {
	if r.Limit < 0 {
		return nil, invalid("limit is %d; use a number from 1, or 0 for all", r.Limit)
	}
	if r.Save && r.Limit > 0 {
		return nil, invalid("limit is %d; a plan that is to be saved is whole", r.Limit)
	}
	opt := ingest.PlanOptions{Exact: r.Exact, Retry: r.Retry}
	var err error
	if opt.Sources, err = s.sourceIDs(ctx, r.Sources); err != nil {
		return nil, err
	}
	in, err := s.ingester(ctx, s.Config.Settings())
	if err != nil {
		return nil, err
	}
	if run != nil {
		opt.Observe.Progress = func(p ingest.Progress) { run.progress(wireProgress(p)) }
	}
	p, err := in.Plan(ctx, opt)
	if err == nil && s.sights.judge(p) {
		s.hint()
	}
	return p, err
}

// sourceIDs finds the sources that a request names; none: nil.
func (s *Service) sourceIDs(ctx context.Context, refs []string) (ids []corpus.ID, err error) {
	if len(refs) == 0 {
		return nil, nil
	}
	all, err := s.allSources(ctx)
	if err != nil {
		return nil, err
	}
	found, err := findSources(all, refs)
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	return ids, err
}

func (s *Service) allSources(ctx context.Context) (list []corpus.Source, err error) {
	err = s.Store.View(ctx, func(v store.Reader) (err error) {
		list, err = v.Sources(ctx)
		return err
	})
	return list, err
}
