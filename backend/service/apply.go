package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Apply starts a run.
func (s *Service) Apply(ctx context.Context, r api.ApplyRequest) (api.Run, error) {
	out, err := s.apply(ctx, r)
	return out, s.audited(ctx, auditRun+kindApply, s.fault(ctx, "apply", err))
}

func (s *Service) apply(ctx context.Context, r api.ApplyRequest) (api.Run, error) {
	if err := checkRunID(r.RunID); err != nil {
		return api.Run{}, err
	}
	if old, err := s.findRun(ctx, r.RunID); !errors.Is(err, corpus.ErrNotFound) {
		return old, err
	}
	if r.AllowRemovals < 0 {
		return api.Run{}, invalid("allow_removals is %d; use a number from 0", r.AllowRemovals)
	}
	p, err := s.requested(r)
	if err != nil {
		return api.Run{}, err
	}
	if p != nil {
		if n := p.GuardedRemovals(); n > r.AllowRemovals {
			return api.Run{}, &ingest.GuardError{Removals: n, Allowed: r.AllowRemovals}
		}
	}
	run, fresh, err := s.runs.begin(r.RunID, kindApply, true, now())
	if err != nil {
		return api.Run{}, err
	}
	if fresh {
		run.of(r.Plan)
		run.trigger = s.event(ctx, auditRun+kindApply, corpus.NoID).Trigger
		go s.work(run, r, p)
	}
	return run.view(), nil
}

