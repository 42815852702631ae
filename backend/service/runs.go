package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/events"
	"ibid/backend/ingest"
)

// Kinds of runs.
const (
	kindApply  = "apply"
	kindWatch  = "watch" // applied by whoever watches the sources
	kindEmbed  = "embed" // vectors, in the background
	kindPlan   = "plan"
	kindAsk    = "ask"
	kindIngest = "ingest"
)

// keepRuns is how many runs are kept in memory, with their events.
const keepRuns = 32

// run is one execution in this process.
type run struct {
	id      string
	kind    string
	ctx     context.Context //nolint:containedctx // a run outlives the request that started it
	cancel  context.CancelFunc
	stream  *events.Stream
	trigger string // what asked for it, in the words of events
	audited bool   // its end is on record; of the run's own goroutine
	// control lets an apply stand still.
	control ingest.Control

	mu       sync.Mutex
	now      api.Run       // without events; lists in it are never changed in place
	outcomes []api.Outcome // of its documents, in order
}

// view is the run's state now.
func (r *run) view() api.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// progress tells how far the run is.
func (r *run) progress(p api.Progress) {
	r.mu.Lock()
	r.now.Progress = p
	r.mu.Unlock()
	r.stream.Progress(p)
}

// runs are the runs of this process.
type runs struct {
	broker *events.Broker
	life   context.Context //nolint:containedctx // the service's own, parent of every run's

	mu     sync.Mutex
	list   []*run // oldest first
	going  sync.WaitGroup
	closed bool
}

func newRuns(life context.Context, broker *events.Broker) *runs {
	return &runs{broker: broker, life: life}
}

func (rs *runs) find(id string) (*run, bool) {
	for _, r := range rs.all() {
		if r.id == id {
			return r, true
		}
	}
	return nil, false
}

// all returns the runs, oldest first.
func (rs *runs) all() []*run {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return slices.Clone(rs.list)
}

// begin makes a run, or returns the one that has the id already. A second
// run of an exclusive kind is corpus.ErrBusy while the first goes on. Whoever
// got a fresh run owes rs.end once.
func (rs *runs) begin(id, kind string, exclusive bool, at time.Time) (r *run, fresh bool, err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return nil, false, fmt.Errorf("%w: ibid is closing", corpus.ErrUnavailable)
	}
	for _, other := range rs.list {
		if other.id == id {
			return other, false, nil
		}
		if exclusive && other.kind == kind && other.view().State == api.RunRunning {
			return nil, false, fmt.Errorf("%w: run %s is going on", corpus.ErrBusy, other.id)
		}
	}
	if exclusive {
		forgetOutcomes(rs.list)
	}
	r = &run{id: id, kind: kind, stream: rs.broker.Open(id)}
	r.ctx, r.cancel = context.WithCancel(rs.life)
	r.now = api.Run{ID: id, Kind: kind, State: api.RunRunning, StartedAt: timestamp(at), Summary: emptySummary(), Events: []api.Event{}}
	rs.list = append(rs.list, r)
	rs.going.Add(1)
	return r, true, nil
}

// end finishes a run: set makes its final state, which everybody is told.
func (rs *runs) end(r *run, at time.Time, set func(*api.Run)) {
	defer rs.going.Done()
	r.mu.Lock()
	set(&r.now)
	r.now.FinishedAt = timestamp(at)
	r.stream.Finish(r.now) // under the lock: who hears of the end finds it in view
	r.mu.Unlock()
	r.cancel()

	rs.mu.Lock()
	defer rs.mu.Unlock()
	spare := len(rs.list) - keepRuns
	rs.list = slices.DeleteFunc(rs.list, func(old *run) bool {
		forget := spare > 0 && old.view().State != api.RunRunning
		if forget {
			spare--
		}
		return forget
	})
}

// forget drops a run that has ended, as if it had never been.
func (rs *runs) forget(r *run) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.list = slices.DeleteFunc(rs.list, func(other *run) bool { return other == r })
}

// close refuses new runs, cancels the others and waits for them.
func (rs *runs) close() {
	rs.mu.Lock()
	rs.closed = true
	for _, r := range rs.list {
		r.cancel()
	}
	rs.mu.Unlock()
	rs.going.Wait()
}

func emptySummary() api.RunSummary {
	return api.RunSummary{Skipped: []api.Problem{}, Failed: []api.Problem{}, Notes: []string{}}
}

