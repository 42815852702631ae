package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"ibid/backend/corpus"
)

// batch gathers statements that go to the server together and are answered
// together.
type batch struct {
	pgx.Batch
	db *DB
}

// exec queues a statement without result.
func (b *batch) exec(sql string, args ...any) {
	b.Queue(b.db.named(sql), b.db.values(args)...)
}

// row queues a query whose first row, if there is one, is scanned into dest.
func (b *batch) row(sql string, args []any, dest ...any) {
	b.rows(sql, args, func(scan func(...any) error) error { return scan(dest...) })
}

// rows queues a query; fn scans each row of the result.
func (b *batch) rows(sql string, args []any, fn func(scan func(...any) error) error) {
	b.Queue(b.db.named(sql), b.db.values(args)...).Query(func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			if err := fn(func(dest ...any) error { return rows.Scan(targets(dest)...) }); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// named writes the configured name of the tables into a statement.
func (db *DB) named(sql string) string {
	if db.table == DefaultTable {
		return sql
	}
	return strings.ReplaceAll(sql, DefaultTable, db.table)
}

// tx is a transaction. One goroutine uses it at a time. It ends by rollback,
// which after a commit only gives the connection back.
type tx struct {
	conn      *pgxpool.Conn
	db        *DB
	committed bool
}

// Kinds of transactions.
const (
	reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	writing = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
)

// begin opens a transaction of the tenant and runs its first statements, all
// in one exchange.
func (db *DB) begin(ctx context.Context, kind string, first func(b *batch)) (*tx, error) {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	t := &tx{conn: conn, db: db}
	b := &batch{db: db}
	b.exec(kind)
	// A plan must not outlive its tenant: a generic one, made for a large
	// tenant, finds nothing for a small one.
	b.exec(`SELECT set_config('ibid.tenant', $1, true), set_config('plan_cache_mode', 'force_custom_plan', true)`, db.tenant.String())
	if db.iterates {
		b.exec("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)")
	}
	first(b)
	if err := t.run(ctx, b); err != nil {
		t.rollback(ctx)
		return nil, err
	}
	return t, nil
}

// run sends a batch and reads its answers.
func (t *tx) run(ctx context.Context, b *batch) error {
	if b.Len() == 0 {
		return nil
	}
	return t.conn.SendBatch(ctx, &b.Batch).Close()
}

// do runs the statements that fill queues, in one exchange.
func (t *tx) do(ctx context.Context, fill func(b *batch)) error {
	b := &batch{db: t.db}
	fill(b)
	return t.run(ctx, b)
}

// each runs one query; fn scans each row.
func (t *tx) each(ctx context.Context, sql string, args []any, fn func(scan func(...any) error) error) error {
	return t.do(ctx, func(b *batch) { b.rows(sql, args, fn) })
}

// flush runs what a batch has so far.
func (t *tx) flush(ctx context.Context, b *batch) error {
	err := t.run(ctx, b)
	b.Batch = pgx.Batch{}
	return err
}

// A transaction's last words do not end with its context.
const (
	commitLimit   = 5 * time.Minute
	rollbackLimit = 10 * time.Second
)

func (t *tx) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
	defer cancel()
	if !t.committed && !t.conn.Conn().IsClosed() {
		_, _ = t.conn.Exec(ctx, "ROLLBACK") // the pool throws away what is not idle then
	}
	t.conn.Release()
}

// commit sends the last statements and COMMIT in one exchange.
func (t *tx) commit(ctx context.Context, b *batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitLimit)
	defer cancel()
	b.exec("COMMIT")
	err := t.run(ctx, b)
	t.committed = err == nil
	return err
}

// read runs one batch of queries over one snapshot.
func (db *DB) read(ctx context.Context, queries func(b *batch)) error {
	return db.patiently(ctx, func() error {
		t, err := db.begin(ctx, reading, queries)
		if err == nil {
			t.rollback(ctx)
		}
		return err
	})
}

// transact runs statements that may be repeated, all or none.
func (db *DB) transact(ctx context.Context, statements func(b *batch)) error {
	return db.patiently(ctx, func() error {
		t, err := db.begin(ctx, writing, statements)
		if err != nil {
			return err
		}
		defer t.rollback(ctx)
		return t.commit(ctx, &batch{db: db})
	})
}

// values are arguments as pgx takes them: ids and hashes in its own types.
func (db *DB) values(args []any) []any {
	for i, a := range args {
		switch x := a.(type) {
		case corpus.ID:
			args[i] = [16]byte(x)
			if db.untyped {
				args[i] = x.String()
			}
		case corpus.Hash:
			args[i] = x[:]
		case []corpus.ID:
			if db.untyped {
				args[i] = list(x, corpus.ID.String)
			} else {
				args[i] = list(x, func(id corpus.ID) [16]byte { return id })
			}
		case []corpus.Hash:
			args[i] = list(x, func(h corpus.Hash) []byte { return h[:] })
		case []byte:
			if x == nil {
				args[i] = []byte{}
			}
		}
	}
	return args
}

// list converts a list; nil, which is NULL, stays nil.
func list[A, B any](from []A, convert func(A) B) (to []B) {
	if from != nil {
		to = make([]B, len(from))
	}
	for i, x := range from {
		to[i] = convert(x)
	}
	return to
}

// targets are what rows are scanned into.
func targets(dest []any) []any {
	for i, d := range dest {
		switch x := d.(type) {
		case *corpus.ID:
			dest[i] = (*[16]byte)(x)
		case *corpus.Hash:
			dest[i] = (*digest)(x)
		}
	}
	return dest
}

// digest scans a hash from bytea.
type digest corpus.Hash

// ScanBytes implements pgtype.BytesScanner.
func (d *digest) ScanBytes(b []byte) error {
	if len(b) != len(d) {
		return errors.New("not a hash")
	}
	copy(d[:], b)
	return nil
}
