package postgres

import (
	"context"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Ingest implements store.Writer.
func (r *role) Ingest(ctx context.Context, all store.Batch) ([]store.Committed, error) {
	if err := all.Validate(); err != nil {
		return nil, err
	}
	before := newSnapshot(all.Changes)
	for i := range all.Records {
		before.ids = append(before.ids, all.Records[i].ID)
	}
	for _, ref := range all.Removed {
		before.ids = append(before.ids, ref.Document)
	}
	var done []store.Committed
	err := r.write(ctx, "ingest documents", before.query, func(w *writeTx, b *batch) (err error) {
		if all.Source != nil {
			if err := w.putSource(b, *all.Source); err != nil {
				return err
			}
		}
		documents := &documentTable{before: before.documents}
		for i := range all.Records {
			if err := documents.add(&all.Records[i], all.Records[i].Revision); err != nil {
				return err
			}
		}
		if done, err = w.commitAll(b, before, documents); err != nil {
			return err
		}
		gone, err := removable(all.Removed, before.documents)
		if err != nil {
			return err
		}
		w.removeDocuments(b, gone, false)
		return putEvents(b, all.Events)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// removable returns the documents that are stored, of those named; all must be
// at the revision named.
func removable(refs []store.Ref, before map[corpus.ID]known) (gone []corpus.ID, err error) {
	for _, ref := range refs {
		k, ok := before[ref.Document]
		if !ok {
			continue
		}
		if ref.Revision != 0 && ref.Revision != k.revision {
			return nil, fmt.Errorf("document %s: %w: revision %d, not %d", ref.Document, corpus.ErrStale, k.revision, ref.Revision)
		}
		gone = append(gone, ref.Document)
	}
	return gone, nil
}
