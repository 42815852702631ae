package service

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
	"ibid/backend/verify"
)

// Verify says where the library is not what a fresh build of its sources would
// be, and leaves word of it, so that the next plan repairs these documents.
// Beyond that it changes nothing; others read and write meanwhile. progress
// may be nil.
func (s *Service) Verify(ctx context.Context, r api.VerifyRequest, progress func(api.Progress)) (api.Verification, error) {
	out, err := s.verify(ctx, r, progress)
	return out, s.audited(ctx, auditVerify, s.fault(ctx, "verify the library", err))
}

func (s *Service) verify(ctx context.Context, r api.VerifyRequest, progress func(api.Progress)) (api.Verification, error) {
	opt := verify.Options{Sample: r.Sample, Files: r.Files}
	switch {
	case r.All:
		opt.Sample = verify.All
	case r.Sample < 0:
		return api.Verification{}, invalid("a sample of %d passages; use a number from 0", r.Sample)
	}
	if progress != nil {
		opt.Progress = func(p verify.Progress) {
			progress(api.Progress{Stage: "verify " + p.Stage, Documents: p.Done, DocumentsOf: p.Of})
		}
	}
	report, err := s.look(ctx, r.Sources, opt)
	if errors.Is(err, store.ErrDamaged) {
		report, err = verify.Unreadable(err), nil
	}
	if err != nil {
		return api.Verification{}, err
	}
	out := wireReport(report)
	switch out.Marked, err = s.mark(ctx, report); {
	case errors.Is(err, corpus.ErrBusy):
		out.Notes = append(out.Notes, "Another process writes to the library, so the next plan does not know of what was found: verify again when it has ended.")
	case errors.Is(err, store.ErrDamaged):
		out.Notes = append(out.Notes, "The next plan does not know of what was found, since the library's file is damaged.")
	case err != nil:
		return api.Verification{}, err
	}
	return out, nil
}

// look verifies, as far as the library can be read.
func (s *Service) look(ctx context.Context, sources []string, opt verify.Options) (report *verify.Report, err error) {
	if opt.Sources, err = s.sourceIDs(ctx, sources); err != nil {
		return nil, err
	}
	in, err := s.ingester(ctx, s.Config.Settings())
	if err != nil {
		return nil, err
	}
	return verify.Run(ctx, in, opt)
}

// mark leaves word of damaged documents for the next plan.
func (s *Service) mark(ctx context.Context, report *verify.Report) (marked int, err error) {
	distrust, touch := report.Marks()
	if len(distrust)+len(touch) == 0 {
		return 0, nil
	}
	err = s.asWriter(ctx, "verify", func(w store.Writer) error {
		return errors.Join(w.Distrust(ctx, distrust), w.Touch(ctx, touch))
	})
	if err != nil {
		return 0, err
	}
	marked = len(distrust) + len(touch)
	e := s.event(ctx, auditVerify, corpus.NoID)
	e.Counts = map[string]int{"findings": len(report.Findings) + report.More, "marked": marked}
	s.keep(ctx, e)
	return marked, nil
}

// Repair plans what only the files can bring back: the plan has nothing but
// repairs. Applying it first mends what can be derived from what the library
// has; where there is nothing else to do, Repair does so.
func (s *Service) Repair(ctx context.Context, sources []string) (api.Plan, error) {
	out, err := s.repair(ctx, sources)
	return out, s.audited(ctx, auditRepair, s.fault(ctx, "repair the library", err))
}

