package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// PutSource implements store.Store.
func (db *DB) PutSource(ctx context.Context, s corpus.Source, events ...store.Event) error {
	if s.ID.IsZero() {
		return fmt.Errorf("put source %q: %w: no id", s.Name, corpus.ErrInvalid)
	}
	if err := store.ValidateEvents(events); err != nil {
		return err
	}
	return db.change(ctx, "put source", func(w *writeTx, b *batch) error {
		if err := w.putSource(b, s); err != nil {
			return err
		}
		return putEvents(b, events)
	})
}

// ChangeSource implements store.Store.
func (db *DB) ChangeSource(ctx context.Context, id corpus.ID, change func(s *corpus.Source) error, events ...store.Event) error {
	if err := store.ValidateEvents(events); err != nil {
		return err
	}
	return db.change(ctx, "change source", func(w *writeTx, b *batch) error {
		var record string
		found := false
		if err := w.each(ctx, "SELECT record FROM kb_embeddings_sources WHERE tenant_id = $1 AND id = $2 FOR UPDATE", []any{db.tenant, id}, func(scan func(...any) error) error {
			found = true
			return scan(&record)
		}); err != nil {
			return err
		}
		s, err := codec.ChangeSource(id, []byte(record), found, change)
		if err != nil {
			return err
		}
		if err := w.putSource(b, s); err != nil {
			return err
		}
		return putEvents(b, events)
	})
}

func (w *writeTx) putSource(b *batch, s corpus.Source) error {
	record, err := json.Marshal(s)
	if err != nil {
		return err
	}
	w.changed = true
	b.exec(`INSERT INTO kb_embeddings_sources (tenant_id, id, created_at, record) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, id) DO UPDATE SET created_at = excluded.created_at, record = excluded.record`,
		b.db.tenant, s.ID, s.CreatedAt.UnixMicro(), string(record))
	return nil
}
