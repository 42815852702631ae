package verify

import (
	"context"
	"errors"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// folders compares the library with what a plan finds in the sources.
func (v *verifier) folders(ctx context.Context) error {
	v.progress(StagePlan, 0, 0)
	p, err := v.in.Plan(ctx, ingest.PlanOptions{
		Sources: v.opt.Sources,
		Observe: ingest.Observer{Progress: func(p ingest.Progress) { v.progress(StagePlan, p.Documents, p.DocumentsOf) }},
	})
	if err != nil {
		return err
	}
	v.planned = make(map[corpus.ID]bool)
	if p.Build {
		v.report.Notes = append(v.report.Notes, "The settings ask for another model or another word analysis than the library has: the next plan shows what that takes.")
	}
	waiting := 0
	for i := range p.Actions {
		a := &p.Actions[i]
		switch {
		case a.Kind == plan.Unchanged:
			waiting += a.Chunks.Embed
		case a.Kind == plan.Repair && len(v.report.marks[a.Document]) > 0:
			// It was told already.
		case a.Kind.IsWork() && !(p.Build && (a.Code == plan.ModelChanged || a.Code == plan.AnalyzerChanged)):
			v.planned[a.Document] = true
			v.documents[a.Document] = corpus.Document{ID: a.Document, Source: a.Source, Path: a.Path}
			v.found(store.Finding{Damage: OutOfStep, Document: a.Document, Count: 1, Detail: fmt.Sprintf("%s: %s", a.Kind, a.Reason)})
		}
	}
	for _, s := range p.Sources {
		if s.State != plan.SourceComplete {
			v.report.Notes = append(v.report.Notes, fmt.Sprintf("The source %q was not compared as a whole: %s.", s.Name, s.Detail))
		}
	}
	if waiting > 0 {
		v.report.Notes = append(v.report.Notes, fmt.Sprintf("%d passages wait for their vectors; they are found by keyword.", waiting))
	}
	return nil
}

// files makes every document anew from its file and compares.
func (v *verifier) files(ctx context.Context) error {
	for i, id := range v.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		v.progress(StageFiles, i, len(v.order))
		d := v.documents[id]
		src, known := v.sources[d.Source]
		if !known || src.Kind != corpus.SourceFolder && src.Kind != corpus.SourceFile || d.State != corpus.DocumentIndexed || v.planned[id] {
			continue
		}
		change, err := v.in.Remake(ctx, src, d)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, corpus.ErrStale):
			if err := v.changed(ctx, d); err != nil {
				return err
			}
			continue
		case errors.Is(err, corpus.ErrUnavailable):
			continue // the plan told of its source
		case err != nil:
			v.found(store.Finding{Damage: FileDiffers, Document: id, Count: 1, Detail: fmt.Sprintf("it cannot be read now: %v", err)})
			continue
		}
		v.report.Files++
		if err := v.compare(ctx, d, &change); err != nil {
			return err
		}
	}
	return nil
}

// changed tells of a file that is not the ledger's, unless that is news to the
// folder as well.
func (v *verifier) changed(ctx context.Context, d corpus.Document) error {
	p, err := v.in.Plan(ctx, ingest.PlanOptions{Sources: []corpus.ID{d.Source}, Places: map[corpus.ID][]string{d.Source: {d.Path}}})
	if err != nil {
		return err
	}
	for _, a := range p.Actions {
		if a.Path == d.Path && a.Kind != plan.Unchanged {
			v.found(store.Finding{Damage: OutOfStep, Document: d.ID, Count: 1, Detail: fmt.Sprintf("%s: %s", a.Kind, a.Reason)})
			return nil
		}
	}
	v.report.touch[d.ID] = true
	v.found(store.Finding{Damage: FileChanged, Document: d.ID, Count: 1, Detail: "its bytes changed, and neither its size nor its times did"})
	return nil
}

// compare compares a document as its file gives it with the stored one.
func (v *verifier) compare(ctx context.Context, d corpus.Document, fresh *store.Change) error {
	return v.in.Store.View(ctx, func(r store.Reader) error {
		now, err := r.Document(ctx, d.ID)
		if errors.Is(err, corpus.ErrNotFound) || err == nil && now.Revision != d.Revision {
			return nil // it was changed meanwhile
		}
		if err != nil {
			return err
		}
		text, _, err := r.Text(ctx, 0, d.ID)
		if err != nil && !errors.Is(err, corpus.ErrNotFound) {
			return err
		}
		chunks, err := r.Chunks(ctx, 0, d.ID)
		if err != nil {
			return err
		}
		if what := differs(text, chunks, fresh); what != "" {
			v.found(store.Finding{Damage: FileDiffers, Generation: v.live.ID, Document: d.ID, Count: 1, Detail: what})
		}
		return nil
	})
}

// differs says in words how stored passages differ from fresh ones, or "".
func differs(text string, chunks []corpus.Chunk, fresh *store.Change) string {
	switch {
	case text != fresh.Text:
		return "its stored text is another"
	case len(chunks) != len(fresh.Entries):
		return fmt.Sprintf("it has %d passages, its file gives %d", len(chunks), len(fresh.Entries))
	}
	for i := range chunks {
		if a, b := &chunks[i], &fresh.Entries[i].Chunk; a.Hash != b.Hash || a.Location.Start != b.Location.Start || a.Location.End != b.Location.End {
			return fmt.Sprintf("passage %d is another", i+1)
		}
	}
	return ""
}
