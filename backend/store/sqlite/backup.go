package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ibid/backend/corpus"
)

// Backup implements store.Store: a copy of all tenants' libraries.
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
	return db.backUp(ctx, s, path)
}

// backUp copies under another name, looks at the copy, and only then gives it
// its own. Copies that others were killed over are cleared first: they may be
// what fills the disk.
func (db *DB) backUp(ctx context.Context, s *session, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return fmt.Errorf("back up library: %w: %w", corpus.ErrUnavailable, err)
		}
		return errExists(path)
	}
	dir := filepath.Dir(path)
	if err := clearCopies(dir); err != nil {
		db.log.Warn("Left an unfinished backup", "folder", dir, "cause", err)
	}
	part, err := beginCopy(dir)
	if err != nil {
		return fmt.Errorf("back up library: %w: %w", corpus.ErrUnavailable, err)
	}
	defer func() { // half a copy is worse than none
		if left := part.discard(); left != nil {
			db.log.Warn("Left an unfinished backup", "folder", part.dir, "cause", left)
		}
	}()
	if _, err := s.conn.ExecContext(ctx, "VACUUM INTO ?", part.copy()); err != nil { // which takes an empty file
		return wrap("back up library", err)
	}
	if err := checkCopy(ctx, part.copy()); err != nil {
		return fmt.Errorf("back up library: the copy cannot be read: %w", err)
	}
	return publish(part.copy(), path)
}

func errExists(path string) error {
	return fmt.Errorf("back up library: %w: %s exists already; choose another name", corpus.ErrInvalid, path)
}

// openCopy opens a copy to be read, which nobody changes.
func openCopy(path string) (*sql.DB, error) {
	return sql.Open("sqlite", fileURL(path, "mode=ro&immutable=1"))
}

func copyIdentity(ctx context.Context, path string) (string, error) {
	db, err := openCopy(path)
	if err != nil {
		return "", err
	}
	defer db.Close()
	return identity(ctx, db)
}

// checkCopy opens a copy and looks at all of it.
func checkCopy(ctx context.Context, path string) error {
	db, err := openCopy(path)
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return wrap("check", err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", corpus.ErrUnavailable, verdict)
	}
	var minReader int
	return wrap("check", db.QueryRowContext(ctx, "SELECT min_reader FROM meta").Scan(&minReader))
}

// publish gives a finished file its name, unless something has that meanwhile.
func publish(part, path string) error {
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("back up library: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("back up library: %w", err)
	}
	switch err := os.Link(part, path); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return errExists(path)
	}
	// No hard links here (FAT, some network file systems): renaming replaces
	// what is there, so it is looked at once more.
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errExists(path)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("back up library: %w", err)
	}
	return nil
}
