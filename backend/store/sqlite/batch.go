package sqlite

import (
	"context"

	"ibid/backend/store"
)

// Ingest implements store.Writer.
func (r *role) Ingest(ctx context.Context, b store.Batch) ([]store.Committed, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	var done []store.Committed
	err := r.write(ctx, "ingest documents", func(w *writeTx) (err error) {
		if b.Source != nil {
			if err := w.putSource(ctx, *b.Source); err != nil {
				return err
			}
		}
		if done, err = w.commitAll(ctx, b.Changes); err != nil {
			return err
		}
		if err := w.recordAll(ctx, b.Records); err != nil {
			return err
		}
		if err := w.removeAll(ctx, b.Removed); err != nil {
			return err
		}
		return w.putEvents(ctx, b.Events)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}
