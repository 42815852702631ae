package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/mount"
	"ibid/backend/store"
)

// Options tell which library to open.
type Options struct {
	// Path of the database file; its folder is made if needed. ":memory:" is a
	// library of this Store alone, in a private temporary folder that Close
	// deletes: SQLite's own in-memory databases have no snapshots.
	Path string
	// Tenant whose library it is; corpus.NoID means corpus.LocalTenant.
	Tenant corpus.ID
	Log    *slog.Logger // nil: none
}

// maxDimensions of a vector that can be stored.
const maxDimensions = corpus.MaxDimensions

// DB is an open library.
type DB struct {
	path   string
	tenant corpus.ID
	log    *slog.Logger
	remove string // folder to delete at the end, "" for none

	reads, writes *sql.DB
	idle          chan *session // readers not in use
	writer        chan *session // the one writer, while nobody uses it

	codes *codeCache

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
	roles  map[*role]bool
}

var _ store.Store = (*DB)(nil)

// Open opens a library and makes it if there is none. It fails with
// corpus.ErrTooNew for a library of a newer program, corpus.ErrUnsupported for
// one on a network file system, and corpus.ErrBusy if it must be migrated
// while another process writes.
func Open(ctx context.Context, opt Options) (*DB, error) {
	db := &DB{
		path:   opt.Path,
		tenant: opt.Tenant,
		log:    opt.Log,
		idle:   make(chan *session, 4),
		writer: make(chan *session, 1),
		codes:  newCodeCache(),
		roles:  map[*role]bool{},
	}
	if db.tenant.IsZero() {
		db.tenant = corpus.LocalTenant
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open library %s: %w", opt.Path, err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) error {
	if db.path == ":memory:" {
		dir, err := os.MkdirTemp("", "ibid-memory-")
		if err != nil {
			return err
		}
		db.remove, db.path = dir, filepath.Join(dir, "library.db")
	}
	path, err := filepath.Abs(db.path)
	if err != nil {
		return err
	}
	db.path = path
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := refuseNetwork(filepath.Dir(path), mount.Network); err != nil {
		return err
	}
	if err := refuseLone(path); err != nil {
		return err
	}
	if err := createFile(path); err != nil {
		return err
	}
	if db.writes, err = openPool(path, false); err != nil {
		return err
	}
	if db.reads, err = openPool(path, true); err != nil {
		return err
	}
	w, err := newSession(ctx, db.writes)
	if err != nil {
		return err
	}
	db.writer <- w
	if err := db.migrate(ctx, migrations()); err != nil {
		return err
	}
	return db.createLibrary(ctx)
}

// refuseNetwork fails for a folder of which mount names a network file system.
func refuseNetwork(dir string, mount func(dir string) (string, error)) error {
	name, err := mount(dir)
	if err != nil {
		return err
	}
	if name != "" {
		return fmt.Errorf("%w: %s is on a network file system (%s), where locks and shared memory cannot be relied on; keep the library on a local disk", corpus.ErrUnsupported, dir, name)
	}
	return nil
}

// refuseLone fails where the library's file is missing or empty and its log is
// there: SQLite would take it for a new library and delete the log, which may
// be all that is left. A library that is just being made has no log before its
// file has content.
func refuseLone(path string) error {
	file, err := os.Stat(path)
	switch {
	case err == nil && file.Size() > 0:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	log, err := os.Stat(path + "-wal")
	if err != nil || log.Size() == 0 {
		return nil //nolint:nilerr // no log, no library
	}
	if file, err = os.Stat(path); err == nil && file.Size() > 0 {
		return nil // another process has just made it
	}
	return fmt.Errorf("%w: the file is missing or empty, but its log %s is not: put the file or a backup in its place; to begin anew, move the log away",
		corpus.ErrUnavailable, filepath.Base(path)+"-wal")
}

// createFile makes an empty database file that only its owner can read; the
// files beside it inherit the mode from SQLite. It must never open a file that
// exists: closing it again would drop the locks that SQLite holds on it
// elsewhere in this process (POSIX locks belong to the process).
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// openPool returns connections to the file. busy_timeout stands first, since
// the others may already have to wait. With secure_delete, nothing of what was
// deleted or replaced stays in unused parts of the file (4 to 6 % more CPU time
// for commits and removals).
func openPool(path string, readOnly bool) (*sql.DB, error) {
	pragmas := []string{"busy_timeout(10000)", "foreign_keys(1)", "temp_store(memory)", "trusted_schema(0)", "secure_delete(1)"}
	if readOnly {
		pragmas = append(pragmas, "query_only(1)", "cache_size(-8000)")
	} else {
		pragmas = append(pragmas, "journal_mode(wal)", "synchronous(normal)", "cache_size(-32000)", "journal_size_limit(67108864)", "wal_autocheckpoint(4000)")
	}
	return sql.Open("sqlite", fileURL(path, url.Values{"_pragma": pragmas}.Encode()))
}

// fileURL names a file to SQLite, whatever signs its path has.
func fileURL(path, query string) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query}
	return u.String()
}

