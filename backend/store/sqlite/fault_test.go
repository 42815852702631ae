package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/mount"
	"ibid/backend/store"
	"ibid/backend/store/storetest"
)

var testSpace = corpus.Space{Provider: "test", Model: "fault", Dimensions: 4, Format: "1"}

func openTest(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func acquireTest(t *testing.T, db *DB) (store.Writer, int64) {
	t.Helper()
	w, err := db.Acquire(t.Context(), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Build(t.Context(), testSpace, "test/1")
	if err != nil {
		t.Fatal(err)
	}
	return w, g.ID
}

// testChange is a document of n passages, of which the odd ones differ by version.
func testChange(generation, from int64, n, version int) store.Change {
	id := corpus.DeriveID(corpus.NoID, "document")
	c := store.Change{
		Generation: generation,
		From:       from,
		Document:   corpus.Document{ID: id, Source: corpus.LocalTenant, Path: "document", State: corpus.DocumentIndexed, Metadata: corpus.Metadata{"version": float64(version)}},
		Text:       fmt.Sprint("version ", version),
	}
	chunks := make([]corpus.Chunk, n)
	for i := range chunks {
		chunks[i].Content = fmt.Sprintf("passage %d of version %d, %s", i, i%2*version, strings.Repeat("long ", 50))
	}
	corpus.Identify(id, chunks)
	for _, chunk := range chunks {
		c.Entries = append(c.Entries, store.Entry{Chunk: chunk, Whole: strings.Fields(chunk.Content), Length: 5})
	}
	return c
}

func testVectors(c store.Change, sign float32) map[corpus.Hash][]float32 {
	vectors := map[corpus.Hash][]float32{}
	for i, e := range c.Entries {
		vectors[e.Chunk.Hash] = []float32{sign, float32(i), 1, 0}
	}
	return vectors
}

// state is all that a library shows, vectors by their effect.
func state(t *testing.T, db *DB) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(storetest.Dump(t.Context(), t, db))
	if err := db.View(t.Context(), func(r store.Reader) error {
		info, err := r.Info(t.Context())
		if err != nil {
			return err
		}
		found, err := r.Search(t.Context(), store.Query{
			Lexical: &store.Lexical{Terms: []store.Term{{Text: "passage"}, {Text: "1"}}, Budget: 1000, Limit: 1000},
			Vector:  &store.Vector{Query: []float32{1, 2, 3, 4}, Limit: 1000},
		})
		fmt.Fprintln(&b, info.Revision, found)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// failing is a context that ends at its nth question.
type failing struct {
	context.Context //nolint:containedctx // it is one
	left            int
}

func (f *failing) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return f.Context.Err()
}

// TestCanceledAnywhere ends each writing method before each of its statements
// in turn: the library stays as it was until the method succeeds (E1).
func TestCanceledAnywhere(t *testing.T) {
	for name, write := range map[string]func(ctx context.Context, w store.Writer, g int64) error{
		"Commit": func(ctx context.Context, w store.Writer, g int64) error {
			_, err := w.Commit(ctx, testChange(g, 1, 6, 2))
			return err
		},
		"PutVectors": func(ctx context.Context, w store.Writer, g int64) error {
			return w.PutVectors(ctx, testSpace, testVectors(testChange(g, 0, 4, 1), -1))
		},
		"Remove": func(ctx context.Context, w store.Writer, _ int64) error {
			return w.Remove(ctx, store.Ref{Document: corpus.DeriveID(corpus.NoID, "document")})
		},
		"RemoveSource": func(ctx context.Context, w store.Writer, _ int64) error {
			return w.RemoveSource(ctx, corpus.LocalTenant, true)
		},
		"Switch": func(ctx context.Context, w store.Writer, g int64) error {
			return w.Switch(ctx, g+1)
		},
		"Build": func(ctx context.Context, w store.Writer, _ int64) error {
			_, err := w.Build(ctx, testSpace, "test/3")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openTest(t, filepath.Join(t.TempDir(), "library.db"))
			w, g := acquireTest(t, db)
			c := testChange(g, 0, 4, 1)
			if _, err := w.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if err := w.PutVectors(t.Context(), testSpace, testVectors(c, 1)); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Build(t.Context(), testSpace, "test/2"); err != nil {
				t.Fatal(err)
			}
			before := state(t, db)
			for n := 0; ; n++ {
				err := write(&failing{t.Context(), n}, w, g)
				after := state(t, db)
				if err == nil {
					if n < 5 || after == before {
						t.Errorf("succeeded at step %d without a change", n)
					}
					return
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("step %d: %v", n, err)
				}
				if after != before {
					t.Fatalf("step %d changed the library:\n%s\nwas:\n%s", n, after, before)
				}
			}
		})
	}
}

// TestDiskFull: a commit that finds no room changes nothing, says why, and
// succeeds when there is room again (E1).
func TestDiskFull(t *testing.T) {
	db := openTest(t, filepath.Join(t.TempDir(), "library.db"))
	w, g := acquireTest(t, db)
	if _, err := w.Commit(t.Context(), testChange(g, 0, 20, 1)); err != nil {
		t.Fatal(err)
	}
	limit := func(pages string) {
		t.Helper()
		s := <-db.writer
		defer func() { db.writer <- s }()
		if _, err := s.conn.ExecContext(t.Context(), "PRAGMA max_page_count = "+pages); err != nil {
			t.Fatal(err)
		}
	}
	before := state(t, db)
	limit("1") // SQLite takes the present size
	_, err := w.Commit(t.Context(), testChange(g, 1, 2000, 2))
	if !errors.Is(err, corpus.ErrUnavailable) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("commit without room: %v", err)
	}
	if after := state(t, db); after != before {
		t.Errorf("library changed:\n%s\nwas:\n%s", after, before)
	}
	limit("1000000")
	if _, err := w.Commit(t.Context(), testChange(g, 1, 2000, 2)); err != nil {
		t.Fatal(err)
	}
}

func TestNetworkMount(t *testing.T) {
	dir := t.TempDir()
	if name, err := mount.Network(dir); err != nil || name != "" {
		t.Errorf("%s is on %q, %v", dir, name, err)
	}
	err := refuseNetwork("/mnt/share", func(string) (string, error) { return "NFS", nil })
	if !errors.Is(err, corpus.ErrUnsupported) || !strings.Contains(err.Error(), "NFS") || !strings.Contains(err.Error(), "/mnt/share") {
		t.Errorf("refusal: %v", err)
	}
	if _, err := mount.Network(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) && err != nil {
		t.Errorf("absent folder: %v", err)
	}
}

// TestMergeable: parts are merged by size, however they come.
func TestMergeable(t *testing.T) {
	for _, c := range []struct {
		name    string
		classes []int
		want    int
	}{
		{"none", nil, 0},
		{"too few", []int{0, 0, 0}, 0},
		{"enough", []int{0, 0, 0, 0}, 4},
		{"behind a larger one", []int{2, 0, 0, 0, 0}, 4},
		{"larger ones", []int{1, 1, 1, 1}, 4},
		{"smaller ones between", []int{1, 0, 1, 1, 0, 1}, 6},
		{"few of each", []int{2, 2, 2, 1, 1, 1, 0, 0, 0}, 0},
		{"behind a large one", []int{0, 0, 0, large, 0}, 0},
		{"only large ones", []int{large, large, large, large, large}, 0},
	} {
		if got := mergeable(c.classes, func(class int) int { return class }, 4); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	for size, want := range map[int]int{0: 0, 3: 0, 4: 1, 15: 1, 16: 2, 64: 3} {
		if got := sizeClass(size, 4); got != want {
			t.Errorf("class of %d is %d, want %d", size, got, want)
		}
	}
}

// TestDamagedFile: what is no library is named as such and stays as it is.
func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	if err := os.WriteFile(path, []byte("this is not a database, and long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path})
	if !errors.Is(err, corpus.ErrUnavailable) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(left), "this is not") {
		t.Errorf("the file is now %q, %v", left, err)
	}
}

// TestClosedFile: after the last one closed, the file alone is the library.
// TestForeignFile: another program's database is refused and gets no tables.
func TestForeignFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first attempt changed nothing
		if _, err := Open(t.Context(), Options{Path: path}); !errors.Is(err, corpus.ErrUnsupported) || !strings.Contains(err.Error(), `"notes"`) {
			t.Errorf("opened with %v", err)
		}
	}
	var tables int
	if err := raw.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil || tables != 1 {
		t.Errorf("%d tables (%v)", tables, err)
	}
}

