package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// writeTx is a write transaction of the tenant.
type writeTx struct {
	*tx
	tenant   []byte
	now      int64 // microseconds
	revision int64 // of the library, if the transaction changes anything
	changed  bool  // set by whoever changes what a search could see
}

// open reads the next revision and refuses to write into a newer format.
func (w *writeTx) open(ctx context.Context) error {
	var minWriter int
	if _, err := w.row(ctx, "SELECT m.min_writer, l.revision + 1 FROM meta m, libraries l WHERE l.tenant = ?", []any{w.tenant}, &minWriter, &w.revision); err != nil {
		return err
	}
	return checkFormat(minWriter)
}

// role is the writer role while it is held.
type role struct {
	db   *DB
	lock *lock
}

var _ store.Writer = (*role)(nil)

// Acquire implements store.Store.
func (db *DB) Acquire(ctx context.Context, holder string) (store.Writer, error) {
	leave, err := db.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := acquire(ctx, lockPath(db.path, db.tenant), holder)
	if err != nil {
		return nil, err
	}
	r := &role{db: db, lock: l}
	if err := r.write(ctx, "acquire writer role", func(*writeTx) error { return nil }); err != nil { // a newer format shows at once
		return nil, errors.Join(err, l.release())
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.roles[r] = true
	return r, nil
}

// Holder implements store.Store.
func (db *DB) Holder(ctx context.Context) (string, error) {
	leave, err := db.enter()
	if err != nil {
		return "", err
	}
	defer leave()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	name, err := holder(lockPath(db.path, db.tenant))
	return name, wrap("look for the writer", err)
}

// Release implements store.Writer.
func (r *role) Release() error {
	r.db.mu.Lock()
	delete(r.db.roles, r)
	r.db.mu.Unlock()
	return r.lock.release()
}

// write runs one of the writer's transactions under the role.
func (r *role) write(ctx context.Context, doing string, fn func(w *writeTx) error) error {
	return wrap(doing, r.db.write(ctx, func(w *writeTx) error {
		if err := r.lock.check(); err != nil {
			return err
		}
		return fn(w)
	}))
}

// PutSource implements store.Store.
func (db *DB) PutSource(ctx context.Context, s corpus.Source, events ...store.Event) error {
	if s.ID.IsZero() {
		return fmt.Errorf("put source %q: %w: no id", s.Name, corpus.ErrInvalid)
	}
	if err := store.ValidateEvents(events); err != nil {
		return err
	}
	return wrap("put source", db.write(ctx, func(w *writeTx) error {
		if err := w.putSource(ctx, s); err != nil {
			return err
		}
		return w.putEvents(ctx, events)
	}))
}

// ChangeSource implements store.Store.
func (db *DB) ChangeSource(ctx context.Context, id corpus.ID, change func(s *corpus.Source) error, events ...store.Event) error {
	if err := store.ValidateEvents(events); err != nil {
		return err
	}
	return wrap("change source", db.write(ctx, func(w *writeTx) error {
		var record []byte
		found, err := w.row(ctx, "SELECT record FROM sources WHERE tenant = ? AND id = ?", []any{w.tenant, id[:]}, &record)
		if err != nil {
			return err
		}
		s, err := codec.ChangeSource(id, record, found, change)
		if err != nil {
			return err
		}
		if err := w.putSource(ctx, s); err != nil {
			return err
		}
		return w.putEvents(ctx, events)
	}))
}

func (w *writeTx) putSource(ctx context.Context, s corpus.Source) error {
	record, err := json.Marshal(s)
	if err != nil {
		return err
	}
	w.changed = true
	_, err = w.exec(ctx, `
		INSERT INTO sources (tenant, id, created_at, record) VALUES (?, ?, ?, ?)
		ON CONFLICT (tenant, id) DO UPDATE SET created_at = excluded.created_at, record = excluded.record`,
		w.tenant, s.ID[:], s.CreatedAt.UnixMicro(), string(record))
	return err
}

// PutRun implements store.Writer.
func (r *role) PutRun(ctx context.Context, run store.Run, events ...store.Event) error {
	if run.ID == "" {
		return fmt.Errorf("put run: %w: no id", corpus.ErrInvalid)
	}
	if err := store.ValidateEvents(events); err != nil {
		return err
	}
	return r.write(ctx, "put run", func(w *writeTx) error {
		if _, err := w.exec(ctx, "INSERT OR REPLACE INTO runs (tenant, id, kind, state, started_at, finished_at, summary) VALUES (?, ?, ?, ?, ?, ?, ?)",
			w.tenant, run.ID, run.Kind, run.State, run.StartedAt.UnixMicro(), codec.Maybe(run.FinishedAt), blob(run.Summary)); err != nil {
			return err
		}
		return w.putEvents(ctx, events)
	})
}

// Touch implements store.Writer.
func (r *role) Touch(ctx context.Context, fingerprints map[corpus.ID]corpus.Fingerprint) error {
	if len(fingerprints) == 0 {
		return nil
	}
	return r.write(ctx, "touch documents", func(w *writeTx) error {
		for document, f := range fingerprints {
			b, err := json.Marshal(f)
			if err != nil {
				return err
			}
			n, err := w.exec(ctx, "UPDATE documents SET fingerprint = ?, modified = ? WHERE tenant = ? AND id = ?",
				string(b), codec.Modified(f), w.tenant, document[:])
			if err != nil {
				return err
			}
			w.changed = w.changed || n > 0
		}
		return nil
	})
}
