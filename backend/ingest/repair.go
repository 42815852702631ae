package ingest

import (
	"context"
	"fmt"
	"slices"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Audit is what a library's passages are compared with.
func (in *Ingester) Audit() store.Audit {
	return store.Audit{Entry: in.entry, Analyzer: analyze.Version}
}

// mend prepares the store for repairs: committing a document relies on what is
// stored of it being whole. Where the plan repairs nothing it does nothing,
// since it looks at the whole library.
func (r *run) mend(ctx context.Context, p *plan.Reindex) error {
	var repairs, forget []corpus.ID
	for i := range p.Actions {
		if p.Actions[i].Kind == plan.Repair {
			repairs = append(repairs, p.Actions[i].Document)
		}
	}
	if len(repairs) == 0 {
		return nil
	}
	err := r.Store.View(ctx, func(v store.Reader) error {
		made, err := v.RecipesOf(ctx, r.gen.ID, repairs)
		for id, m := range made {
			if slices.Contains(plan.Damages(m.Recipe), plan.VectorsDamaged) {
				forget = append(forget, id)
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read what is damaged: %w", err)
	}
	if err := r.w.Mend(ctx, r.Audit(), forget...); err != nil {
		return fmt.Errorf("repair the library: %w", err)
	}
	return nil
}

// Remake makes a document from its file as if it were new and returns what
// would be committed, changing nothing. Errors: corpus.ErrStale if the file is
// gone or not the one that the ledger knows, and those of reading it.
func (in *Ingester) Remake(ctx context.Context, src corpus.Source, doc corpus.Document) (store.Change, error) {
	m, err := in.make(ctx, src, plan.Action{
		Source: doc.Source, Path: doc.Path, Document: doc.ID, Revision: doc.Revision, Content: doc.Content,
	}, &doc, nil)
	if err != nil {
		return store.Change{}, err
	}
	return m.change, nil
}
