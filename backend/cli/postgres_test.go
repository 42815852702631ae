package cli

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ibid/backend/store/postgres/pgtest"
)

// TestScriptsOnPostgres drives the same command line with libraries in
// PostgreSQL, a database a script.
func TestScriptsOnPostgres(t *testing.T) {
	server := pgtest.Serve(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Condition:           onPostgres(true),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("IBID_LIBRARY", filepath.Join(env.WorkDir, "library"))
			env.Setenv("IBID_EMBEDDINGS", "hash")
			for _, name := range []string{"IBID_DATABASE_URL", "OTHER_DATABASE_URL"} {
				env.Setenv(name, server.Database(env.T().(testing.TB)).URL())
			}
			return nil
		},
	})
}

// onPostgres is the condition [postgres] of scripts.
func onPostgres(is bool) func(cond string) (bool, error) {
	return func(cond string) (bool, error) {
		if cond != "postgres" {
			return false, fmt.Errorf("unknown condition %q", cond)
		}
		return is, nil
	}
}
