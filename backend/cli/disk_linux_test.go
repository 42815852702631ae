package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fillDisk runs in a mount namespace of its own, where the library's disk is
// smaller than the library.
const fillDisk = `
set -e
mount -t tmpfs -o size=3m none "$IBID_LIBRARY"
ibid add "$DOCS"
code=0; ibid apply --yes >said 2>&1 || code=$?
cat said
test $code = 3 || { echo "exit $code of a run that the disk stopped half-way, want 3"; exit 1; }
grep -qi 'disk' said || { echo "nothing is said of the disk"; exit 1; }
ibid search --mode keyword --json beginning | grep -q '"path"' || { echo "what was committed is not found"; exit 1; }
ibid status
code=0; ibid apply --yes >said 2>&1 || code=$?
test $code != 0 || { echo "a second run on the full disk says that all went well"; exit 1; }
mount -o remount,size=256m "$IBID_LIBRARY"
ibid apply --yes
ibid plan --detailed-exitcode
cp -R "$IBID_LIBRARY"/. "$AFTER"
`

// TestDiskFull fills a real disk during an apply: what was committed answers,
// the run says what happened, and with more room the next one ends in the
// state of a fresh build.
func TestDiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("writes megabytes")
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "--map-root-user", "true").CombinedOutput(); err != nil {
		t.Skipf("no mount namespaces here: %v: %s", err, out)
	}
	work := t.TempDir()
	place := func(name string) string {
		path := filepath.Join(work, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	docs, library, after := place("docs"), place("library"), place("after")
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 240 {
		var b strings.Builder
		fmt.Fprintf(&b, "# Beginning of %d\n", i)
		for range 100 {
			fmt.Fprintf(&b, "\nIt goes on with %d and %d and then with %d and %d for a while, as documents do.\n", rng.IntN(1e6), rng.IntN(1e6), rng.IntN(1e6), rng.IntN(1e6))
		}
		if err := os.WriteFile(filepath.Join(docs, fmt.Sprint(i, ".md")), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--map-root-user", "sh", "-c", fillDisk)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "DOCS="+docs, "IBID_LIBRARY="+library, "AFTER="+after, "IBID_EMBEDDINGS=hash", "HOME="+work)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := &sequence{wild: &wild{t: t, root: docs}}
	if s.fresh() != s.dump(after) {
		t.Error("the library differs from a fresh one")
	}
}
