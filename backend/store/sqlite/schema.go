package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
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

// migrate brings the schema up to date under the writer lock. A library that
// has any content is first copied to a file beside it.
func (db *DB) migrate(ctx context.Context, files fs.FS) error {
	w := <-db.writer
	defer func() { db.writer <- w }()
	var tables int
	err := w.conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'meta'").Scan(&tables)
	if err != nil {
		return wrap("read schema", err)
	}
	if tables > 0 {
		var minReader int
		if err := w.conn.QueryRowContext(ctx, "SELECT min_reader FROM meta").Scan(&minReader); err != nil {
			return wrap("read schema", err)
		}
		if err := checkFormat(minReader); err != nil {
			return err
		}
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db.writes, files, goose.WithDisableGlobalRegistry(true), goose.WithSlog(db.log))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	pending, err := p.HasPending(ctx)
	if err != nil || !pending {
		return wrap("read schema version", err)
	}
	lock, err := acquire(lockPath(db.path, corpus.LocalTenant), "migration of the library")
	if err != nil {
		return err
	}
	defer lock.release()
	if tables > 0 {
		if err := db.backUpBefore(ctx, w); err != nil {
			return err
		}
	}
	if _, err := p.Up(ctx); err != nil {
		return wrap("migrate library", err)
	}
	return nil
}

// backUpBefore copies a library with documents before a migration.
func (db *DB) backUpBefore(ctx context.Context, w *session) error {
	var documents int
	if err := w.conn.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM documents LIMIT 1)").Scan(&documents); err != nil {
		return wrap("read schema", err)
	}
	if documents == 0 {
		return nil
	}
	path := db.path + ".backup-" + time.Now().UTC().Format("20060102T150405.000000000")
	db.log.Info("backing up before migration", "path", path)
	return backUp(ctx, w, path)
}

// Backup writes a copy of the database, all tenants of it, to a file that must
// not exist. Readers and writers go on meanwhile; the copy is one snapshot.
func (db *DB) Backup(ctx context.Context, path string) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	s, err := newSession(ctx, db.writes) // a reader's query_only forbids the copy too
	if err != nil {
		return err
	}
	defer s.close()
	return backUp(ctx, s, path)
}

func backUp(ctx context.Context, s *session, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // VACUUM INTO takes an empty file
	if err != nil {
		return fmt.Errorf("back up library: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("back up library: %w", err)
	}
	if _, err := s.conn.ExecContext(ctx, "VACUUM INTO ?", path); err != nil {
		_ = os.Remove(path) // half a copy is worse than none
		return wrap("back up library", err)
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
	t, err := db.begin(ctx)
	if err != nil {
		return err
	}
	var exists int
	found, err := t.row("SELECT 1 FROM libraries WHERE tenant = ?", []any{db.tenant[:]}, &exists)
	t.rollback()
	db.putReader(t.session)
	if err != nil || found {
		return wrap("read library", err)
	}
	s := <-db.writer
	defer func() { db.writer <- s }()
	w, err := s.begin(ctx, "IMMEDIATE")
	if err != nil {
		return err
	}
	defer w.rollback()
	var minWriter int
	if _, err := w.row("SELECT min_writer FROM meta", nil, &minWriter); err != nil {
		return wrap("create library", err)
	}
	if err := checkFormat(minWriter); err != nil {
		return err
	}
	library := corpus.NewID()
	if _, err := w.exec("INSERT INTO libraries VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING", db.tenant[:], library[:], time.Now().UnixMicro()); err != nil {
		return wrap("create library", err)
	}
	return w.commit()
}

// begin opens a reading transaction outside of a View.
func (db *DB) begin(ctx context.Context) (*tx, error) {
	s, err := db.reader(ctx)
	if err != nil {
		return nil, wrap("read library", err)
	}
	return s.begin(ctx, "DEFERRED")
}
