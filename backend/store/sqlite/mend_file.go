package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"slices"
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
			err = db.salvageTable(ctx, check, first.object, &kept)
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

// salvageTable puts what can be read of a table in its place. Before the first
// one, the file is kept as it was; not where nothing is going to be changed.
func (db *DB) salvageTable(ctx context.Context, check func() error, table string, kept *bool) error {
	if err := replaceable(table); err != nil {
		return err
	}
	if !*kept {
		if err := db.keepDamaged(ctx); err != nil {
			return fmt.Errorf("keep the file as it is: %w", err)
		}
		*kept = true
	}
	return db.rebuild(ctx, check, func(from, to *tx) error { return salvage(ctx, from, to, table) })
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
	err = s.conn.Raw(func(conn any) error {
		from, ok := conn.(interface {
			NewBackup(uri string) (*sqlite3.Backup, error)
		})
		if !ok {
			return errors.New("the driver cannot copy pages")
		}
		to, err := from.NewBackup(fileURL(path, ""))
		if err != nil {
			return err
		}
		_, err = to.Step(-1)
		return errors.Join(err, to.Finish())
	})
	if err != nil {
		return errors.Join(err, os.Remove(path)) // a part of it serves nobody
	}
	return nil
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
