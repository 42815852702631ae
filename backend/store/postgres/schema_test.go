package postgres_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
)

var one = store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: "word"}}, Budget: 10, Limit: 10}}

// use writes and reads something of everything.
func (l *library) use() {
	l.t.Helper()
	c := change(l.build().ID, "a", "a word", "more words")
	l.commit(c)
	l.embed(func(n int) float64 { return float64(n) }, c)
	q := one
	q.Vector = &store.Vector{Query: vector(1), Limit: 5}
	if found := l.search(q); len(found.Lexical) != 1 || len(found.Vector) != 2 {
		l.t.Errorf("found %+v", found)
	}
	l.must(l.w.Remove(l.t.Context(), store.Ref{Document: c.Document.ID}))
}

// An operator owns the tables; the application's role may only use them.
func TestOperatorOwnsSchema(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	_, err := postgres.Open(t.Context(), postgres.Options{URL: d.URL()})
	if !errors.Is(err, corpus.ErrUnsupported) || !strings.Contains(err.Error(), "kb_embeddings_documents.path") {
		t.Fatalf("opening an empty database: %v", err)
	}
	schema, err := postgres.Schema("passages")
	if err != nil {
		t.Fatal(err)
	}
	d.Exec(t, schema)
	d.Exec(t, postgres.Index("passages", space.Dimensions))
	for suffix := range postgres.Columns() {
		rights := "SELECT, INSERT, UPDATE, DELETE"
		if suffix == "_format" {
			rights = "SELECT"
		}
		d.Exec(t, fmt.Sprintf("GRANT %s ON passages%s TO %s", rights, suffix, pgtest.Role))
	}
	o := postgres.Options{URL: d.URL(), Table: "passages"}
	l := &library{t: t, db: open(t, o)}
	l.w, err = l.db.Acquire(t.Context(), "test")
	l.must(err)
	l.use()
	l.must(l.db.Close())
	for _, spoil := range []string{
		"ALTER TABLE passages_made DISABLE TRIGGER changed",
		"ALTER TABLE passages DROP COLUMN length",
		"ALTER TABLE passages_runs NO FORCE ROW LEVEL SECURITY",
		"ALTER TABLE passages_documents ALTER COLUMN modified TYPE integer",
		"DROP FUNCTION passages_find",
		"DROP TABLE passages_cache",
	} {
		d.Exec(t, spoil)
		if db, err := postgres.Open(t.Context(), o); !errors.Is(err, corpus.ErrUnsupported) {
			t.Errorf("after %s: %v", spoil, errors.Join(err, db.Close()))
		}
	}
}

// The columns that an operator's tables are checked for are those of the migrations.
func TestCheckedColumns(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	newLibrary(t, postgres.Options{URL: d.URL()})
	c := connect(t, d.AdminURL())
	for suffix, list := range postgres.Columns() {
		var got string
		scan(t, c, &got, `SELECT string_agg(attname || ' ' || format_type(atttypid, NULL), ', ' ORDER BY attname) FROM pg_attribute
			WHERE attrelid = $1::regclass AND attnum > 0`, "kb_embeddings"+suffix)
		want := strings.Split(strings.ReplaceAll(list, "EMBEDDING", "vector"), ", ")
		slices.Sort(want)
		if got != strings.Join(want, ", ") {
			t.Errorf("kb_embeddings%s has\n%s\nchecked are\n%s", suffix, got, want)
		}
	}
	var tables int
	scan(t, c, &tables, "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'kb_embeddings%' AND tablename <> 'kb_embeddings_versions' AND tablename <> 'kb_embeddings_migrating'")
	if n := len(postgres.Columns()); n != tables {
		t.Errorf("%d tables are checked, there are %d", n, tables)
	}
}

func TestTableNames(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	for _, name := range []string{"papers", "kb_embeddings_2", strings.Repeat("x", 40)} {
		newLibrary(t, postgres.Options{URL: d.URL(), Table: name}).use()
	}
	for _, name := range []string{"Papers", "pa pers", "papers;drop table x", "public.papers", "1papers", "papers_", strings.Repeat("x", 41), "x", `a"b`} {
		if _, err := postgres.Open(t.Context(), postgres.Options{URL: d.URL(), Table: name, ManageSchema: true}); !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("table %q: %v", name, err)
		}
	}
}

// A pool of the caller's works in every mode, and stays open.
func TestBorrowedPool(t *testing.T) {
	pgtest.Require(t, missing)
	for _, mode := range []string{"", "cache_statement", "exec", "simple_protocol", "describe_exec"} {
		t.Run("mode "+mode, func(t *testing.T) {
			d := server.Database(t)
			url := d.URL()
			if mode != "" {
				url += "?default_query_exec_mode=" + mode
			}
			pool, err := pgxpool.New(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			l := newLibrary(t, postgres.Options{Pool: pool})
			l.use()
			l.must(l.db.Close())
			if err := pool.Ping(t.Context()); err != nil {
				t.Errorf("the caller's pool: %v", err)
			}
		})
	}
}

// Several programs meet an empty database at once.
func TestMigratedOnce(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			db, err := postgres.Open(t.Context(), postgres.Options{URL: d.URL(), ManageSchema: true})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	newLibrary(t, postgres.Options{URL: d.URL()}).use()
}

// A library of a newer program is refused, also by one that has it open (G11).
func TestNewerLibrary(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	l := newLibrary(t, postgres.Options{URL: d.URL()})
	g := l.build()
	d.Exec(t, "UPDATE kb_embeddings_format SET min_writer = 2")
	_, err := l.w.Commit(t.Context(), change(g.ID, "a", "word"))
	for name, err := range map[string]error{"commit": err, "put source": l.db.PutSource(t.Context(), corpus.Source{ID: corpus.NewID()})} {
		if !errors.Is(err, corpus.ErrTooNew) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l.search(one) // reading is still possible
	d.Exec(t, "UPDATE kb_embeddings_format SET min_reader = 2")
	if err := l.db.View(t.Context(), func(store.Reader) error { return nil }); !errors.Is(err, corpus.ErrTooNew) {
		t.Errorf("view: %v", err)
	}
	if _, err := postgres.Open(t.Context(), postgres.Options{URL: d.URL(), ManageSchema: true, Tenant: corpus.NewID()}); !errors.Is(err, corpus.ErrTooNew) {
		t.Errorf("open: %v", err)
	}
}

// Neither an error nor the log tells the password, whatever is wrong with the
// address.
func TestPasswordIsNotTold(t *testing.T) {
	var log bytes.Buffer
	for _, url := range []string{
		"postgres://me:hunter2@127.0.0.1:1/db",
		"postgres://me:hunter2@127.0.0.1:port/db",
		"postgres://me:hunter2@%zz/db",
		"postgres://me:hunter2@no.such.host.invalid/db?connect_timeout=1",
		"postgres://127.0.0.1:1/db?user=me&password=hunter2",
		"host=127.0.0.1 port=1 user=me password=hunter2",
		"host=127.0.0.1 port=x user=me password='hunter2",
		"hunter2", "",
	} {
		_, err := postgres.Open(t.Context(), postgres.Options{URL: url, Patience: 100 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
		if !errors.Is(err, corpus.ErrUnavailable) && !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("%s: error %v is of no kind", url, err)
		}
	}
	if log.Len() == 0 || strings.Contains(log.String(), "hunter2") {
		t.Errorf("log: %s", &log)
	}
}
