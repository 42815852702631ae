package sqlite

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
	return wrap("put request", db.write(ctx, func(w *writeTx) error {
		_, err := w.exec(ctx, "INSERT OR REPLACE INTO requests (tenant, kind, run, asker, asked_at) VALUES (?, ?, ?, ?, ?)",
			w.tenant, r.Kind, r.Run, r.By, r.At.UnixMicro())
		return err
	}))
}

// DropRequest implements store.Store.
func (db *DB) DropRequest(ctx context.Context, kind string) error {
	return wrap("drop request", db.write(ctx, func(w *writeTx) error {
		_, err := w.exec(ctx, "DELETE FROM requests WHERE tenant = ? AND kind = ?", w.tenant, kind)
		return err
	}))
}

// Requests implements store.Reader.
func (r *reader) Requests(ctx context.Context) ([]store.Request, error) {
	var list []store.Request
	err := r.each(ctx, "SELECT kind, run, asker, asked_at FROM requests WHERE tenant = ? ORDER BY kind", []any{r.db.tenant[:]},
		func(scan func(...any) error) error {
			var q store.Request
			var at int64
			err := scan(&q.Kind, &q.Run, &q.By, &at)
			q.At = codec.Time(at)
			list = append(list, q)
			return err
		})
	return list, wrap("read requests", err)
}
