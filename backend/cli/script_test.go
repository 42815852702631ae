package cli

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ibid": func() { os.Exit(Main(os.Args[1:], Build{Version: "test"})) },
	})
}

// TestScripts drives the real command line. Each script has a library of its
// own and the hash model, so that nothing but the program is needed.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Condition:           onPostgres(false),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("IBID_LIBRARY", filepath.Join(env.WorkDir, "library"))
			env.Setenv("IBID_EMBEDDINGS", "hash")
			return nil
		},
	})
}