// requested returns the plan that a request names or brings, without what it
// skips; nil if it asks to plan now.
func (s *Service) requested(r api.ApplyRequest) (*plan.Reindex, error) {
	var p *plan.Reindex
	switch {
	case r.Plan != "" && r.Saved != nil:
		return nil, invalid("a plan's id and a saved plan; use one of them")
	case r.Plan != "":
		var ok bool
		if p, ok = s.plans.get(r.Plan); !ok {
			return nil, fmt.Errorf("%w: plan %s is no longer at hand", corpus.ErrStale, r.Plan)
		}
	case r.Saved != nil:
		var err error
		if p, err = savedPlan(*r.Saved); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	return without(p, r.Skip), nil
}

// without takes unticked documents ("source id:path") out of a plan.
func without(p *plan.Reindex, skip []string) *plan.Reindex {
	if len(skip) == 0 {
		return p
	}
	left := make(map[string]bool, len(skip))
	for _, key := range skip {
		left[key] = true
	}
	return p.Select(func(a plan.Action) bool { return !left[a.Source.String()+":"+a.Path] })
}

// summary is what the store keeps of a run: what clients see and what later
// plans estimate from.
type summary struct {
	Run    api.Run   `json:"run"`
	Speeds speeds    `json:"speeds"`
	At     time.Time `json:"at"` // when it was recorded
	// GaveWay tells that the run goes on but gave the writer role away.
	GaveWay bool `json:"gave_way,omitempty"`
	ingest.Result
}

// work is the run's body, in a goroutine of its own that runs.close waits for.
func (s *Service) work(run *run, r api.ApplyRequest, p *plan.Reindex) {
	set := s.Config.Settings()
	conclude := s.conclude(run)
	result, err := s.applyPlan(run, r, p, set, conclude)
	last := run.view()
	conclude(&last, result, err)
	if !run.audited { // it failed before it had the writer role
		s.keep(run.ctx, s.runEvent(run, last))
	}
	s.runs.end(run, now(), func(v *api.Run) { v.Summary, v.State, v.Error = last.Summary, last.State, last.Error })
	s.watch.kick() // vectors may be left to the background, and what waited may wait no more
}

// conclusion writes what became of a run into its state.
type conclusion func(v *api.Run, result ingest.Result, err error)

// conclude returns the conclusion of a run that starts now.
func (s *Service) conclude(run *run) conclusion {
	started := time.Now() // with the clock that nobody sets
	return func(v *api.Run, result ingest.Result, err error) {
		v.Summary = wireResult(result, time.Since(started))
		v.State = endState(err, result)
		if err != nil && v.State == api.RunFailed {
			fault := *Fault(run.ctx, s.Log, run.kind, err)
			if fault.Hint == "" && result.Changed() {
				fault.Hint = "What was done stays. Mend the cause and apply again: it goes on from here"
			}
			v.Error = &fault
		}
	}
}

func (s *Service) applyPlan(run *run, r api.ApplyRequest, p *plan.Reindex, set config.Settings, conclude conclusion) (ingest.Result, error) {
	ctx := run.ctx
	if p == nil {
		var err error
		if p, err = s.plan(ctx, api.PlanRequest{Sources: r.Sources}, run); err != nil {
			return ingest.Result{}, err
		}
		p = without(p, r.Skip)
	}
	in, err := s.ingester(ctx, set)
	if err != nil {
		return ingest.Result{}, err
	}
	release, err := s.turns.take(ctx)
	if err != nil {
		return ingest.Result{}, err
	}
	defer release()
	defer s.obey(run)()
	in.Store = patientStore{s.Store, s}
	opt := s.options(run, set, s.measure(ctx, in), conclude)
	if opt.Sweep, err = s.sweeps(ctx); err != nil {
		return ingest.Result{}, err
	}
	opt.AllowRemovals, opt.NoWait = r.AllowRemovals, r.NoWait
	result, err := in.Apply(ctx, p, opt)
	if err == nil {
		var sources []corpus.ID
		for _, src := range p.Sources {
			sources = append(sources, src.ID)
		}
		if err := s.consented(ctx, sources); err != nil {
			s.Log.Warn("what waited for consent is still noted", "error", err)
		}
	}
	return result, err
}

// Vectors that no passage uses any more are kept for sweepAfter: a branch that
// is checked out and back, a file that comes back, embed nothing. The first run
// of a day, which sweepEvery stands for, forgets the older ones.
const (
	sweepAfter = 30 * 24 * time.Hour
	sweepEvery = 24 * time.Hour
)

// sweeps says what a run that starts now is to forget: vectors not used since;
// zero if a run of the last day did so.
func (s *Service) sweeps(ctx context.Context) (time.Time, error) {
	list, _, err := s.recorded(ctx, measuredRuns)
	if err != nil {
		return time.Time{}, err
	}
	return sweepBefore(list, now()), nil
}

func sweepBefore(list []store.Run, at time.Time) time.Time {
	for _, r := range list {
		age := at.Sub(r.StartedAt) // negative: the clock was set back
		if (r.Kind == kindApply || r.Kind == kindWatch) && age >= 0 && age < sweepEvery && (r.State == api.RunDone || r.State == api.RunPartial) {
			return time.Time{}
		}
	}
	return at.Add(-sweepAfter)
}

// options are those of a run that tells what it does and is recorded.
func (s *Service) options(run *run, set config.Settings, m measure, conclude conclusion) ingest.ApplyOptions {
	started := false
	return ingest.ApplyOptions{
		Holder: s.Holder, Strict: set.Vectors == config.VectorsRequired, Control: &run.control,
		Observe: ingest.Observer{
			Progress: func(p ingest.Progress) {
				if p.SecondsStill > 0 { // for who sees no progress: a server, a script
					s.Log.Warn("a run does not move", "run", run.id, "stage", p.Stage, "document", p.Current, "seconds", int(p.SecondsStill))
				}
				run.progress(wireProgress(p))
			},
			Outcome: func(o ingest.Outcome) { run.outcome(o) },
		},
		Record: func(result ingest.Result, err error) (store.Run, []store.Event) {
			v := run.view()
			if started {
				conclude(&v, result, err)
				v.FinishedAt = timestamp(now())
			}
			started = true
			result.Skipped, result.Failed, result.Notes = nil, nil, nil // they stand in v
			return s.withEvent(run, summary{Run: v, Speeds: m.after(result), Result: result})
		},
	}
}

// endState is the state of a run that ended with err.
func endState(err error, r ingest.Result) string {
	switch {
	case errors.Is(err, context.Canceled):
		return api.RunCanceled
	case err != nil:
		return api.RunFailed
	case !r.Clean():
		return api.RunPartial
	}
	return api.RunDone
}

// record is the stored form of a run.
func record(s summary) store.Run {
	s.Run.Events, s.Run.LastSeq, s.At = nil, 0, now()
	out := store.Run{ID: s.Run.ID, Kind: s.Run.Kind, State: s.Run.State, Summary: encode(s)}
	out.StartedAt, _ = time.Parse(time.RFC3339, s.Run.StartedAt)
	out.FinishedAt, _ = time.Parse(time.RFC3339, s.Run.FinishedAt)
	return out
}

func encode(s summary) []byte {
	body, err := json.Marshal(s)
	if err != nil { // a number that is not finite; the columns remain
		return []byte("{}")
	}
	return body
}

// readSummary reads what record wrote; of what something else wrote, nothing.
func readSummary(r store.Run) summary {
	var s summary
	if json.Unmarshal(r.Summary, &s) != nil {
		s = summary{}
	}
	return s
}

func storedRun(r store.Run) api.Run {
	out := readSummary(r).Run
	out.ID, out.Kind, out.State = r.ID, r.Kind, r.State
	out.StartedAt, out.FinishedAt = timestamp(r.StartedAt), timestamp(r.FinishedAt)
	out.Events = []api.Event{}
	if out.State == api.RunInterrupted {
		out.Error = &api.Error{
			Code: api.CodeUnavailable, Message: "its process ended without a word",
			Hint: "What it had committed stays; the next apply or watch goes on from there",
		}
	}
	return out
}

func wireProgress(p ingest.Progress) api.Progress {
	return api.Progress{
		Stage: p.Stage, Current: p.Current, Documents: p.Documents, DocumentsOf: p.DocumentsOf,
		Chunks: p.Chunks, ChunksOf: p.ChunksOf, Tokens: p.Tokens,
		ChunksPerSec: p.ChunksPerSec, SecondsToGo: p.SecondsToGo, SecondsPassed: p.SecondsPassed,
		SecondsStill: p.SecondsStill, Paused: p.Paused,
	}
}

func wireResult(r ingest.Result, took time.Duration) api.RunSummary {
	out := api.RunSummary{
		Added: r.Added, Updated: r.Updated, Moved: r.Moved, Removed: r.Removed, Repaired: r.Repaired,
		Embedded: r.Embedded, Reused: r.Reused, Relocated: r.Relocated, Pending: r.Pending, Tokens: r.Tokens,
		Switched: r.Switched, Refreshed: r.Refreshed, Unsupported: r.Unsupported,
		Seconds: took.Seconds(),
		Skipped: problems(r.Skipped), Failed: problems(r.Failed), Notes: append([]string{}, r.Notes...),
	}
	if r.Embedding != "" {
		out.Notes = append(out.Notes, "Embedding stopped: "+r.Embedding)
	}
	for _, u := range r.Unseen {
		out.Notes = append(out.Notes, unseenInWords(u))
	}
	return out
}

// unseenInWords says that a source was not looked at, and what that means.
func unseenInWords(u ingest.Unseen) string {
	if u.Part {
		return fmt.Sprintf("Part of the source %s could not be looked at (%s); documents there stay as they are.", u.Name, u.Detail)
	}
	return fmt.Sprintf("The source %s could not be looked at (%s); its documents stay as they are.", u.Name, u.Detail)
}

func problems(list []ingest.Problem) []api.Problem {
	out := []api.Problem{}
	for _, p := range list {
		out = append(out, api.Problem{Path: p.Path, Error: p.Error, Source: p.Source.String()})
	}
	return out
}

// checkRunID keeps ids short and printable: they stand in logs, in the store
// and in event ids.
func checkRunID(id string) error {
	if id == "" || len(id) > 64 || strings.ContainsFunc(id, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
	}) {
		return invalid("run id %q; use 1 to 64 letters, digits, - or _", id)
	}
	return nil
}
