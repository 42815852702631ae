package postgres

import (
	"context"

	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// PutRequest implements store.Store.
func (db *DB) PutRequest(ctx context.Context, r store.Request) error {
	if err := r.Validate(); err != nil {
		return err
	}
	return db.ask(ctx, "put request", `INSERT INTO kb_embeddings_requests (tenant_id, kind, run, asker, asked_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, kind) DO UPDATE SET run = excluded.run, asker = excluded.asker, asked_at = excluded.asked_at`,
		r.Kind, r.Run, r.By, r.At.UnixMicro())
}

// DropRequest implements store.Store.
func (db *DB) DropRequest(ctx context.Context, kind string) error {
	return db.ask(ctx, "drop request", "DELETE FROM kb_embeddings_requests WHERE tenant_id = $1 AND kind = $2", kind)
}

// ask runs a statement on the tenant's requests.
func (db *DB) ask(ctx context.Context, doing, sql string, args ...any) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	return wrap(doing, db.transact(ctx, func(b *batch) { b.exec(sql, append([]any{db.tenant}, args...)...) }))
}

// Requests implements store.Reader.
func (r *reader) Requests(ctx context.Context) ([]store.Request, error) {
	var list []store.Request
	err := r.ask(ctx, "read requests", "SELECT kind, run, asker, asked_at FROM kb_embeddings_requests WHERE tenant_id = $1 ORDER BY kind",
		[]any{r.db.tenant}, func(scan func(...any) error) error {
			var q store.Request
			var at int64
			err := scan(&q.Kind, &q.Run, &q.By, &at)
			q.At = codec.Time(at)
			list = append(list, q)
			return err
		})
	return list, err
}
