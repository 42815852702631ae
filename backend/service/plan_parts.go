package service

import (
	"cmp"
	"context"
	"fmt"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// maxPart bounds the actions, or outcomes, of one answer: about 4 MB.
const maxPart = 10_000

// GetPlan returns a part of a plan that is at hand.
func (s *Service) GetPlan(ctx context.Context, r api.GetPlanRequest) (api.PlanPart, error) {
	out, err := s.planPart(r)
	return out, s.fault(ctx, "read the plan", err)
}

func (s *Service) planPart(r api.GetPlanRequest) (api.PlanPart, error) {
	limit, err := checkPart(r.Offset, r.Limit)
	if err != nil {
		return api.PlanPart{}, err
	}
	p, ok := s.plans.get(r.ID)
	if !ok {
		return api.PlanPart{}, fmt.Errorf("%w: plan %s is no longer at hand", corpus.ErrStale, r.ID)
	}
	out := api.PlanPart{Plan: wirePlan(r.ID, p, r.Offset, limit), Offset: r.Offset}
	for _, a := range p.Actions {
		if a.Kind != plan.Unchanged {
			out.Total++
		}
	}
	return out, nil
}

// checkPart returns the limit of a part.
func checkPart(offset, limit int) (int, error) {
	switch {
	case offset < 0:
		return 0, invalid("offset is %d; use a number from 0", offset)
	case limit < 0 || limit > maxPart:
		return 0, invalid("limit is %d; use 1 to %d, or 0 for that", limit, maxPart)
	}
	return cmp.Or(limit, maxPart), nil
}
