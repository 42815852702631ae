package postgres_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/storetest"
)

// newest fills a library of this program, of two tenants, under the default
// table name.
func newest(t *testing.T, d *pgtest.Database) {
	t.Helper()
	for n, tenant := range []corpus.ID{corpus.LocalTenant, corpus.DeriveID(corpus.NoID, "other")} {
		l := newLibrary(t, postgres.Options{URL: d.URL(), Tenant: tenant})
		c := change(l.build().ID, "a", "a word", "more words")
		l.must(l.db.PutSource(t.Context(), corpus.Source{ID: c.Document.Source, Name: "notes", Kind: corpus.SourceFolder, Root: "/notes"}))
		l.commit(c)
		l.embed(func(i int) float64 { return float64(i + n) }, c)
		for i := range 20 {
			l.commit(change(c.Generation, fmt.Sprintf("%d/%d", n, i), fmt.Sprintf("word %d", i), "and more"))
		}
		l.must(l.db.Close())
	}
}

// older makes a library as a program with an older schema would have made it,
// out of the newest's, under another table name.
func older(t *testing.T, d *pgtest.Database, table string, version int64) {
	t.Helper()
	files := fstest.MapFS{}
	dir, err := os.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	named := strings.NewReplacer(postgres.DefaultTable, table, " EMBEDDING", " vector")
	for _, f := range dir {
		b, err := os.ReadFile("migrations/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name()] = &fstest.MapFile{Data: []byte(named.Replace(string(b)))}
	}
	pool, err := pgxpool.New(t.Context(), d.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(table+"_versions"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	c := connect(t, d.AdminURL())
	statements := []string{"SET session_replication_role = replica"} // neither triggers nor foreign keys
	for suffix := range postgres.Columns() {
		var there bool
		scan(t, c, &there, "SELECT to_regclass($1) IS NOT NULL", table+suffix)
		if there && suffix != "_format" {
			statements = append(statements, fmt.Sprintf("INSERT INTO %s%s OVERRIDING SYSTEM VALUE SELECT * FROM kb_embeddings%s", table, suffix, suffix))
		}
	}
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// shown is what a tenant's library shows, with its counts and an audit.
func shown(t *testing.T, db *postgres.DB) string {
	t.Helper()
	text := storetest.Dump(t.Context(), t, db)
	if err := db.View(t.Context(), func(r store.Reader) error {
		info, err := r.Info(t.Context())
		if err != nil {
			return err
		}
		tally, err := r.Tally(t.Context(), 0)
		text += fmt.Sprintln(info.Documents, info.Failed, info.Chunks, info.Embedded, tally)
		if err != nil {
			return err
		}
		q := one
		q.Vector = &store.Vector{Query: vector(1), Limit: 5}
		found, err := r.Search(t.Context(), q)
		text += fmt.Sprintln(len(found.Lexical), len(found.Vector))
		return errors.Join(err, r.Audit(t.Context(), store.Audit{Analyzer: "words/1"}, func(f store.Finding) {
			if f.Damage == store.StatisticsWrong {
				t.Errorf("audit found %+v", f)
			}
		}))
	}); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestOlderLibraries: a library of each older schema shows after its migration
// what it showed before, by the role that the application has: the owner of
// the tables, whom row level security binds (G11).
func TestOlderLibraries(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	newest(t, d)
	versions := storetest.Schemas(t)
	for _, v := range versions[:len(versions)-1] {
		table := fmt.Sprintf("older_%d", v)
		older(t, d, table, v)
		for _, tenant := range []corpus.ID{corpus.LocalTenant, corpus.DeriveID(corpus.NoID, "other")} {
			want := open(t, postgres.Options{URL: d.URL(), Tenant: tenant})
			got := open(t, postgres.Options{URL: d.URL(), Tenant: tenant, Table: table, ManageSchema: true})
			if a, b := shown(t, got), shown(t, want); a != b {
				t.Errorf("from version %d:\n%s\nwant:\n%s", v, a, b)
			}
			if err := errors.Join(want.Close(), got.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestKilledMigration: the server ends the connections of a program that is
// migrating, at any instant. The program goes on where it was or says so, and
// the next one finds a whole library; IBID_KILLS sets how often.
func TestKilledMigration(t *testing.T) {
	pgtest.Require(t, missing)
	rounds := 6
	if s := os.Getenv("IBID_KILLS"); s != "" {
		var err error
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		rounds = min(rounds, 40) // each is a library
	}
	d := server.Database(t)
	newest(t, d)
	whole := open(t, postgres.Options{URL: d.URL()})
	want := shown(t, whole)
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	versions := storetest.Schemas(t)
	rng := rand.New(rand.NewPCG(1, uint64(rounds)))
	took := 200 * time.Millisecond // about; then as measured
	c := connect(t, d.AdminURL())
	for round := range rounds {
		table := fmt.Sprintf("older_%d", round)
		older(t, d, table, versions[round%(len(versions)-1)])
		o := postgres.Options{URL: d.URL(), Table: table, ManageSchema: true, Patience: 10 * time.Second}
		done := make(chan error, 1)
		began := time.Now()
		go func() {
			db, err := postgres.Open(t.Context(), o)
			if err == nil {
				err = db.Close()
			}
			done <- err
		}()
		kills := time.NewTicker(time.Duration(1 + rng.Int64N(int64(took))))
		var err error
		for killed, ended := 0, false; !ended; {
			select {
			case err = <-done:
				ended = true
				if killed == 0 {
					took = (took + time.Since(began)) / 2
				}
			case <-kills.C:
				if killed++; killed > 3 {
					kills.Stop()
					continue
				}
				if _, err := c.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ibid'"); err != nil {
					t.Fatal(err)
				}
			}
		}
		kills.Stop()
		if err != nil {
			t.Logf("round %d: %v", round, err)
		}
		db := open(t, o)
		if got := shown(t, db); got != want {
			t.Errorf("round %d: migrated:\n%s\nwant:\n%s", round, got, want)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		var locked bool
		scan(t, c, &locked, "SELECT coalesce(bool_or(locked), false) FROM "+table+"_migrating")
		if locked {
			t.Errorf("round %d: the lock is still held", round)
		}
	}
}

// A pool of one connection is enough to migrate.
func TestMigrationOfSmallPool(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	newLibrary(t, postgres.Options{URL: d.URL() + "?pool_max_conns=1"})
}
