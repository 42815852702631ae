package pgtest_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"ibid/backend/store/postgres/pgtest"
)

var (
	server  *pgtest.Server
	missing error
)

func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, func(s *pgtest.Server, err error) { server, missing = s, err }))
}

// A killed server comes back with what was committed, under its address.
func TestKilledServerRecovers(t *testing.T) {
	pgtest.Require(t, missing)
	server.RequireOwn(t)
	d := server.Database(t)
	query := func(sql string, dest ...any) {
		t.Helper()
		c, err := pgx.Connect(t.Context(), d.URL())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		if err := c.QueryRow(t.Context(), sql).Scan(dest...); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	query("WITH x AS (SELECT 1) SELECT count(*) FROM x", &n)
	d.Exec(t, "CREATE TABLE kept AS SELECT 7 AS n")
	d.Exec(t, "GRANT SELECT ON kept TO "+pgtest.Role)
	for range 2 {
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := pgx.Connect(t.Context(), d.URL()); err == nil {
			t.Fatal("a killed server takes connections")
		}
		if err := server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		query("SELECT n FROM kept", &n)
		if n != 7 {
			t.Errorf("read %d, want 7", n)
		}
	}
}

// The application's role is bound by row level security, also through the pooler.
func TestRole(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	for name, address := range map[string]string{"direct": d.URL(), "bouncer": d.Bouncer(t)} {
		t.Run(name, func(t *testing.T) {
			c, err := pgx.Connect(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close(t.Context())
			var role string
			var exempt, vector bool
			if err := c.QueryRow(t.Context(), `SELECT current_user, rolsuper OR rolbypassrls, to_regtype('vector') IS NOT NULL
				FROM pg_roles WHERE rolname = current_user`, pgx.QueryExecModeExec).Scan(&role, &exempt, &vector); err != nil {
				t.Fatal(err)
			}
			if role != pgtest.Role || exempt || !vector {
				t.Errorf("role %s, exempt %t, vectors %t", role, exempt, vector)
			}
		})
	}
}
