package service

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Actions of events.
const (
	auditSourceAdd    = "source.add"
	auditSourceChange = "source.change"
	auditSourceRemove = "source.remove"
	auditIngest       = "documents.ingest"
	auditDelete       = "documents.delete"
	auditConfig       = "config.set" // with the setting's name after it, where there is one
	auditRun          = "run."       // with the kind after it
	auditPause        = "run.pause"
	auditResume       = "run.resume"
	auditCancel       = "run.cancel"
	auditVerify       = "library.verify" // where it left word of damage
	auditRepair       = "library.repair"
	auditBackup       = "library.backup"
)

// Outcomes of events beside the states of runs.
const outcomeStarted = "started"

// event is the event of an action that is about to be done.
func (s *Service) event(ctx context.Context, action string, source corpus.ID) store.Event {
	return store.Event{
		At: now(), Trigger: api.TriggerOf(ctx, cmp.Or(s.Trigger, api.TriggerCLI)), Action: action, Outcome: api.RunDone, Source: source,
	}
}

// audited keeps the event of a failure, and returns it. Of the failure only
// the code is kept: messages name places.
func (s *Service) audited(ctx context.Context, action string, fault error) error {
	if fault != nil {
		s.keep(ctx, s.failure(ctx, action, fault))
	}
	return fault
}

// steered keeps the event of what was asked of a run, done or not.
func (s *Service) steered(ctx context.Context, action, run string, fault error) error {
	if fault != nil { // the id may be anything
		return s.audited(ctx, action, fault)
	}
	e := s.event(ctx, action, corpus.NoID)
	e.Run = run
	s.keep(ctx, e)
	return nil
}

func (s *Service) failure(ctx context.Context, action string, fault error) store.Event {
	e := s.event(ctx, action, corpus.NoID)
	e.Outcome, e.Code = api.RunFailed, api.CodeInternal
	if known, ok := errors.AsType[*api.Error](fault); ok {
		e.Code = known.Code
	}
	if e.Code == api.CodeCanceled {
		e.Outcome = api.RunCanceled
	}
	return e
}

// keep stores the event of what has no transaction of its own. What happened
// has happened; that it is not on record is for the log.
func (s *Service) keep(ctx context.Context, e store.Event) {
	if err := s.Store.PutEvent(context.WithoutCancel(ctx), e); err != nil {
		s.Log.WarnContext(ctx, "an event is not on record", "action", e.Action, "error", err)
	}
}

// runEvent is the event of a run that begins, or that has come to its end.
func (s *Service) runEvent(run *run, v api.Run) store.Event {
	e := s.event(run.ctx, auditRun+run.kind, corpus.NoID)
	e.Run, e.Outcome = run.id, v.State
	e.Trigger = cmp.Or(run.trigger, e.Trigger)
	if v.State == api.RunRunning {
		e.Outcome = outcomeStarted
		return e
	}
	if v.Error != nil {
		e.Code = v.Error.Code
	}
	sum := v.Summary
	e.Counts = map[string]int{}
	for name, n := range map[string]int{
		"added": sum.Added, "updated": sum.Updated, "moved": sum.Moved, "removed": sum.Removed, "repaired": sum.Repaired,
		"embedded": sum.Embedded, "skipped": len(sum.Skipped), "failed": len(sum.Failed),
	} {
		if n > 0 {
			e.Counts[name] = n
		}
	}
	return e
}

// withEvent is a run's record with the event that goes with it. Embedding in
// the background is only told of when it has done something: it looks for work
// all the time.
func (s *Service) withEvent(run *run, sum summary) (store.Run, []store.Event) {
	out := record(sum)
	if run.kind == kindEmbed && (sum.Run.State == api.RunRunning || sum.Embedded == 0 && sum.Run.State != api.RunFailed) {
		return out, nil
	}
	run.audited = sum.Run.State != api.RunRunning
	return out, []store.Event{s.runEvent(run, sum.Run)}
}

// Bounds of AuditRequest.
const defaultEvents = 100

// Audit lists what was changed and tried.
func (s *Service) Audit(ctx context.Context, r api.AuditRequest) (api.AuditResponse, error) {
	out, err := s.audit(ctx, r)
	return out, s.fault(ctx, "list the events", err)
}

func (s *Service) audit(ctx context.Context, r api.AuditRequest) (api.AuditResponse, error) {
	out := api.AuditResponse{Events: []api.AuditEvent{}, Kept: store.MaxEvents}
	if r.Limit < 0 || r.Limit > store.MaxEvents {
		return out, invalid("limit is %d; use 1 to %d, or 0 for %d", r.Limit, store.MaxEvents, defaultEvents)
	}
	q := store.EventQuery{Limit: cmp.Or(r.Limit, defaultEvents)}
	if r.Since != "" {
		var err error
		if q.Since, err = time.Parse(time.RFC3339, r.Since); err != nil {
			return out, invalid("since %q is no time; use one like 2026-02-03T04:05:06Z", r.Since)
		}
	}
	var list []store.Event
	err := s.Store.View(ctx, func(v store.Reader) (err error) {
		list, err = v.Events(ctx, q)
		return err
	})
	for _, e := range list {
		out.Events = append(out.Events, wireAudit(e))
	}
	return out, err
}

func wireAudit(e store.Event) api.AuditEvent {
	out := api.AuditEvent{
		Seq: e.Seq, At: timestamp(e.At), Trigger: e.Trigger, Action: e.Action, Outcome: e.Outcome, Code: e.Code, Run: e.Run,
		Documents: []string{}, Counts: map[string]int{},
	}
	if !e.Source.IsZero() {
		out.Source = e.Source.String()
	}
	for _, d := range e.Documents {
		out.Documents = append(out.Documents, d.String())
	}
	maps.Copy(out.Counts, e.Counts)
	return out
}