// within runs work that answers at once as a run, if the caller gave it an id:
// then it has events and can be canceled by others. Without an id, run is nil.
func (s *Service) within(ctx context.Context, id, kind string, work func(ctx context.Context, run *run) error) error {
	if id == "" {
		return work(ctx, nil)
	}
	if err := checkRunID(id); err != nil {
		return err
	}
	r, fresh, err := s.runs.begin(id, kind, false, now())
	if err != nil {
		return err
	}
	if !fresh {
		return invalid("run id %q was used already", id)
	}
	stop := context.AfterFunc(ctx, r.cancel)
	defer stop()
	err = work(r.ctx, r)
	s.runs.end(r, now(), func(v *api.Run) {
		switch {
		case err == nil:
			v.State = api.RunDone
		case errors.Is(err, context.Canceled):
			v.State = api.RunCanceled
		default:
			v.State, v.Error = api.RunFailed, Fault(ctx, s.Log, kind, err)
		}
	})
	return err
}

// GetRun returns a run's state and its events after a number.
func (s *Service) GetRun(ctx context.Context, r api.GetRunRequest) (api.Run, error) {
	run, ok := s.runs.find(r.ID)
	if !ok {
		out, err := s.findRun(ctx, r.ID)
		return out, s.fault(ctx, "read the run", err)
	}
	out := run.view() // first: with a final state come all events
	list, last := s.broker.After(r.ID, r.AfterSeq)
	out.LastSeq = last
	out.Events = make([]api.Event, 0, len(list))
	for _, e := range list {
		w, err := wireEvent(e)
		if err != nil {
			return api.Run{}, s.fault(ctx, "read the run", err)
		}
		out.Events = append(out.Events, w)
	}
	return out, nil
}

// findRun returns a run of this process or of the store, without events, or
// corpus.ErrNotFound.
func (s *Service) findRun(ctx context.Context, id string) (api.Run, error) {
	if r, ok := s.runs.find(id); ok {
		return r.view(), nil
	}
	list, err := s.storedRuns(ctx, maxRuns)
	if err != nil {
		return api.Run{}, err
	}
	for _, r := range list {
		if r.ID == id {
			return storedRun(r), nil
		}
	}
	return api.Run{}, fmt.Errorf("%w: run %q", corpus.ErrNotFound, id)
}

// Bounds of RunsRequest.
const (
	defaultRuns = 50
	maxRuns     = 1000
)

// Runs lists the newest runs: those of this process and those on record.
func (s *Service) Runs(ctx context.Context, r api.RunsRequest) (api.RunsResponse, error) {
	if r.Limit < 0 || r.Limit > maxRuns {
		return api.RunsResponse{}, s.fault(ctx, "list runs", invalid("limit is %d; use 1 to %d, or 0 for %d", r.Limit, maxRuns, defaultRuns))
	}
	if r.Limit == 0 {
		r.Limit = defaultRuns
	}
	recorded, err := s.storedRuns(ctx, r.Limit)
	if err != nil {
		return api.RunsResponse{}, s.fault(ctx, "list runs", err)
	}
	out := api.RunsResponse{Runs: []api.Run{}}
	here := map[string]bool{}
	for _, r := range slices.Backward(s.runs.all()) {
		here[r.id] = true
		out.Runs = append(out.Runs, r.view())
	}
	for _, r := range recorded {
		if !here[r.ID] {
			out.Runs = append(out.Runs, storedRun(r))
		}
	}
	slices.SortStableFunc(out.Runs, func(a, b api.Run) int { return cmp.Compare(b.StartedAt, a.StartedAt) })
	out.Runs = out.Runs[:min(len(out.Runs), r.Limit)]
	return out, nil
}

// CancelRun asks a run to stop, that of another process by a request. One that
// ended already is returned as it is.
func (s *Service) CancelRun(ctx context.Context, r api.CancelRunRequest) (api.Run, error) {
	run, ok := s.runs.find(r.ID)
	if ok {
		run.cancel()
		return run.view(), s.steered(ctx, auditCancel, r.ID, nil)
	}
	out, err := s.findRun(ctx, r.ID)
	if err == nil && out.State == api.RunRunning {
		err = s.request(ctx, requestCancel, r.ID)
	}
	return out, s.steered(ctx, auditCancel, r.ID, s.fault(ctx, "cancel the run", err))
}

// wireEvent is an event as it is sent.
func wireEvent(e events.Event) (api.Event, error) {
	payload := e.Payload
	if text, ok := payload.(string); ok && e.Type == events.Delta {
		payload = api.Delta{Text: text}
	}
	body, err := json.Marshal(payload)
	if err != nil {
		return api.Event{}, fmt.Errorf("encode %s event: %w", e.Type, err)
	}
	return api.Event{RunID: e.RunID, Seq: e.Seq, Type: e.Type, Payload: body}, nil
}
