package service

import (
	"fmt"
	"time"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// againHint is what to do about a saved plan that cannot be used.
const againHint = "Make it again: ibid plan --out FILE"

// unusable refuses a saved plan.
func unusable(format string, args ...any) error {
	return &api.Error{Code: api.CodeInvalid, Message: "nothing was applied: the saved plan " + fmt.Sprintf(format, args...), Hint: againHint}
}

// savedPlan reads a plan that was kept outside this process. It must be as it
// was made: its seal says so. Errors are *api.Error.
func savedPlan(w api.Plan) (*plan.Reindex, error) {
	switch {
	case w.FormatVersion > api.PlanFormat:
		return nil, &api.Error{
			Code:    api.CodeUnsupported,
			Message: fmt.Sprintf("nothing was applied: the saved plan has format version %d, this program reads %d", w.FormatVersion, api.PlanFormat),
			Hint:    "Apply it with the program that made it, or make it again: ibid plan --out FILE",
		}
	case w.FormatVersion != api.PlanFormat:
		return nil, unusable("has format version %d, this program reads %d", w.FormatVersion, api.PlanFormat)
	}
	switch s, err := seal(w); {
	case err != nil:
		return nil, err
	case w.Seal == "":
		return nil, unusable("has no seal: it is not the whole of a plan that was made to be saved")
	case w.Seal != s:
		return nil, unusable("was edited or damaged after it was made")
	}
	p, err := readPlan(w)
	if err == nil {
		err = p.Validate()
	}
	if err != nil {
		return nil, unusable("cannot be understood: %v", err)
	}
	p.Total()
	p.Summary = plan.Summary{
		Added: p.Summary.Added, Updated: p.Summary.Updated, Moved: p.Summary.Moved, Removed: p.Summary.Removed, Repair: p.Summary.Repair,
		Failed: p.Summary.Failed, Unsupported: p.Summary.Unsupported, Busy: p.Summary.Busy, Unavailable: p.Summary.Unavailable,
		// Of what is not listed, only the plan knows.
		Unchanged: w.Summary.Unchanged, ChunksToEmbed: w.Summary.ChunksToEmbed, ChunksWaiting: w.Summary.ChunksWaiting,
		ChunksReused: w.Summary.ChunksReused, ChunksRelocated: w.Summary.ChunksRelocated, ChunksRemoved: w.Summary.ChunksRemoved,
		ChunksExact: w.Summary.ChunksExact, Tokens: w.Summary.Tokens, Cost: plan.Cost(w.Summary.Cost), Seconds: w.Summary.Seconds, Guessed: w.Summary.SecondsGuessed,
	}
	return p, nil
}

// readPlan is the inverse of wirePlan, as far as applying needs.
func readPlan(w api.Plan) (*plan.Reindex, error) {
	p := &plan.Reindex{Model: w.Space, Analyzer: w.Analyzer, Build: w.Build, Sources: []plan.Source{}, Actions: []plan.Action{}}
	if err := p.Base.UnmarshalText([]byte(w.Base)); err != nil {
		return nil, err
	}
	var err error
	if p.CreatedAt, err = time.Parse(time.RFC3339, w.CreatedAt); err != nil {
		return nil, fmt.Errorf("time %q", w.CreatedAt)
	}
	for i, s := range w.Sources {
		id, err := corpus.ParseID(s.ID)
		if err != nil {
			return nil, fmt.Errorf("source %d: %w", i, err)
		}
		p.Sources = append(p.Sources, plan.Source{
			ID: id, Name: s.Name, Path: s.Path, State: s.State, Detail: s.Detail,
			Files: s.Files, Guard: (*plan.Guard)(s.Guard), Mark: s.Mark, MarkBefore: s.MarkBefore, FoldCase: s.FoldCase,
		})
	}
	for i, a := range w.Actions {
		action, err := readAction(a)
		if err != nil {
			return nil, fmt.Errorf("action %d (%q): %w", i, a.Path, err)
		}
		p.Actions = append(p.Actions, action)
	}
	for i, r := range w.Refresh {
		action, err := readAction(api.PlanAction{
			Action: string(plan.Unchanged), Source: r.Source, Path: r.Path, Document: r.Document, Revision: r.Revision,
			Content: r.Content, Fingerprint: r.Fingerprint, ReasonCode: string(plan.Same), Reason: plan.Same.Sentence(""),
		})
		if err != nil {
			return nil, fmt.Errorf("refresh %d (%q): %w", i, r.Path, err)
		}
		p.Actions = append(p.Actions, action)
	}
	return p, nil
}

func readAction(a api.PlanAction) (out plan.Action, err error) {
	out = plan.Action{
		Kind: plan.Kind(a.Action), Path: a.Path, From: a.From, Code: plan.Code(a.ReasonCode), Reason: a.Reason,
		Bytes: a.Bytes, Chunks: plan.Counts(a.Chunks), Missing: a.Missing, Revision: a.Revision,
	}
	if out.Source, err = corpus.ParseID(a.Source); err != nil {
		return out, err
	}
	for _, id := range []struct {
		text string
		to   *corpus.ID
	}{{a.FromSource, &out.FromSource}, {a.Document, &out.Document}} {
		if id.text == "" {
			continue
		}
		if *id.to, err = corpus.ParseID(id.text); err != nil {
			return out, err
		}
	}
	if a.Content != "" {
		if out.Content, err = corpus.ParseHash(a.Content); err != nil {
			return out, err
		}
	}
	if a.Fingerprint != "" {
		out.Fingerprint, err = parseFingerprint(a.Fingerprint)
	}
	return out, err
}
