package postgres_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/storetest"
)

var (
	server  *pgtest.Server
	missing error
)

func TestMain(m *testing.M) {
	code := pgtest.Main(m, func(s *pgtest.Server, err error) { server, missing = s, err })
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func open(tb testing.TB, o postgres.Options) *postgres.DB {
	tb.Helper()
	db, err := postgres.Open(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	return db
}

// harness gives every check the same database, whose tenants they are.
func harness(d *pgtest.Database, url string) storetest.Harness {
	return storetest.Harness{Database: func(*testing.T) storetest.Database {
		return storetest.Database{
			Open: func(t *testing.T, tenant corpus.ID) store.Store {
				t.Helper()
				return open(t, postgres.Options{URL: url, Tenant: tenant, ManageSchema: true})
			},
			Lose: func(t *testing.T, tenant corpus.ID) {
				t.Helper()
				d.Exec(t, "UPDATE kb_embeddings_writers SET token = NULL, expires_at = '-infinity' WHERE tenant_id = $1", tenant.String())
			},
			Damages: damages(d),
		}
	}}
}

func TestConformance(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	storetest.Exercise(t, harness(d, d.URL()))
}

// TestConformanceThroughPooler is the same through pgbouncer in transaction mode.
func TestConformanceThroughPooler(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	storetest.Exercise(t, harness(d, d.Bouncer(t)))
}

// TestConformanceWithoutVectors is the same without pgvector (G9).
func TestConformanceWithoutVectors(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Plain(t)
	storetest.Exercise(t, harness(d, d.URL()))
}
