package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite"
	"ibid/backend/store/storetest"
)

func open(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
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

func dump(t *testing.T, s store.Store) string {
	t.Helper()
	return storetest.Dump(t.Context(), t, s)
}

// fill commits one document with vectors.
func fill(t *testing.T, db *sqlite.DB) {
	t.Helper()
	w, err := db.Acquire(t.Context(), "fill")
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Build(t.Context(), childSpace, "child/1")
	if err != nil {
		t.Fatal(err)
	}
	c, vectors := childChange(g.ID, 0)
	if _, err := w.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := w.PutVectors(t.Context(), childSpace, vectors); err != nil {
		t.Fatal(err)
	}
	if err := w.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	storetest.Exercise(t, storetest.Harness{Database: func(t *testing.T) storetest.Database {
		t.Helper()
		path := filepath.Join(t.TempDir(), "library.db")
		t.Cleanup(func() { checkFile(t, path) })
		return storetest.Database{
			Open: func(t *testing.T, tenant corpus.ID) store.Store {
				t.Helper()
				db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Tenant: tenant})
				if err != nil {
					t.Fatal(err)
				}
				return db
			},
			Lose: func(t *testing.T, tenant corpus.ID) {
				t.Helper()
				if err := os.Remove(path + "." + tenant.String() + ".writer"); err != nil {
					t.Fatal(err)
				}
			},
			Damages: damages(path),
		}
	}})
}

// checkFile asks SQLite about a closed library, and looks for what no query
// would find: rows without their owner, and counters that lie.
func checkFile(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]string{
		"PRAGMA integrity_check":                        "ok",
		"SELECT count(*) FROM pragma_foreign_key_check": "0",
		"SELECT count(*) FROM vectors v WHERE uses <> (SELECT count(*) FROM generations g JOIN chunks c ON c.generation = g.num WHERE g.space = v.space AND c.hash = v.hash AND c.embedded IS NOT NULL)":                    "0",
		"SELECT count(*) FROM made m WHERE chunks <> (SELECT count(*) FROM chunks c WHERE c.generation = m.generation AND c.document = m.document)":                                                                         "0",
		"SELECT count(*) FROM made m WHERE embedded <> (SELECT count(*) FROM chunks c WHERE c.generation = m.generation AND c.document = m.document AND c.embedded IS NOT NULL)":                                            "0",
		"SELECT count(*) FROM generations g WHERE chunks <> (SELECT count(*) FROM chunks c WHERE c.generation = g.num) OR length <> (SELECT coalesce(sum(length), 0) FROM chunks c WHERE c.generation = g.num)":             "0",
		"SELECT count(*) FROM generations g WHERE (SELECT coalesce(sum(count - dead), 0) FROM codes c WHERE c.generation = g.num) <> (SELECT count(*) FROM chunks c WHERE c.generation = g.num AND c.embedded IS NOT NULL)": "0",
		"SELECT count(*) FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM made m WHERE m.generation = c.generation AND m.document = c.document)":                                                                               "0",
		"SELECT count(*) FROM texts t WHERE NOT EXISTS (SELECT 1 FROM made m WHERE m.document = t.document AND m.revision = t.revision)":                                                                                    "0",
		"SELECT count(*) FROM blocks WHERE segment NOT IN (SELECT num FROM segments)":                                                                                                                                       "0",
	} {
		var got string
		if err := db.QueryRow(query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", query, got, err, want)
		}
	}
}

// TestTenantInEveryRow: each table names the tenant, but for the one row about
// the file itself and goose's (K1).
func TestTenantInEveryRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	fill(t, open(t, path))
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT name FROM sqlite_schema s WHERE type = 'table' AND name NOT IN ('meta', 'goose_db_version') AND name NOT LIKE 'sqlite%'
		AND NOT EXISTS (SELECT 1 FROM pragma_table_info(s.name) c WHERE c.name = 'tenant')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		t.Errorf("table %s does not name the tenant", name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestMemory: the same library without a file that stays.
func TestMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	db := open(t, ":memory:")
	fill(t, db)
	other := open(t, ":memory:")
	if dump(t, other) == dump(t, db) {
		t.Error("two libraries in memory are one")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOddPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b#c%20d é🗼;&='", "library.db")
	if runtime.GOOS != "windows" {
		path += "?mode=memory"
	}
	db := open(t, path)
	fill(t, db)
	want := dump(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, open(t, path)); got != want {
		t.Errorf("reopened:\n%s\nwas:\n%s", got, want)
	}
}

// TestPrivate: nobody else can read a library (K2).
func TestPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes on Windows; the profile folder is private")
	}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	db := open(t, filepath.Join(dir, "library.db"))
	fill(t, db)
	copied := filepath.Join(dir, "copy.db")
	if err := db.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 5 { // database, wal, shm, writer, copy
		t.Errorf("files %v", entries)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", e.Name(), mode)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder has mode %o, %v", info.Mode().Perm(), err)
	}
}

// TestOpenAtOnce: several programs start on a library that does not exist yet.
func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if err := db.View(t.Context(), func(r store.Reader) error {
				_, err := r.Info(t.Context())
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// TestBackup: a copy taken while a writer has the role is the library.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "library.db"))
	fill(t, db)
	w, err := db.Acquire(t.Context(), "running")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Release()
	path := filepath.Join(dir, "copy.db")
	if err := db.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if got, want := dump(t, open(t, path)), dump(t, db); got != want {
		t.Errorf("copy:\n%s\nwant:\n%s", got, want)
	}
	if err := db.Backup(t.Context(), path); err == nil || !strings.Contains(err.Error(), "exist") {
		t.Errorf("a backup over an existing file: %v", err)
	}
}

// TestPurgeLeavesNoBytes: no text of a purged source is left in the files, not
// of earlier versions either.
func TestPurgeLeavesNoBytes(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "library.db"))
	w, err := db.Acquire(t.Context(), "purge")
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Build(t.Context(), childSpace, "child/1")
	if err != nil {
		t.Fatal(err)
	}
	source := corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceFolder, Name: "n", Root: "/n"}
	if err := db.PutSource(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	id := corpus.NewID()
	for revision, word := range []string{"xylophonist", "quixotically"} {
		text := strings.Repeat("The "+word+" sat down and played on. ", 300)
		c := store.Change{
			Generation: g.ID, From: int64(revision), Text: text,
			Document: corpus.Document{ID: id, Source: source.ID, Path: word + ".md", Title: word, State: corpus.DocumentIndexed, Metadata: corpus.Metadata{"by": word}},
		}
		chunks := []corpus.Chunk{{Content: text, Location: corpus.Location{End: len(text)}}}
		corpus.Identify(id, chunks)
		c.Entries = []store.Entry{{Chunk: chunks[0], Whole: strings.Fields(text), Length: 9}}
		if _, err := w.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.RemoveSource(t.Context(), source.ID, true); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"xylophonist", "quixotically"} {
			if strings.Contains(string(data), word) {
				t.Errorf("%q is left in %s", word, filepath.Base(f))
			}
		}
	}
}
