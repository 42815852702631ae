package boot

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"ibid/backend/store/postgres/pgtest"
)

// An evaluation leaves nothing of its tenant in a database.
func TestEvalLeavesNothingBehind(t *testing.T) {
	server := pgtest.Serve(t)
	d := server.Database(t)
	env := map[string]string{"IBID_DATABASE_URL": d.URL()}
	report, err := Eval(t.Context(), EvalOptions{Dataset: dataset(t), Options: Options{
		Library: t.TempDir(), Settings: map[string]string{"embeddings": "hash"}, Getenv: func(name string) string { return env[name] },
	}})
	if err != nil || report.Queries != 3 {
		t.Fatal(report, err)
	}
	c, err := pgx.Connect(t.Context(), d.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	rows, err := c.Query(t.Context(), `SELECT relname FROM pg_class k JOIN pg_attribute a ON a.attrelid = k.oid
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attname = 'tenant_id'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatal(tables, err)
	}
	for _, table := range tables {
		var n int
		if err := c.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s has %d rows, %v", table, n, err)
		}
	}
}
