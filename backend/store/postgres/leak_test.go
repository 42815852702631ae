package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
)

// Two tenants with something in every table.
func twoTenants(t *testing.T, d *pgtest.Database) (mine, theirs corpus.ID) {
	t.Helper()
	mine, theirs = corpus.NewID(), corpus.NewID()
	for _, tenant := range []corpus.ID{mine, theirs} {
		l := newLibrary(t, postgres.Options{URL: d.URL(), Tenant: tenant})
		g := l.build()
		l.must(l.db.PutSource(t.Context(), corpus.Source{ID: corpus.NewID(), Name: "secret"}))
		c := change(g.ID, "secret path", "secret word", "another word")
		l.commit(c)
		l.embed(func(n int) float64 { return float64(n) }, c, change(g.ID, "elsewhere", "cached"))
		l.must(l.w.PutRun(t.Context(), store.Run{ID: "run"}))
		l.must(l.db.PutRequest(t.Context(), store.Request{Kind: "secret"}))
		l.must(l.db.PutEvent(t.Context(), store.Event{At: time.Now(), Trigger: "cli", Action: "secret", Outcome: "done"}))
	}
	return mine, theirs
}

// tables lists the tables that have rows of tenants.
func tables(t *testing.T, c *pgx.Conn) []string {
	t.Helper()
	rows, err := c.Query(t.Context(), `SELECT relname FROM pg_class k JOIN pg_attribute a ON a.attrelid = k.oid
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attname = 'tenant_id' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(postgres.Columns())-1 {
		t.Fatalf("%d tables have a tenant, want all of %d but the format", len(list), len(postgres.Columns()))
	}
	return list
}

// TestRawSQLSeesOneTenant: K1, S96, S99. Whatever is sent by the application's
// role, another tenant's rows are neither seen nor changed.
func TestRawSQLSeesOneTenant(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	mine, theirs := twoTenants(t, d)
	app, admin := connect(t, d.URL()), connect(t, d.AdminURL())
	all := tables(t, admin)
	state := func() string {
		t.Helper()
		var b strings.Builder
		for _, table := range all {
			var text string
			scan(t, admin, &text, fmt.Sprintf("SELECT coalesce(string_agg(md5(x::text), ' ' ORDER BY md5(x::text)), 'none') FROM %s x WHERE tenant_id = $1", table), theirs.String())
			if text == "none" {
				t.Fatalf("table %s has no rows to leak", table)
			}
			b.WriteString(table + " " + text + "\n")
		}
		return b.String()
	}
	before := state()
	for setting, tenant := range map[string]string{"none": "", "mine": mine.String(), "nobody's": corpus.NewID().String()} {
		for _, table := range all {
			t.Run(setting+"/"+table, func(t *testing.T) {
				inTenant := func(sql string, args ...any) (pgconn.CommandTag, error) {
					tx, err := app.Begin(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					defer func() { _ = tx.Commit(t.Context()) }()
					if _, err := tx.Exec(t.Context(), "SELECT set_config('ibid.tenant', $1, true), set_config('ibid.query', '!nothing', true)", tenant); err != nil {
						t.Fatal(err)
					}
					return tx.Exec(t.Context(), sql, args...)
				}
				for _, sql := range []string{
					"SELECT * FROM %s WHERE tenant_id = $1",
					"SELECT * FROM %s WHERE tenant_id = $1 FOR UPDATE",
					"SELECT * FROM %s WHERE tenant_id::text || '' = $1::text",
					"SELECT a.* FROM %[1]s a RIGHT JOIN %[1]s b ON true WHERE b.tenant_id = $1",
					"UPDATE %s SET tenant_id = tenant_id WHERE tenant_id = $1",
					"DELETE FROM %s WHERE tenant_id = $1",
					"DELETE FROM %s WHERE tenant_id = $1 RETURNING *",
				} {
					tag, err := inTenant(fmt.Sprintf(sql, table), theirs.String())
					if err != nil && !strings.HasPrefix(sql, "UPDATE") && !strings.Contains(sql, "FOR UPDATE") {
						t.Errorf("%s: %v", sql, err)
					}
					if tag.RowsAffected() != 0 {
						t.Errorf("%s: %d rows of another tenant", sql, tag.RowsAffected())
					}
				}
				// A row cannot be given to another tenant either.
				tag, err := inTenant("UPDATE "+table+" SET tenant_id = $1", theirs.String())
				if tag.RowsAffected() > 0 || setting == "mine" && !strings.HasSuffix(table, "_lexemes") && !forbidden(err) {
					t.Errorf("giving rows away: %d rows, %v", tag.RowsAffected(), err)
				}
				copied := "INSERT INTO " + table + " SELECT (jsonb_populate_record(x, jsonb_build_object('tenant_id', $1::text))).* FROM " + table + " x"
				if strings.HasSuffix(table, "_generations") {
					copied = "INSERT INTO " + table + " (tenant_id, space, analyzer, live, created_at) VALUES ($1, '', '', false, 0)"
				}
				tag, err = inTenant(copied, theirs.String())
				if tag.RowsAffected() > 0 || setting == "mine" && !forbidden(err) {
					t.Errorf("adding rows: %d rows, %v", tag.RowsAffected(), err)
				}
			})
		}
	}
	if after := state(); after != before {
		t.Errorf("the other tenant's rows are\n%s\nwere\n%s", after, before)
	}
	var n int
	if scan(t, app, &n, "SELECT count(*) FROM pg_stats WHERE tablename LIKE 'kb_embeddings%' AND attname <> 'one' AND tablename NOT LIKE '%_versions' AND tablename NOT LIKE '%_migrating' AND tablename NOT LIKE '%_format'"); n != 0 {
		t.Errorf("the planner's statistics show %d columns", n)
	}
}

// forbidden reports whether row level security said no.
func forbidden(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "42501"
}

// The rows of a transaction's tenant are there for raw SQL, so that the test
// above cannot pass for want of rows.
func TestRawSQLSeesItsOwn(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	mine, _ := twoTenants(t, d)
	app := connect(t, d.URL())
	for _, table := range tables(t, connect(t, d.AdminURL())) {
		tx, err := app.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var n int
		_, err = tx.Exec(t.Context(), "SELECT set_config('ibid.tenant', $1, true), set_config('ibid.query', '!nothing', true)", mine.String())
		if err == nil {
			err = tx.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n)
		}
		if err != nil || n == 0 {
			t.Errorf("%s: %d rows, %v", table, n, err)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Nothing of a transaction's tenant stays with the connection.
func TestTenantEndsWithTransaction(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	address := d.Bouncer(t)
	l := newLibrary(t, postgres.Options{URL: address})
	l.commit(change(l.build().ID, "a", "word"))
	l.search(store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: "word"}}, Budget: 1, Limit: 1}})
	other := connect(t, address+"?default_query_exec_mode=exec")
	for range 5 { // server connections are handed around
		var tenant string
		var n int
		scan(t, other, &tenant, "SELECT coalesce(current_setting('ibid.tenant', true), '')")
		scan(t, other, &n, "SELECT count(*) FROM kb_embeddings")
		if tenant != "" || n != 0 {
			t.Fatalf("a stranger has the tenant %q and sees %d passages", tenant, n)
		}
	}
}

func connect(tb testing.TB, url string) *pgx.Conn {
	tb.Helper()
	c, err := pgx.Connect(tb.Context(), url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func scan(tb testing.TB, c *pgx.Conn, dest any, sql string, args ...any) {
	tb.Helper()
	if err := c.QueryRow(tb.Context(), sql, args...).Scan(dest); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		tb.Fatalf("%s: %v", sql, err)
	}
}