func (s *Service) repair(ctx context.Context, sources []string) (api.Plan, error) {
	// All the rest relies on the file.
	if err := s.asWriter(ctx, "repair", func(w store.Writer) error { return w.MendFile(ctx) }); err != nil {
		return api.Plan{}, err
	}
	ids, err := s.sourceIDs(ctx, sources)
	if err != nil {
		return api.Plan{}, err
	}
	in, err := s.ingester(ctx, s.Config.Settings())
	if err != nil {
		return api.Plan{}, err
	}
	p, err := in.Plan(ctx, ingest.PlanOptions{Sources: ids})
	if err != nil {
		return api.Plan{}, err
	}
	p = p.Select(func(a plan.Action) bool { return a.Kind == plan.Repair })
	if p.Summary.Repair == 0 { // else applying mends first
		if err := s.asWriter(ctx, "repair", func(w store.Writer) error { return w.Mend(ctx, in.Audit()) }); err != nil {
			return api.Plan{}, err
		}
		s.keep(ctx, s.event(ctx, auditRepair, corpus.NoID))
	}
	return wirePlan(s.plans.put(p), p, 0, 0), nil
}

func wireReport(r *verify.Report) api.Verification {
	out := api.Verification{
		FormatVersion: api.VerifyFormat, Library: r.Library.String(), Revision: r.Revision, Documents: r.Documents, Passages: r.Passages,
		Sampled: r.Sampled, Files: r.Files, Findings: []api.VerifyFinding{}, More: r.More, Notes: append([]string{}, r.Notes...),
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, wireFinding(f))
	}
	slices.SortStableFunc(out.Findings, func(a, b api.VerifyFinding) int { // about the library, then by place
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code))
	})
	return out
}

func wireFinding(f verify.Finding) api.VerifyFinding {
	out := api.VerifyFinding{Code: string(f.Damage), Path: f.Path, Count: f.Count, Detail: f.Detail}
	if !f.Source.IsZero() {
		out.Source = f.Source.String()
	}
	if !f.Document.IsZero() {
		out.Document = f.Document.String()
	}
	if !f.Passage.IsZero() {
		out.Passage = f.Passage.String()
	}
	if f.Index >= 0 {
		out.Index = &f.Index
	}
	a := advices[f.Damage]
	out.Means, out.Fix = a.means, a.fix
	return out
}

// repairFirst is what mends most.
const repairFirst = "ibid verify --repair"

// advice says what a damage means for answers and what to do about it.
type advice struct{ means, fix string }

var advices = map[store.Damage]advice{
	store.FileDamaged:      {"searches may fail or miss anything", repairFirst + "; what that cannot mend, a backup can: put it in the place of library.db, then: ibid apply"},
	store.FileIndexDamaged: {"searches may miss anything, or fail", repairFirst},
	store.SourceMissing:    {"the documents answer, and follow no folder", repairFirst + " removes them; add the folder again if you want them"},
	store.RecordMissing:    {"passages answer that belong to no document", repairFirst},
	store.RecordDamaged:    {"what is told of the document is incomplete", repairFirst},
	store.StrayRows:        {"they take up space and answer nothing", repairFirst},
	store.TextMissing:      {"citations of the document cannot be shown in its text", repairFirst},
	store.PassagesMissing:  {"parts of the document are not found, or in a wrong order", repairFirst},
	store.PassageAltered:   {"answers may cite words that the document does not have", repairFirst},
	store.TermsWrong:       {"keyword searches miss the passages, or find them for other words", repairFirst},
	store.IndexStray:       {"keyword searches count passages that there are not", repairFirst},
	store.VectorMissing:    {"searches by meaning miss the passages", repairFirst},
	store.VectorIndexWrong: {"searches by meaning miss passages, or fail", repairFirst},
	store.StatisticsWrong:  {"results may be ranked otherwise than in a fresh library", repairFirst},
	store.FieldsWrong:      {"filters miss the document, or let it through", repairFirst},
	verify.LocationWrong:   {"citations may lead to a wrong place", repairFirst},
	verify.VectorWrong:     {"searches by meaning rank the passage wrongly", repairFirst + ", and --sample all to look at every passage"},
	verify.FileDiffers:     {"answers come from another text than the file has", repairFirst},
	verify.FileChanged:     {"answers come from what the file said before", "ibid apply"},
	verify.OutOfStep:       {"answers come from what the folder had before", "ibid apply"},
}
