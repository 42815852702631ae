package service

import (
	"context"

	"ibid/backend/api"
	"ibid/backend/ingest"
)

// of notes which plan the run carries out.
func (r *run) of(plan string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.Plan = plan
}

// outcome keeps and tells what became of a document.
func (r *run) outcome(o ingest.Outcome) {
	out := api.Outcome{Source: o.Action.Source.String(), Path: o.Action.Path, Fate: string(o.Fate), Error: o.Error}
	r.mu.Lock()
	r.outcomes = append(r.outcomes, out)
	r.mu.Unlock()
	switch o.Fate {
	case ingest.Skipped, ingest.Failed, ingest.Unsupported:
		r.stream.Send(out.Fate, api.Problem{Path: out.Path, Error: out.Error, Source: out.Source})
	default:
		r.stream.Send("action", wireAction(o.Action))
	}
}

// forgetOutcomes keeps them of runs that go on, when another begins: they are
// as many as the library's documents.
func forgetOutcomes(list []*run) {
	for _, r := range list {
		r.mu.Lock()
		if r.now.State != api.RunRunning {
			r.outcomes = nil
		}
		r.mu.Unlock()
	}
}

// Outcomes lists what became of a run's documents. Those of a run that is not
// this process's, or after which another began, are not at hand.
func (s *Service) Outcomes(ctx context.Context, r api.OutcomesRequest) (api.OutcomesResponse, error) {
	out := api.OutcomesResponse{Outcomes: []api.Outcome{}}
	limit, err := checkPart(r.After, r.Limit)
	if err != nil {
		return out, s.fault(ctx, "list outcomes", err)
	}
	run, ok := s.runs.find(r.Run)
	if !ok {
		_, err := s.findRun(ctx, r.Run)
		return out, s.fault(ctx, "list outcomes", err)
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	out.Total = len(run.outcomes)
	if r.After < out.Total {
		out.Outcomes = append(out.Outcomes, run.outcomes[r.After:min(out.Total, r.After+limit)]...)
	}
	return out, nil
}
