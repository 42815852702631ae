package postgres

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"ibid/backend/corpus"
)

// format is what this program reads and writes. A migration that older
// programs cannot read (or write) raises min_reader (or min_writer) in
// kb_embeddings_format; both are checked in every transaction.
const format = 1

func checkFormat(minimum int) error {
	if minimum > format {
		return fmt.Errorf("%w: it needs format %d, this program knows format %d; update the program", corpus.ErrTooNew, minimum, format)
	}
	return nil
}

//go:embed migrations/*.sql
var migrationFiles embed.FS

// The types of an embedding.
const (
	typeVector = "vector"
	typeArray  = "real[]"
)

// migrations are the embedded files for a table's name and a type of embeddings.
func migrations(table, embedding string) (fs.FS, error) {
	sub, err := fs.Sub(migrationFiles, "migrations")
	return rewritten{sub, strings.NewReplacer(DefaultTable, table, " EMBEDDING", " "+embedding)}, err
}

// rewritten is a file system whose files are rewritten when they are read.
type rewritten struct {
	fs.FS
	text *strings.Replacer
}

func (r rewritten) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return f, err
	}
	b, err := io.ReadAll(f)
	return rewrittenFile{f, strings.NewReader(r.text.Replace(string(b)))}, err
}

type rewrittenFile struct {
	fs.File
	text *strings.Reader
}

func (f rewrittenFile) Read(b []byte) (int, error) { return f.text.Read(b) }

// found is what is known of a database before anything is done to it.
type found struct {
	embedding string // type of the column, "" without the table
	extension string // version of pgvector, "" if it is not installed
	available bool   // pgvector can be installed
	exempt    bool   // the role is not bound by row level security
}

// prepare brings the schema up to date, or checks that of an operator.
func (db *DB) prepare(ctx context.Context) error {
	f, err := db.look(ctx)
	if err != nil {
		return wrap("read schema", err)
	}
	if f.exempt {
		db.log.Warn("the database role is exempt from row level security: give the application one that is not")
	}
	if db.manages {
		if f, err = db.migrate(ctx, f); err != nil {
			return err
		}
	}
	if err := db.check(ctx, f); err != nil {
		return err
	}
	db.vectors = f.embedding == typeVector
	db.iterates = db.vectors && atLeast(f.extension, 0, 8)
	if !db.vectors {
		db.log.Warn("the database has no pgvector: every vector search reads all vectors of the library")
	}
	return nil
}

func (db *DB) look(ctx context.Context) (f found, err error) {
	err = db.read(ctx, func(b *batch) {
		b.row(`SELECT coalesce((SELECT format_type(atttypid, NULL) FROM pg_attribute
			WHERE attrelid = to_regclass('kb_embeddings') AND attname = 'embedding' AND NOT attisdropped), ''),
			coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector' AND to_regtype('vector') IS NOT NULL), ''),
			EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector'),
			(SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)`,
			nil, &f.embedding, &f.extension, &f.available, &f.exempt)
	})
	return f, err
}

// migrate runs the migrations that are missing. Two programs that do so at once
// are kept apart by a row, since a pooler may not keep a session's lock.
func (db *DB) migrate(ctx context.Context, f found) (found, error) {
	if f.embedding == "" && f.extension == "" && f.available {
		// It takes a role that may; without, arrays have to do.
		if _, err := db.pool.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector"); err != nil {
			db.log.Info("pgvector could not be installed", "error", err)
		}
		var err error
		if f, err = db.look(ctx); err != nil {
			return f, wrap("read schema", err)
		}
	}
	if f.embedding == "" {
		f.embedding = typeArray
		if f.extension != "" {
			f.embedding = typeVector
		}
	}
	files, err := migrations(db.table, f.embedding)
	if err != nil {
		return f, fmt.Errorf("read migrations: %w", err)
	}
	return f, wrap("migrate library", db.patiently(ctx, func() error { return db.up(ctx, files) }))
}

// migrating is how many connections a migration takes: its own, one for the
// lock, one to keep it.
const migrating = 3

// up runs the migrations that are missing, each in a transaction of its own.
// The lock of one that was killed is free after some seconds; one that goes on
// is waited for.
func (db *DB) up(ctx context.Context, files fs.FS) error {
	pool := db.pool
	if config := pool.Config(); config.MaxConns < migrating { // it would wait for itself
		config.MaxConns = migrating
		wide, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return err
		}
		defer wide.Close()
		pool = wide
	}
	sql := stdlib.OpenDBFromPool(pool)
	defer sql.Close()
	locker, err := lock.NewPostgresTableLocker(lock.WithTableName(db.table+"_migrating"), lock.WithTableLogger(db.log),
		lock.WithTableLeaseDuration(10*time.Second), lock.WithTableHeartbeatInterval(2*time.Second),
		lock.WithTableLockTimeout(200*time.Millisecond, 1500), lock.WithTableUnlockTimeout(200*time.Millisecond, 50))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, sql, files, goose.WithTableName(db.table+"_versions"), goose.WithLocker(locker),
		goose.WithDisableGlobalRegistry(true), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	pending, err := p.HasPending(ctx)
	if err != nil || !pending {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// Schema returns the statements that make the tables, for an operator who owns
// the schema, in order. The application's role needs SELECT on table_format,
// and SELECT, INSERT, UPDATE and DELETE on the others; an HNSW index for each
// number of dimensions (Index) is the operator's to make.
func Schema(table string) (string, error) {
	if !tableName.MatchString(table) {
		return "", fmt.Errorf("%w: table name %q", corpus.ErrInvalid, table)
	}
	files, err := migrations(table, typeVector)
	if err != nil {
		return "", err
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		b.WriteString(up)
	}
	return b.String(), nil
}

// atLeast compares the beginning of a version.
func atLeast(version string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(version, "%d.%d", &a, &b); n < 2 {
		return false
	}
	return a > major || a == major && b >= minor
}
