package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"ibid/backend/corpus"
)

// format is what this program reads and writes. A migration that older
// programs cannot read (or write) raises meta.min_reader (or min_writer) to
// its own format; both are checked at every transaction.
const format = 1

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}

// patience is how long Open waits for another process that migrates.
const patience = 10 * time.Second

// migrate brings the schema up to date under the writer lock. A library that
// has any content is first copied to a file beside it.
func (db *DB) migrate(ctx context.Context, files fs.FS) error {
	w := <-db.writer
	defer func() { db.writer <- w }()
	p, err := goose.NewProvider(goose.DialectSQLite3, db.writes, files, goose.WithDisableGlobalRegistry(true), goose.WithSlog(db.log))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if pending, _, err := mustMigrate(ctx, w, p); err != nil || !pending {
		return err
	}
	lock, err := acquireWithin(ctx, patience, lockPath(db.path, corpus.LocalTenant), "migration of the library")
	if err != nil {
		return err
	}
	return errors.Join(db.migrateLocked(ctx, w, p), lock.release())
}

func (db *DB) migrateLocked(ctx context.Context, w *session, p *goose.Provider) error {
	pending, empty, err := mustMigrate(ctx, w, p) // perhaps another process did it meanwhile
	if err != nil || !pending {
		return err
	}
	if !empty {
		if err := db.backUpOnce(ctx, w); err != nil {
			return err
		}
	}
	if _, err := p.Up(ctx); err != nil {
		return wrap("migrate library", err)
	}
	return nil
}

// backUpOnce backs the library up before it is migrated, unless an attempt that
// came to no end did so and nothing has changed since: attempts that fail one
// after the other would fill the disk.
func (db *DB) backUpOnce(ctx context.Context, w *session) error {
	const stamp = "20060102T150405.000000000"
	dir, prefix := filepath.Dir(db.path), filepath.Base(db.path)+".backup-"
	if err := clearCopies(dir); err != nil {
		db.log.Warn("Left an unfinished backup", "folder", dir, "cause", err)
	}
	now, err := identity(ctx, w.conn)
	if err != nil {
		return wrap("read library", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for backups: %w", err)
	}
	for _, f := range files {
		stamped, is := strings.CutPrefix(f.Name(), prefix)
		if _, err := time.Parse(stamp, stamped); !is || err != nil || !f.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, f.Name())
		if id, err := copyIdentity(ctx, path); err == nil && id == now && checkCopy(ctx, path) == nil {
			db.log.Info("backed up before migration already", "path", path)
			return nil
		}
	}
	path := db.path + ".backup-" + time.Now().UTC().Format(stamp)
	db.log.Info("backing up before migration", "path", path)
	return db.backUp(ctx, w, path)
}

// identity tells libraries and states of them apart: each change that a search
// could see makes another revision, migrations make none.
func identity(ctx context.Context, from querier) (id string, err error) {
	err = from.QueryRowContext(ctx, "SELECT group_concat(hex(tenant) || hex(id) || revision ORDER BY tenant) FROM libraries").Scan(&id)
	return id, err
}

// querier is a connection or a pool of them.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// mustMigrate tells whether migrations are pending and whether the library is
// without documents. It refuses a library of a newer format.
func mustMigrate(ctx context.Context, s *session, p *goose.Provider) (pending, empty bool, err error) {
	var ours bool
	var foreign sql.NullString
	// In one statement: another process may be making the library just now. Of a
	// first migration that was interrupted only goose's table may be left.
	if err := s.conn.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE name = 'meta') > 0,
		min(name) FILTER (WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> 'goose_db_version')
		FROM sqlite_schema`).Scan(&ours, &foreign); err != nil {
		return false, false, wrap("read schema", err)
	}
	if !ours {
		return true, true, refuseForeign(foreign)
	}
	var minReader int
	if err := s.conn.QueryRowContext(ctx, "SELECT min_reader, NOT EXISTS (SELECT 1 FROM documents) FROM meta").Scan(&minReader, &empty); err != nil {
		return false, false, wrap("read schema", err)
	}
	if err := checkFormat(minReader); err != nil {
		return false, false, err
	}
	pending, err = p.HasPending(ctx)
	return pending, empty, wrap("read schema version", err)
}

// refuseForeign fails where the database is another program's, by a table that
// it has: it would take no harm, but whoever named it did not mean to have a
// library put into it.
func refuseForeign(table sql.NullString) error {
	if table.Valid {
		return fmt.Errorf("%w: the file is no library but another program's database (it has the table %q)", corpus.ErrUnsupported, table.String)
	}
	return nil
}

func checkFormat(minimum int) error {
	if minimum > format {
		return fmt.Errorf("%w: it needs format %d, this program knows format %d; update the program", corpus.ErrTooNew, minimum, format)
	}
	return nil
}

// createLibrary makes the tenant's row once.
func (db *DB) createLibrary(ctx context.Context) error {
	found := false
	err := db.read(ctx, func(t *tx) (err error) {
		var one int
		found, err = t.row(ctx, "SELECT 1 FROM libraries WHERE tenant = ?", []any{db.tenant[:]}, &one)
		return err
	})
	if err != nil || found {
		return wrap("read library", err)
	}
	return wrap("create library", db.immediate(ctx, func(t *tx) error {
		var minWriter int
		if _, err := t.row(ctx, "SELECT min_writer FROM meta", nil, &minWriter); err != nil {
			return err
		}
		if err := checkFormat(minWriter); err != nil {
			return err
		}
		library := corpus.NewID()
		_, err := t.exec(ctx, "INSERT INTO libraries (tenant, id, revision, created_at) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING",
			db.tenant[:], library[:], time.Now().UnixMicro())
		return err
	}))
}
