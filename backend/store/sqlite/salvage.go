package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"ibid/backend/store"
)

// MendFile implements store.Writer.
//
// An index has nothing that its table has not, so it is made of that. A table
// is copied row by row into a new one, as far as it can be read: what is lost
// is then missing as if it had been deleted, which Mend and plans know how to
// mend. Before that, the file is kept as it was under another name.
//
// Where SQLite cannot read a part of its file it says nothing of the parts that
// come after, so it is asked again until it has nothing to say. A connection
// that met damage writes no more in that transaction: one reads, another writes.
func (r *role) MendFile(ctx context.Context) error {
	return wrap("mend the database file", r.db.mendFile(ctx, r.lock.check))
}

// mendRounds bounds how often the file is looked at again.
const mendRounds = 32

func (db *DB) mendFile(ctx context.Context, check func() error) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	select {
	case w := <-db.writer: // nobody else in this process writes meanwhile
		defer func() { db.writer <- w }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var found []fileFault
	kept, rewritten := false, false
	for range mendRounds {
		if found, err = db.examine(ctx); err != nil || len(found) == 0 {
			return err
		}
		first := worst(found)
		if first.object != "" && first.index {
			err = db.rebuild(ctx, check, func(_, to *tx) error { return remakeIndex(ctx, to, first.object) })
			if corrupt(err) || sqliteCode(err) == sqlitelib.SQLITE_CONSTRAINT { // what it is made of cannot be read, or is there twice
				first.object, first.index = first.table, false
			}
		}
		switch {
		case first.object != "" && !first.index:
			if !kept {
				if err := db.keepDamaged(ctx); err != nil {
					return fmt.Errorf("keep the file as it is: %w", err)
				}
				kept = true
			}
			err = db.rebuild(ctx, check, func(from, to *tx) error { return salvage(ctx, from, to, first.object) })
		case first.object != "":
		case rewritten:
			err = store.ErrDamaged
		default: // pages that belong to nothing, as rebuilding leaves them too
			err, rewritten = db.rewrite(ctx, check), true
		}
		if err != nil {
			return fmt.Errorf("%s: %w", first, err)
		}
	}
	return fmt.Errorf("%w: %s", store.ErrDamaged, found[0])
}

// worst is the fault that must be mended first: a table's, then an index'.
func worst(found []fileFault) fileFault {
	rank := func(f fileFault) int {
		switch {
		case f.object == "":
			return 2
		case f.index:
			return 1
		}
		return 0
	}
	return slices.MinFunc(found, func(a, b fileFault) int { return rank(a) - rank(b) })
}

// examine is tx.examine on a connection of its own.
func (db *DB) examine(ctx context.Context) (found []fileFault, err error) {
	s, err := newSession(ctx, db.reads)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return (&tx{s}).examine(ctx)
}

// rebuild runs fn with a transaction that reads the file as it is and one that
// writes. Rows whose parents are lost are kept until Mend looks at them.
func (db *DB) rebuild(ctx context.Context, check func() error, fn func(from, to *tx) error) error {
	return db.apart(ctx, check, func(w *session) error {
		return db.read(ctx, func(from *tx) error {
			to, err := w.begin(ctx, "IMMEDIATE")
			if err != nil {
				return err
			}
			if err = fn(from, to); err == nil {
				err = to.commit(ctx)
			}
			if err != nil {
				to.rollback(ctx)
			}
			return err
		})
	})
}

// rewrite copies what tables and indexes have into as many pages as that takes.
func (db *DB) rewrite(ctx context.Context, check func() error) error {
	return db.apart(ctx, check, func(w *session) error { return w.do(ctx, "VACUUM") })
}

