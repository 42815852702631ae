package embedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Data returns the folder where set-up puts the built-in models' files, for
// builtin.Options.Dirs: data/ in the checkout. Without them it skips the test,
// or fails it where they are owed: when CI is "true" or IBID_REQUIRE_MODELS is
// "1". IBID_ONNXRUNTIME and IBID_MODELS, when both set, stand for the folder.
func Data(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for !exists(filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			tb.Fatal("no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
	dir = filepath.Join(dir, "data")
	variables := os.Getenv("IBID_ONNXRUNTIME") != "" && os.Getenv("IBID_MODELS") != ""
	installed := exists(filepath.Join(dir, "lib")) && exists(filepath.Join(dir, "models"))
	if !variables && !installed {
		if os.Getenv("CI") == "true" || os.Getenv("IBID_REQUIRE_MODELS") == "1" {
			tb.Fatal("the built-in models are not installed: run scripts/models.sh")
		}
		tb.Skip("the built-in models are not installed: run scripts/models.sh")
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
