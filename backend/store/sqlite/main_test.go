package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite"
)

// childLibrary names the library of a child process of this test binary, and
// childBackups the folder that it does nothing but back up to.
const (
	childLibrary = "IBID_TEST_CHILD_LIBRARY"
	childBackups = "IBID_TEST_CHILD_BACKUPS"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childLibrary); path != "" {
		work := child
		if os.Getenv(childOpens) != "" {
			work = opening
		}
		if dir := os.Getenv(childBackups); dir != "" {
			work = func(path string) error { return backingUp(path, dir) }
		}
		if err := work(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child takes the writer role and commits versions of one document until it is
// killed. It says "ready" when it has the role.
func child(path string) error {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	w, err := db.Acquire(ctx, "the child")
	if err != nil {
		return err
	}
	g, err := w.Build(ctx, childSpace, "child/1")
	if err != nil {
		return err
	}
	revision := int64(0)
	if err := db.View(ctx, func(r store.Reader) error {
		d, err := r.Document(ctx, childDocument)
		revision = d.Revision
		if revision > 0 {
			return err
		}
		return nil
	}); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "ready")
	for ; ; revision++ {
		c, vectors := childChange(g.ID, revision)
		if err := w.PutVectors(ctx, childSpace, vectors); err != nil {
			return err
		}
		if _, err := w.Commit(ctx, c); err != nil {
			return err
		}
	}
}

var (
	childSpace    = corpus.Space{Provider: "test", Model: "child", Dimensions: 8, Format: "1"}
	childDocument = corpus.DeriveID(corpus.NoID, "child")
)

// childChange is the version of the document that follows a revision.
func childChange(generation, revision int64) (store.Change, map[corpus.Hash][]float32) {
	c := store.Change{
		Generation: generation,
		From:       revision,
		Document:   corpus.Document{ID: childDocument, Source: corpus.LocalTenant, Path: "child.txt", State: corpus.DocumentIndexed},
		Text:       fmt.Sprintf("version %d", revision+1),
	}
	chunks := make([]corpus.Chunk, 20)
	for i := range chunks {
		chunks[i].Content = fmt.Sprintf("version %d passage %d", revision+1, i)
		if i%2 == 0 {
			chunks[i].Content = fmt.Sprintf("constant passage %d", i)
		}
	}
	corpus.Identify(childDocument, chunks)
	vectors := map[corpus.Hash][]float32{}
	for _, chunk := range chunks {
		c.Entries = append(c.Entries, store.Entry{Chunk: chunk, Whole: strings.Fields(chunk.Content), Length: 3})
		vectors[chunk.Hash] = []float32{1, float32(revision), float32(chunk.Index), 0, 0, 0, 0, 1}
	}
	return c, vectors
}

// startChild returns when the child has the writer role, or with childBackups
// in its environment has the library open.
func startChild(t *testing.T, path string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), childLibrary+"="+path), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("child says %q, %v", line, err)
	}
	return cmd
}

// TestKilledWriter: a writer that is killed at any instant frees its role and
// leaves a whole document (E1, G8, S46).
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	ctx := t.Context()
	db := open(t, path)
	last := int64(0)
	for kill := range 6 {
		cmd := startChild(t, path)
		if _, err := db.Acquire(ctx, "parent"); err == nil || !strings.Contains(err.Error(), "the child") {
			t.Fatalf("role while the child has it: %v", err)
		}
		// Let it commit a few versions, then kill it wherever it is.
		waitFor(t, func() bool { return revisionOf(t, db) > last+int64(kill) })
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if holder, err := db.Holder(ctx); err != nil || holder != "" {
			t.Errorf("the role is held by %q after its holder's death, %v", holder, err)
		}
		w, err := db.Acquire(ctx, "parent")
		if err != nil {
			t.Fatalf("role after the child's death: %v", err)
		}
		last = revisionOf(t, db)
		checkChild(t, db, last)
		if err := w.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	checkFile(t, path)
}

// waitFor polls another process's progress.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for !done() {
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the child makes no progress")
		}
	}
}

func revisionOf(t *testing.T, db *sqlite.DB) (revision int64) {
	t.Helper()
	if err := db.View(t.Context(), func(r store.Reader) error {
		for d, err := range r.Documents(t.Context(), corpus.NoID) {
			if err != nil {
				return err
			}
			revision = d.Revision
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return revision
}

// checkChild compares the library with one into which only the last version
// was committed.
func checkChild(t *testing.T, db *sqlite.DB, revision int64) {
	t.Helper()
	fresh := open(t, ":memory:")
	w, err := fresh.Acquire(t.Context(), "fresh")
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Build(t.Context(), childSpace, "child/1")
	if err != nil {
		t.Fatal(err)
	}
	c, vectors := childChange(g.ID, revision-1)
	c.From = 0
	if _, err := w.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := w.PutVectors(t.Context(), childSpace, vectors); err != nil {
		t.Fatal(err)
	}
	if got, want := dump(t, db), dump(t, fresh); got != want {
		t.Errorf("after revision %d:\n%s\nwant:\n%s", revision, got, want)
	}
}