// enter admits a call; every success needs a call of the returned function.
func (db *DB) enter() (leave func(), err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, fmt.Errorf("%w: the library is closed", corpus.ErrUnavailable)
	}
	db.calls.Add(1)
	return db.calls.Done, nil
}

// Close implements store.Store.
func (db *DB) Close() error {
	db.mu.Lock()
	again := db.closed
	db.closed = true
	db.mu.Unlock()
	db.calls.Wait()
	if again {
		return nil
	}
	var errs []error
	db.mu.Lock()
	roles := slices.Collect(maps.Keys(db.roles))
	db.mu.Unlock()
	for _, r := range roles {
		errs = append(errs, r.Release())
	}
	for _, c := range []chan *session{db.idle, db.writer} {
		close(c)
		for s := range c {
			if c == db.writer {
				s.settle()
			}
			errs = append(errs, s.close())
		}
	}
	for _, pool := range []*sql.DB{db.reads, db.writes} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if db.remove != "" {
		errs = append(errs, os.RemoveAll(db.remove))
	}
	return errors.Join(errs...)
}

// Capabilities implements store.Store.
func (db *DB) Capabilities() store.Capabilities {
	return store.Capabilities{Name: "sqlite", Transactional: true, MaxDimensions: maxDimensions, ExactVectors: true}
}

// View implements store.Store.
func (db *DB) View(ctx context.Context, fn func(store.Reader) error) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	return db.read(ctx, func(t *tx) error {
		r := &reader{tx: t, db: db}
		if err := r.open(ctx); err != nil {
			return wrap("view library", err)
		}
		return fn(r)
	})
}

// read runs fn in a reading transaction.
func (db *DB) read(ctx context.Context, fn func(t *tx) error) error {
	s, err := db.reader(ctx)
	if err != nil {
		return wrap("view library", err)
	}
	defer db.putReader(s)
	t, err := s.begin(ctx, "DEFERRED")
	if err != nil {
		s.broken = true
		return err
	}
	defer t.rollback(ctx)
	return fn(t)
}

// reader takes an idle reading session or makes one: a View never waits for
// another to end.
func (db *DB) reader(ctx context.Context) (*session, error) {
	select {
	case s := <-db.idle:
		return s, nil
	default:
		return newSession(ctx, db.reads)
	}
}

func (db *DB) putReader(s *session) {
	if s.broken {
		_ = s.close()
		return
	}
	select {
	case db.idle <- s:
	default:
		_ = s.close() // nothing is lost with a reader
	}
}

// write runs fn in a write transaction of the tenant, one at a time in this
// process, and commits if fn returns nil. If fn reports a change, the library
// gets the revision that fn was given.
func (db *DB) write(ctx context.Context, fn func(w *writeTx) error) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	return db.immediate(ctx, func(t *tx) error {
		w := &writeTx{tx: t, tenant: db.tenant[:], now: time.Now().UnixMicro()}
		if err := w.open(ctx); err != nil {
			return err
		}
		if err := fn(w); err != nil || !w.changed {
			return err
		}
		_, err := t.exec(ctx, "UPDATE libraries SET revision = ? WHERE tenant = ?", w.revision, w.tenant)
		return err
	})
}

// immediate runs fn in a transaction that excludes other writers from its
// beginning, and commits if fn returns nil.
func (db *DB) immediate(ctx context.Context, fn func(t *tx) error) error {
	var s *session
	select {
	case s = <-db.writer:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { db.writer <- s }()
	if s.broken {
		fresh, err := newSession(ctx, db.writes)
		if err != nil {
			return wrap("replace connection", err)
		}
		_ = s.close() // it is given up
		s = fresh
	}
	t, err := s.begin(ctx, "IMMEDIATE")
	if err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			t.rollback(ctx)
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	if err := t.commit(ctx); err != nil {
		return err
	}
	committed = true
	return nil
}
