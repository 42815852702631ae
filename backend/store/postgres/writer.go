package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// role is the writer role while it is held. Its transactions follow each other;
// the database would have them wait anyway.
type role struct {
	db    *DB
	token corpus.ID

	stop    context.CancelFunc
	renewal sync.WaitGroup

	mu       sync.Mutex // held during a transaction
	done     int64      // transactions committed
	released bool
}

var _ store.Writer = (*role)(nil)

// maxLease bounds Options.Lease.
const maxLease = 5 * time.Minute

// leased tells in SQL that a lease has not ended. One that ends later than any
// lease could is of before the server's clock was set back, and would keep the
// role until the clock is there again: it has ended, and a holder who lives
// finds out by its token.
var leased = fmt.Sprintf("expires_at > clock_timestamp() AND expires_at <= clock_timestamp() + interval '%d seconds'", maxLease/time.Second)

// Acquire implements store.Store.
func (db *DB) Acquire(ctx context.Context, holder string) (store.Writer, error) {
	leave, err := db.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	r := &role{db: db, token: corpus.NewID()}
	if err := r.acquire(ctx, holder); err != nil {
		return nil, wrap("acquire writer role", err)
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.renewal.Go(func() { r.renew(renewing) })
	db.mu.Lock()
	defer db.mu.Unlock()
	db.roles[r] = true
	return r, nil
}

// acquire takes the lease unless it is held. Whoever holds it for a
// transaction has the row locked: that is not waited for.
func (r *role) acquire(ctx context.Context, holder string) error {
	return r.db.patiently(ctx, func() error {
		var token, other corpus.ID
		var name string
		var minWriter int
		t, err := r.db.begin(ctx, writing, func(b *batch) {
			b.row("SELECT min_writer FROM kb_embeddings_format", nil, &minWriter)
			b.row("SELECT token, holder FROM kb_embeddings_writers WHERE tenant_id = $1 AND "+leased, []any{r.db.tenant}, &other, &name)
		})
		if err != nil {
			return err
		}
		defer t.rollback(ctx)
		if err := checkFormat(minWriter); err != nil {
			return err
		}
		if other == r.token { // taken, and the answer was lost
			return nil
		}
		if !other.IsZero() {
			return fmt.Errorf("%w: held by %s", corpus.ErrBusy, name)
		}
		b := &batch{db: r.db}
		b.row(`UPDATE kb_embeddings_writers SET token = $2, holder = $3, done = 0, expires_at = clock_timestamp() + $4::interval
			WHERE tenant_id = (SELECT tenant_id FROM kb_embeddings_writers WHERE tenant_id = $1 AND NOT (`+leased+`) FOR UPDATE SKIP LOCKED)
			RETURNING token`, []any{r.db.tenant, r.token, readable(holder), r.db.lease}, &token)
		if err := t.run(ctx, b); err != nil {
			return err
		}
		if token != r.token {
			return fmt.Errorf("%w: held by another process", corpus.ErrBusy)
		}
		return t.commit(ctx, &batch{db: r.db})
	})
}

// Holder implements store.Store.
func (db *DB) Holder(ctx context.Context) (string, error) {
	leave, err := db.enter()
	if err != nil {
		return "", err
	}
	defer leave()
	name := ""
	return name, wrap("look for the writer", db.read(ctx, func(b *batch) {
		b.row("SELECT coalesce(nullif(holder, ''), 'another process') FROM kb_embeddings_writers WHERE tenant_id = $1 AND token IS NOT NULL AND "+leased,
			[]any{db.tenant}, &name)
	}))
}

// readable is a name as text that can be stored.
func readable(name string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(name, "?"), "\x00", "?")
}

// renew keeps the lease from ending until the role is released.
func (r *role) renew(ctx context.Context) {
	ticks := time.NewTicker(r.db.lease / 3)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		err := r.db.transact(ctx, func(b *batch) {
			b.exec("UPDATE kb_embeddings_writers SET expires_at = clock_timestamp() + $3::interval WHERE tenant_id = $1 AND token = $2", r.db.tenant, r.token, r.db.lease)
		})
		if err != nil && ctx.Err() == nil {
			r.db.log.Warn("writer role was not renewed", "error", err)
		}
	}
}

// Release implements store.Writer.
func (r *role) Release() error {
	r.db.mu.Lock()
	delete(r.db.roles, r)
	r.db.mu.Unlock()
	r.stop()
	r.renewal.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.released {
		return nil
	}
	r.released = true
	ctx, cancel := context.WithTimeout(context.Background(), rollbackLimit)
	defer cancel()
	return wrap("release writer role", r.db.transact(ctx, func(b *batch) {
		b.exec("UPDATE kb_embeddings_writers SET token = NULL, holder = '', expires_at = '-infinity' WHERE tenant_id = $1 AND token = $2", r.db.tenant, r.token)
	}))
}