// apart runs fn with a writing connection of its own, without foreign keys. It
// is closed after that, since nobody knows in what state damage leaves it.
func (db *DB) apart(ctx context.Context, check func() error, fn func(w *session) error) error {
	if err := check(); err != nil {
		return err
	}
	w, err := newSession(ctx, db.writes)
	if err != nil {
		return err
	}
	defer func() { _ = w.conn.Raw(func(any) error { return driver.ErrBadConn }) }()
	if err := w.do(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	return fn(w)
}

// keepDamaged copies the file page by page, as it is.
func (db *DB) keepDamaged(ctx context.Context) error {
	s, err := newSession(ctx, db.reads)
	if err != nil {
		return err
	}
	defer s.close()
	path := db.path + ".damaged-" + time.Now().UTC().Format("20060102T150405.000000000")
	if err := createFile(path); err != nil {
		return err
	}
	db.log.Info("Keeping the damaged file", "path", path)
	return s.conn.Raw(func(conn any) error {
		from, ok := conn.(interface {
			NewBackup(uri string) (*sqlite3.Backup, error)
		})
		if !ok {
			return errors.New("the driver cannot copy pages")
		}
		to, err := from.NewBackup(path)
		if err != nil {
			return err
		}
		_, err = to.Step(-1)
		return errors.Join(err, to.Finish())
	})
}

// remakeIndex makes an index of its table. To empty it would read it.
func remakeIndex(ctx context.Context, t *tx, name string) error {
	var definition string
	found, err := t.row(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ? AND sql IS NOT NULL", []any{name}, &definition)
	if err != nil || !found {
		return errors.Join(fmt.Errorf("%w: it cannot be replaced", store.ErrDamaged), err)
	}
	return t.do(ctx, "PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE type = 'index' AND name = "+literal(name), "PRAGMA writable_schema = RESET", definition)
}

// irreplaceable are tables of which no row may be lost: nothing else says what
// they have, and what they have decides about all the rest. Of a damaged page
// nobody knows what is missing, so they are not salvaged.
var irreplaceable = map[string]bool{"meta": true, "libraries": true, "sources": true, "spaces": true, "generations": true, "goose_db_version": true}

// salvage puts a new table in the place of one, with what can be read of that.
func salvage(ctx context.Context, from, to *tx, table string) error {
	var definition string
	found, err := from.row(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", []any{table}, &definition)
	switch {
	case err != nil:
		return err
	case irreplaceable[table]:
		return fmt.Errorf("%w: nothing else has what may be lost there", store.ErrDamaged)
	case !found || strings.HasPrefix(table, "sqlite_"):
		return fmt.Errorf("%w: it cannot be replaced", store.ErrDamaged)
	}
	var unique, others []string // what belongs to it; a unique index keeps rows from coming twice
	if err := from.each(ctx, "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND tbl_name = ? AND sql IS NOT NULL ORDER BY type, name", []any{table}, func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		if strings.HasPrefix(text, "CREATE UNIQUE ") {
			unique = append(unique, text)
		} else {
			others = append(others, text)
		}
		return err
	}); err != nil {
		return err
	}
	if err := to.do(ctx, append([]string{
		"PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE tbl_name = " + literal(table), "PRAGMA writable_schema = RESET", definition,
	}, unique...)...); err != nil {
		return err
	}
	if err := copyRows(ctx, from, to, table, strings.Contains(definition, "WITHOUT ROWID")); err != nil {
		return err
	}
	return to.do(ctx, others...)
}

// copyRows copies the rows that can be read.
func copyRows(ctx context.Context, from, to *tx, table string, keyed bool) error {
	c := &copying{from: from, to: to, table: table}
	var key []string
	if err := from.each(ctx, "SELECT name, pk FROM pragma_table_info(?) ORDER BY pk", []any{table}, func(scan func(...any) error) error {
		var name string
		var place int
		err := scan(&name, &place)
		c.columns++
		if place > 0 {
			key = append(key, quoted(name))
		}
		return err
	}); err != nil {
		return err
	}
	c.insert = "INSERT OR IGNORE INTO " + quoted(table) + " VALUES (?" + strings.Repeat(", ?", c.columns-1) + ")"
	if keyed {
		return c.keyed(ctx, key)
	}
	return c.numbered(ctx)
}

// copying is a table on its way.
type copying struct {
	from, to *tx
	table    string
	columns  int
	insert   string
}

// copyPage is how many rows are read before they are written.
const copyPage = 256

// keyed copies a table without row numbers: from its beginning and, where that
// comes to an end too soon, from its end.
func (c *copying) keyed(ctx context.Context, key []string) error {
	_, _, err := c.page(ctx, "SELECT 0, * FROM "+quoted(c.table)+" ORDER BY "+strings.Join(key, ", "))
	if corrupt(err) {
		_, _, err = c.page(ctx, "SELECT 0, * FROM "+quoted(c.table)+" ORDER BY "+strings.Join(key, " DESC, ")+" DESC")
	}
	if corrupt(err) {
		return nil
	}
	return err
}

// numbered copies a table by row numbers. Where it cannot be read, it goes on
// at the next number from which it can, and back from there.
func (c *copying) numbered(ctx context.Context) error {
	for at := int64(0); ; {
		last, n, err := c.page(ctx, "SELECT rowid, * FROM "+quoted(c.table)+" WHERE rowid > ? ORDER BY rowid LIMIT ?", at, copyPage)
		switch {
		case err == nil && (n < copyPage || last <= at):
			return nil
		case err != nil && !corrupt(err):
			return err
		}
		at = max(at, last)
		if err == nil {
			continue
		}
		next, err := c.beyond(ctx, at)
		if err != nil {
			return err
		}
		if err := c.back(ctx, at, next); err != nil || next == math.MaxInt64 {
			return err
		}
		at = next
	}
}

// beyond returns a row's number after a gap behind at; the highest there is
// where none is found.
func (c *copying) beyond(ctx context.Context, at int64) (int64, error) {
	for step := int64(1); step < math.MaxInt64-at; step *= 2 {
		var num int64
		found, err := c.from.row(ctx, "SELECT rowid FROM "+quoted(c.table)+" WHERE rowid > ? ORDER BY rowid LIMIT 1", []any{at + step}, &num)
		switch {
		case err == nil && found && num > at:
			return num, nil
		case err == nil && !found, step > math.MaxInt64/2:
			return math.MaxInt64, nil
		case err != nil && !corrupt(err):
			return 0, err
		}
	}
	return math.MaxInt64, nil
}

// back copies rows from the number last down to the first that cannot be read.
func (c *copying) back(ctx context.Context, after, last int64) error {
	for {
		first, n, err := c.page(ctx, "SELECT rowid, * FROM "+quoted(c.table)+" WHERE rowid <= ? AND rowid > ? ORDER BY rowid DESC LIMIT ?", last, after, copyPage)
		if corrupt(err) || err == nil && (n < copyPage || first >= last) {
			return nil
		}
		if err != nil {
			return err
		}
		last = first - 1
	}
}

// page copies what a query returns up to its end or an error, and returns the
// number of the last row.
func (c *copying) page(ctx context.Context, query string, args ...any) (last int64, n int, err error) {
	var rows [][]any
	err = c.from.each(ctx, query, args, func(scan func(...any) error) error {
		row := make([]any, c.columns)
		into := []any{&last}
		for i := range row {
			into = append(into, &row[i])
		}
		err := scan(into...)
		rows = append(rows, row)
		return err
	})
	if err != nil && !corrupt(err) {
		return last, len(rows), err
	}
	for _, row := range rows {
		for i, v := range row {
			if b, is := v.([]byte); is {
				row[i] = blob(b) // an empty one is no NULL
			}
		}
		if _, err := c.to.exec(ctx, c.insert, row...); err != nil {
			return last, len(rows), err
		}
	}
	return last, len(rows), err
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

func quoted(name string) string  { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
