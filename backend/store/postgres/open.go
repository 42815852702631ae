package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Options tell which library to open.
type Options struct {
	// URL of the database: postgres://user:password@host/database. TLS and the
	// rest are pgx's (sslmode, pool_max_conns, …).
	URL string
	// Pool, if not nil, is used instead of URL and stays the caller's. What
	// comes from it must be fit for the pooler that may stand between: without
	// prepared statements if that one cannot keep them.
	Pool *pgxpool.Pool
	// Tenant whose library it is; corpus.NoID means corpus.LocalTenant.
	Tenant corpus.ID
	// Table of the passages; the other tables' names begin with it.
	// "": kb_embeddings.
	Table string
	// ManageSchema makes and migrates the tables. Without it somebody else does
	// (Schema), and Open only checks them.
	ManageSchema bool
	// Lease is how long a dead process keeps the writer role, at most five
	// minutes; 0: 15 s.
	Lease time.Duration
	// Patience is how long a call waits for a database that does not answer,
	// such as one that has to be woken up; 0: 30 s.
	Patience time.Duration
	Log      *slog.Logger // nil: none
}

// DefaultTable is the default of Options.Table.
const DefaultTable = "kb_embeddings"

// MaxDimensions of a vector that can be stored: pgvector's bound.
const MaxDimensions = 16000

// DB is an open library.
type DB struct {
	pool     *pgxpool.Pool
	owned    bool // the pool
	untyped  bool // arguments go out before their types are known
	tenant   corpus.ID
	table    string
	manages  bool // the schema
	lease    time.Duration
	patience time.Duration
	log      *slog.Logger

	exactUpTo int // passages

	vectors  bool // embeddings are pgvector's
	iterates bool // its index scans can go on after a filter
	indexed  sync.Map

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
	roles  map[*role]bool
}

var _ store.Store = (*DB)(nil)

var tableName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,38}[a-z0-9]$`)

// Open opens a library and makes it if there is none. It fails with
// corpus.ErrInvalid for options that are none, corpus.ErrUnavailable if the
// database cannot be reached, corpus.ErrUnsupported if its tables are not what
// is needed, and corpus.ErrTooNew for those of a newer program. No error tells
// the password.
func Open(ctx context.Context, o Options) (*DB, error) {
	db := &DB{
		pool: o.Pool, tenant: o.Tenant, table: o.Table, manages: o.ManageSchema,
		lease: o.Lease, patience: o.Patience, log: o.Log, exactUpTo: exactUpTo, roles: map[*role]bool{},
	}
	if db.tenant.IsZero() {
		db.tenant = corpus.LocalTenant
	}
	if db.table == "" {
		db.table = DefaultTable
	}
	if db.lease == 0 {
		db.lease = 15 * time.Second
	}
	db.lease = min(db.lease, maxLease)
	if db.patience == 0 {
		db.patience = 30 * time.Second
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	if err := db.open(ctx, o.URL); err != nil {
		if db.owned {
			db.pool.Close()
		}
		return nil, fmt.Errorf("open library: %w", err)
	}
	return db, nil
}

func (db *DB) open(ctx context.Context, url string) error {
	if !tableName.MatchString(db.table) {
		return fmt.Errorf("%w: table name %q: lower-case letters, digits and underscores, at most 40", corpus.ErrInvalid, db.table)
	}
	if db.pool == nil {
		pool, err := newPool(ctx, url)
		if err != nil {
			return err
		}
		db.pool, db.owned = pool, true
	}
	switch db.pool.Config().ConnConfig.DefaultQueryExecMode {
	case pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol:
		db.untyped = true
	}
	if err := db.prepare(ctx); err != nil {
		return err
	}
	return db.createLibrary(ctx)
}

// createLibrary makes the tenant's row once.
func (db *DB) createLibrary(ctx context.Context) error {
	found := false
	var minReader, minWriter int
	err := db.read(ctx, func(b *batch) {
		b.row("SELECT min_reader, min_writer FROM kb_embeddings_format", nil, &minReader, &minWriter)
		b.row("SELECT true FROM kb_embeddings_libraries WHERE tenant_id = $1", []any{db.tenant}, &found)
	})
	if err != nil {
		return wrap("read library", err)
	}
	if err := checkFormat(minReader); err != nil || found {
		return err
	}
	if err := checkFormat(minWriter); err != nil {
		return err
	}
	return wrap("create library", db.transact(ctx, func(b *batch) {
		b.exec("INSERT INTO kb_embeddings_libraries (tenant_id, id, revision, changes) VALUES ($1, $2, 1, 0) ON CONFLICT DO NOTHING", db.tenant, corpus.NewID())
		b.exec("INSERT INTO kb_embeddings_writers (tenant_id, holder, expires_at, done) VALUES ($1, '', '-infinity', 0) ON CONFLICT DO NOTHING", db.tenant)
	}))
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
	db.mu.Lock()
	roles := slices.Collect(maps.Keys(db.roles)) // with those acquired meanwhile
	db.mu.Unlock()
	var errs []error
	for _, r := range roles {
		errs = append(errs, r.Release())
	}
	if db.owned {
		db.pool.Close()
	}
	return errors.Join(errs...)
}

// Backup implements store.Store.
func (db *DB) Backup(context.Context, string) error {
	return fmt.Errorf("%w: a library in PostgreSQL is backed up by PostgreSQL's own tools: use pg_dump, and keep the settings file of the library's folder with it", corpus.ErrUnsupported)
}

// Capabilities implements store.Store.
func (db *DB) Capabilities() store.Capabilities {
	return store.Capabilities{Name: "postgres", Transactional: true, MaxDimensions: MaxDimensions, ExactVectors: !db.vectors}
}
