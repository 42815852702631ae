package sqlite

import (
	"context"

	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// PutEvent implements store.Store.
func (db *DB) PutEvent(ctx context.Context, events ...store.Event) error {
	if err := store.ValidateEvents(events); err != nil || len(events) == 0 {
		return err
	}
	return wrap("put event", db.write(ctx, func(w *writeTx) error { return w.putEvents(ctx, events) }))
}

// putEvents keeps events, and forgets what is older than the newest MaxEvents.
func (w *writeTx) putEvents(ctx context.Context, events []store.Event) error {
	if len(events) == 0 {
		return nil
	}
	var last int64
	if _, err := w.row(ctx, "SELECT coalesce(max(seq), 0) FROM events WHERE tenant = ?", []any{w.tenant}, &last); err != nil {
		return err
	}
	for i := range events {
		record, err := codec.EncodeEvent(events[i])
		if err != nil {
			return err
		}
		last++
		if _, err := w.exec(ctx, "INSERT INTO events (tenant, seq, at, record) VALUES (?, ?, ?, ?)",
			w.tenant, last, events[i].At.UnixMicro(), record); err != nil {
			return err
		}
	}
	_, err := w.exec(ctx, "DELETE FROM events WHERE tenant = ? AND seq <= ?", w.tenant, last-store.MaxEvents)
	return err
}

// Events implements store.Reader.
func (r *reader) Events(ctx context.Context, q store.EventQuery) ([]store.Event, error) {
	since := int64(-1 << 63)
	if !q.Since.IsZero() {
		since = q.Since.UnixMicro()
	}
	var list []store.Event
	err := r.each(ctx, "SELECT seq, at, record FROM events WHERE tenant = ? AND at >= ? ORDER BY seq DESC LIMIT ?",
		[]any{r.db.tenant[:], since, max(q.Limit, 0)}, func(scan func(...any) error) error {
			var seq, at int64
			var record []byte
			if err := scan(&seq, &at, &record); err != nil {
				return err
			}
			e, err := codec.DecodeEvent(seq, at, record)
			list = append(list, e)
			return err
		})
	return list, wrap("read events", err)
}
