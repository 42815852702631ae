package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sqlite3 "modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite/postings"
	"ibid/backend/store/sqlite/scan"
)

// session is one connection with its prepared statements. One goroutine uses
// it at a time.
type session struct {
	conn   *sql.Conn
	stmts  map[string]*sql.Stmt
	broken bool
}

func newSession(ctx context.Context, db *sql.DB) (*session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, wrap("connect", err)
	}
	return &session{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

func (s *session) close() error { return s.conn.Close() }

// settle moves what is in the log into the file, so that the file alone is the
// whole library. Another process that reads at this moment may prevent it; then
// that one's log is still valid, and the next to close tries again.
func (s *session) settle() {
	for _, pragma := range []string{"PRAGMA busy_timeout = 0", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := s.conn.ExecContext(context.Background(), pragma); err != nil {
			return
		}
	}
}

// begin opens a transaction: a snapshot from its first read on, or with
// "IMMEDIATE" the only writer. Waiting for another writer ends with ctx.
func (s *session) begin(ctx context.Context, kind string) (*tx, error) {
	if _, err := s.conn.ExecContext(ctx, "BEGIN "+kind); err != nil {
		// A context that ends at this moment may have been too late: what has begun
		// would keep all writers waiting. Mostly there is nothing to roll back.
		_, _ = s.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return nil, wrap("begin", err)
	}
	return &tx{s}, nil
}

// tx is a transaction. Its statements are short, so that none of them is
// interrupted by the context (which costs a goroutine each); they look at it
// before they start.
type tx struct{ *session }

func (t *tx) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := t.conn.ExecContext(context.WithoutCancel(ctx), "COMMIT")
	return wrap("commit", err)
}

// rollback ends the transaction. A session for which that fails is not used
// again: SQLite may have rolled back by itself, or the connection is gone.
func (t *tx) rollback(ctx context.Context) {
	if _, err := t.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
		t.broken = true
	}
}

// prepare returns the statement for query. A prepared statement is not
// re-entrant: whoever reads rows from one must not call back before the end.
func (t *tx) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s := t.stmts[query]; s != nil {
		return s, nil
	}
	s, err := t.conn.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, err
	}
	t.stmts[query] = s
	return s, nil
}

// exec runs a statement and returns the number of rows changed.
func (t *tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.run(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// insert runs an INSERT and returns the new row's number.
func (t *tx) insert(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.run(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (t *tx) run(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := t.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return nil, err
	}
	return s.ExecContext(context.WithoutCancel(ctx), args...)
}

// row reads one row; found is false if there is none.
func (t *tx) row(ctx context.Context, query string, args []any, dest ...any) (found bool, err error) {
	s, err := t.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(context.WithoutCancel(ctx), args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, readable(err)
}

// each calls fn for every row; fn scans it and must not use the transaction.
func (t *tx) each(ctx context.Context, query string, args []any, fn func(scan func(dest ...any) error) error) error {
	s, err := t.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return err
	}
	return t.readAll(ctx, rows, fn)
}

// eachOnce is each for a query whose text will hardly come again.
func (t *tx) eachOnce(ctx context.Context, query string, args []any, fn func(scan func(dest ...any) error) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rows, err := t.conn.QueryContext(context.WithoutCancel(ctx), query, args...)
	if err != nil {
		return err
	}
	return t.readAll(ctx, rows, fn)
}

// readAll calls fn for every row.
func (t *tx) readAll(ctx context.Context, rows *sql.Rows, fn func(scan func(dest ...any) error) error) error {
	defer rows.Close()
	for n := 0; rows.Next(); n++ {
		if n%1024 == 1023 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(func(dest ...any) error { return readable(rows.Scan(dest...)) }); err != nil {
			return err
		}
	}
	return rows.Err()
}

// do executes statements that are not kept.
func (s *session) do(ctx context.Context, statements ...string) error {
	for _, text := range statements {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := s.conn.ExecContext(context.WithoutCancel(ctx), text); err != nil {
			return err
		}
	}
	return nil
}

// readable says of an error of scanning a row which column cannot be read, and
// leaves out the value: it may be a part of somebody's document.
func readable(err error) error {
	if err == nil {
		return nil
	}
	column, is := strings.CutPrefix(err.Error(), "sql: Scan error on column ")
	if !is {
		return err
	}
	column, _, _ = strings.Cut(column, ": ")
	return fmt.Errorf("%w: a record cannot be read (column %s)", store.ErrDamaged, column)
}

// wrap says what failed and turns SQLite's faults into shared sentinels.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	switch sqliteCode(err) {
	case sqlitelib.SQLITE_BUSY, sqlitelib.SQLITE_LOCKED:
		return fmt.Errorf("%s: %w: %w", doing, corpus.ErrBusy, err)
	case sqlitelib.SQLITE_FULL:
		return fmt.Errorf("%s: %w: no space left on the library's disk", doing, corpus.ErrUnavailable)
	case sqlitelib.SQLITE_READONLY:
		return fmt.Errorf("%s: %w: the library cannot be written to: its file or folder is read-only", doing, corpus.ErrUnavailable)
	case sqlitelib.SQLITE_IOERR, sqlitelib.SQLITE_CANTOPEN:
		return fmt.Errorf("%s: %w: %w", doing, corpus.ErrUnavailable, err)
	case sqlitelib.SQLITE_NOTADB:
		return fmt.Errorf("%s: %w, or the file is none: %w", doing, store.ErrDamaged, err)
	case sqlitelib.SQLITE_CORRUPT, sqlitelib.SQLITE_CONSTRAINT, sqlitelib.SQLITE_MISMATCH, sqlitelib.SQLITE_TOOBIG, sqlitelib.SQLITE_FORMAT, sqlitelib.SQLITE_ERROR:
		return fmt.Errorf("%s: %w: %w", doing, store.ErrDamaged, err)
	}
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case syntax || kind: // of a record that nothing else has
		return fmt.Errorf("%s: %w: a record cannot be read: %w", doing, store.ErrDamaged, err)
	case isDamage(err):
		return fmt.Errorf("%s: %w: %w", doing, store.ErrDamaged, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// corrupt reports whether SQLite cannot read its file.
func corrupt(err error) bool { return sqliteCode(err) == sqlitelib.SQLITE_CORRUPT }

// sqliteCode is the primary code of an error of SQLite, 0 of any other.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite3.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// isDamage reports whether an error tells of an index or codes that are not
// what this package wrote.
func isDamage(err error) bool {
	for _, kind := range []error{postings.ErrDamaged, scan.ErrDamaged, errCodes, errVector} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// idDest and hashDest let ids and hashes be scanned from BLOBs.
type (
	idDest   corpus.ID
	hashDest corpus.Hash
)

func (d *idDest) Scan(src any) error   { return scanBytes(d[:], src) }
func (d *hashDest) Scan(src any) error { return scanBytes(d[:], src) }

func scanBytes(dest []byte, src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(dest) {
		return fmt.Errorf("scan %d bytes from %T", len(dest), src)
	}
	copy(dest, b)
	return nil
}

func id(p *corpus.ID) *idDest       { return (*idDest)(p) }
func hash(p *corpus.Hash) *hashDest { return (*hashDest)(p) }

// blob is b as a value that is never NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