// writeTx is a write transaction of the tenant.
type writeTx struct {
	*tx
	minWriter   int
	generations []generation // the live one first
	now         int64        // microseconds
	revision    int64        // of the library, if the transaction changes anything
	changed     bool         // set by whoever changes what a search could see
}

// write runs one of the writer's transactions under the role: reads goes to the
// server together with the beginning, what work adds to its batch together
// with the commit. Both are called again if the database was out of reach;
// whether a commit without an answer happened is found out by the lease.
func (r *role) write(ctx context.Context, doing string, reads func(b *batch), work func(w *writeTx, b *batch) error) error {
	leave, err := r.db.enter()
	if err != nil {
		return err
	}
	defer leave()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.released {
		return fmt.Errorf("%s: %w: the writer role was released", doing, corpus.ErrBusy)
	}
	doubt := false // a commit was sent and not answered
	err = r.db.patiently(ctx, func() error {
		w := &writeTx{now: time.Now().UnixMicro()}
		held, done := false, int64(0)
		var err error
		w.tx, err = r.db.begin(ctx, writing, func(b *batch) {
			b.rows("SELECT done FROM kb_embeddings_writers WHERE tenant_id = $1 AND token = $2 FOR UPDATE", []any{r.db.tenant, r.token}, func(scan func(...any) error) error {
				held = true
				return scan(&done)
			})
			w.begin(b)
			queryGenerations(b, &w.generations)
			if reads != nil {
				reads(b)
			}
		})
		if err != nil {
			return err
		}
		defer w.rollback(ctx)
		if !held {
			return fmt.Errorf("%w: the writer role was lost", corpus.ErrBusy)
		}
		if doubt && done == r.done+1 { // it happened after all
			r.done = done
			return nil
		}
		if err := checkFormat(w.minWriter); err != nil {
			return err
		}
		b := &batch{db: r.db}
		if err := work(w, b); err != nil {
			return err
		}
		w.end(b)
		b.exec("UPDATE kb_embeddings_writers SET done = $3, expires_at = clock_timestamp() + $4::interval WHERE tenant_id = $1 AND token = $2",
			r.db.tenant, r.token, r.done+1, r.db.lease)
		err = w.commit(ctx, b)
		doubt = doubt || err != nil
		if err == nil {
			r.done++
		}
		return err
	})
	return wrap(doing, err)
}

// begin queues the reading of the next revision. The row stays locked, so that
// revisions are given in the order of commits.
func (w *writeTx) begin(b *batch) {
	b.row(`SELECT f.min_writer, l.revision + 1 FROM kb_embeddings_libraries l, kb_embeddings_format f WHERE l.tenant_id = $1 FOR UPDATE OF l`,
		[]any{b.db.tenant}, &w.minWriter, &w.revision)
}

// end queues what every transaction leaves behind. By "changes" the first
// programs of this format know that their counts are old.
func (w *writeTx) end(b *batch) {
	set := "changes = changes + 1"
	if w.changed {
		set += ", revision = revision + 1"
	}
	b.exec("UPDATE kb_embeddings_libraries SET "+set+" WHERE tenant_id = $1", b.db.tenant)
}

// change runs a transaction that needs no role. Its work is called again if
// the database was out of reach.
func (db *DB) change(ctx context.Context, doing string, work func(w *writeTx, b *batch) error) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	return wrap(doing, db.patiently(ctx, func() error {
		w := &writeTx{}
		var err error
		if w.tx, err = db.begin(ctx, writing, w.begin); err != nil {
			return err
		}
		defer w.rollback(ctx)
		if err := checkFormat(w.minWriter); err != nil {
			return err
		}
		b := &batch{db: db}
		if err := work(w, b); err != nil {
			return err
		}
		w.end(b)
		return w.commit(ctx, b)
	}))
}

// PutRun implements store.Writer.
func (r *role) PutRun(ctx context.Context, run store.Run, events ...store.Event) error {
	if run.ID == "" {
		return fmt.Errorf("put run: %w: no id", corpus.ErrInvalid)
	}
	if err := store.ValidateEvents(events); err != nil {
		return err
	}
	return r.write(ctx, "put run", nil, func(_ *writeTx, b *batch) error {
		b.exec(`INSERT INTO kb_embeddings_runs (tenant_id, id, kind, state, started_at, finished_at, summary) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (tenant_id, id) DO UPDATE SET kind = excluded.kind, state = excluded.state, started_at = excluded.started_at,
				finished_at = excluded.finished_at, summary = excluded.summary`,
			r.db.tenant, run.ID, run.Kind, run.State, run.StartedAt.UnixMicro(), codec.Maybe(run.FinishedAt), run.Summary)
		return putEvents(b, events)
	})
}