// TestDamagedSource: a source is nowhere but in its record, so that its damage
// is told, with what to do.
func TestDamagedSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	db, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PutSource(t.Context(), corpus.Source{ID: corpus.NewID(), Name: "s", Kind: corpus.SourceFolder, Root: "/s"}); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, record := range []string{"{", "[]"} {
		if _, err := raw.ExecContext(t.Context(), "UPDATE sources SET record = ?", record); err != nil {
			t.Fatal(err)
		}
		err := db.View(t.Context(), func(r store.Reader) error {
			_, err := r.Sources(t.Context())
			return err
		})
		if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "record") {
			t.Errorf("%s: %v", record, err)
		}
	}
}

func TestClosedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	db, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.PutSource(t.Context(), corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceFolder, Name: "a", Root: "/a", Policy: corpus.PolicyAsk}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("%d bytes left in the log", info.Size())
	}
}

// A library of which only the log is left is no new one, and the log stays.
func TestLoneLog(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"file emptied": func(path string) error { return os.Truncate(path, 0) },
		"file gone":    os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "library.db")
			db := openTest(t, path)
			acquireTest(t, db) // writes into the log, which is settled when the library closes
			log, err := os.ReadFile(path + "-wal")
			if err != nil || len(log) == 0 {
				t.Fatalf("log of %d bytes, %v", len(log), err)
			}
			other := filepath.Join(t.TempDir(), "library.db")
			for to, b := range map[string][]byte{other: []byte("x"), other + "-wal": log} {
				if err := os.WriteFile(to, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := spoil(other); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(t.Context(), Options{Path: other}); !errors.Is(err, corpus.ErrUnavailable) || !strings.Contains(err.Error(), "library.db-wal") {
				t.Errorf("opened: %v", err)
			}
			if left, err := os.ReadFile(other + "-wal"); err != nil || !bytes.Equal(left, log) {
				t.Errorf("the log was touched: %v", err)
			}
		})
	}
}

// TestCanceledWhileBeginning: a context that ends just when a transaction has
// begun leaves none open, which would keep every writer waiting for ever.
func TestCanceledWhileBeginning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	db, other := openTest(t, path), openTest(t, path)
	for i := range 2000 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for range i % 50 {
				runtime.Gosched()
			}
			cancel()
		}()
		err := db.PutRequest(ctx, store.Request{Kind: "test"})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d: %v", i, err)
		}
		cancel()
	}
	for name, db := range map[string]*DB{"the same": db, "another": other} {
		if err := db.PutRequest(t.Context(), store.Request{Kind: "test"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
