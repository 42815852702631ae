package postgres

import (
	"context"
	"math"

	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// PutEvent implements store.Store.
func (db *DB) PutEvent(ctx context.Context, events ...store.Event) error {
	if err := store.ValidateEvents(events); err != nil || len(events) == 0 {
		return err
	}
	return db.change(ctx, "put event", func(_ *writeTx, b *batch) error { return putEvents(b, events) })
}

// putEvents queues keeping events, and forgetting what is older than the
// newest MaxEvents. The library's row is locked by every transaction that
// writes, so that no two give the same number.
func putEvents(b *batch, events []store.Event) error {
	if len(events) == 0 {
		return nil
	}
	var at []int64
	var records []string
	for _, e := range events {
		record, err := codec.EncodeEvent(e)
		if err != nil {
			return err
		}
		at, records = append(at, e.At.UnixMicro()), append(records, record)
	}
	b.exec(`INSERT INTO kb_embeddings_events (tenant_id, seq, at, record)
		SELECT $1, (SELECT coalesce(max(seq), 0) FROM kb_embeddings_events WHERE tenant_id = $1) + t.n, t.at, t.record
		FROM unnest($2::bigint[], $3::text[]) WITH ORDINALITY AS t (at, record, n)`, b.db.tenant, at, records)
	b.exec(`DELETE FROM kb_embeddings_events WHERE tenant_id = $1
		AND seq <= (SELECT max(seq) FROM kb_embeddings_events WHERE tenant_id = $1) - $2::bigint`, b.db.tenant, store.MaxEvents)
	return nil
}

// Events implements store.Reader.
func (r *reader) Events(ctx context.Context, q store.EventQuery) ([]store.Event, error) {
	since := int64(math.MinInt64)
	if !q.Since.IsZero() {
		since = q.Since.UnixMicro()
	}
	var list []store.Event
	err := r.ask(ctx, "read events", "SELECT seq, at, record FROM kb_embeddings_events WHERE tenant_id = $1 AND at >= $2 ORDER BY seq DESC LIMIT $3",
		[]any{r.db.tenant, since, max(q.Limit, 0)}, func(scan func(...any) error) error {
			var seq, at int64
			var record []byte
			if err := scan(&seq, &at, &record); err != nil {
				return err
			}
			e, err := codec.DecodeEvent(seq, at, record)
			list = append(list, e)
			return err
		})
	return list, err
}
