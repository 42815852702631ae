package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite"
	"ibid/backend/store/storetest"
)

// childOpens lets a child process of this test binary open the library, say
// "ready" just before, and end.
const childOpens = "IBID_TEST_CHILD_OPENS"

func opening(path string) error {
	fmt.Fprintln(os.Stdout, "ready")
	db, err := sqlite.Open(context.Background(), sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	return db.Close()
}

// newest is a library of this program with some documents, closed.
func newest(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "library.db")
	db := open(t, path)
	if err := db.PutSource(t.Context(), corpus.Source{ID: corpus.LocalTenant, Name: "notes", Kind: corpus.SourceFolder, Root: "/notes"}); err != nil {
		t.Fatal(err)
	}
	w, err := db.Acquire(t.Context(), "fill")
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Build(t.Context(), childSpace, "child/1")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 60 {
		c, vectors := childChange(g.ID, int64(n))
		c.From = 0
		c.Document.ID = corpus.DeriveID(corpus.NoID, strconv.Itoa(n))
		c.Document.Path = fmt.Sprintf("%d.txt", n)
		chunks := make([]corpus.Chunk, len(c.Entries))
		for i := range chunks {
			chunks[i] = c.Entries[i].Chunk
		}
		corpus.Identify(c.Document.ID, chunks)
		for i := range chunks {
			c.Entries[i].Chunk = chunks[i]
		}
		if _, err := w.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if err := w.PutVectors(t.Context(), childSpace, vectors); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Release(), db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// older makes a library as a program with an older schema would have made it.
func older(t *testing.T, from string, version int64) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "library.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS("migrations"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var tables string
	if err := c.QueryRowContext(t.Context(), `SELECT group_concat(name, ' ') FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE 'sqlite%' AND name NOT IN ('goose_db_version', 'tallies', 'meta')`).Scan(&tables); err != nil {
		t.Fatal(err)
	}
	statements := []string{"PRAGMA journal_mode = wal", "PRAGMA wal_autocheckpoint = 0", "ATTACH '" + from + "' AS new"}
	for table := range strings.FieldsSeq(tables) {
		statements = append(statements, "INSERT INTO "+table+" SELECT * FROM new."+table)
	}
	for _, s := range statements {
		if _, err := c.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

// copied copies a library's files to a folder of its own.
func copied(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(from))); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, filepath.Base(from))
}

// shown is what a library shows, with the answers of a search.
func shown(t *testing.T, db *sqlite.DB) string {
	t.Helper()
	text := dump(t, db)
	if err := db.View(t.Context(), func(r store.Reader) error {
		found, err := r.Search(t.Context(), store.Query{
			Lexical: &store.Lexical{Terms: []store.Term{{Text: "constant"}, {Text: "7"}}, Budget: 1000, Limit: 50},
			Vector:  &store.Vector{Query: []float32{1, 2, 3, 0, 0, 0, 0, 1}, Limit: 50},
		})
		text += fmt.Sprintln(found)
		return errors.Join(err, r.Audit(t.Context(), store.Audit{Analyzer: "child/1", Entry: func(c corpus.Chunk, _ string) store.Entry {
			return store.Entry{Chunk: c, Whole: strings.Fields(c.Content), Length: 3}
		}}, func(f store.Finding) { t.Errorf("audit found %+v", f) }))
	}); err != nil {
		t.Fatal(err)
	}
	return text
}

// backups are the copies that migrations left beside a library; anything else
// that is not the library's fails the test.
func backups(t *testing.T, path string) (list []string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		switch what, _ := strings.CutPrefix(f.Name(), filepath.Base(path)); {
		case strings.HasPrefix(what, ".backup-"):
			list = append(list, filepath.Join(filepath.Dir(path), f.Name()))
		case !slices.Contains([]string{"", "-wal", "-shm", ".writer"}, what):
			t.Errorf("%s was left", f.Name())
		}
	}
	return list
}

// TestKilledMigration: of a program that is killed at any instant of opening an
// older library the next one keeps nothing but the work: what the library
// shows is as before, one backup stays and can be read, and no litter (G11, E1).
func TestKilledMigration(t *testing.T) {
	rounds := storetest.Kills(t, 10, 10)
	from := newest(t)
	want := shown(t, open(t, copied(t, from)))
	var libraries []string
	versions := storetest.Schemas(t)
	for _, v := range versions[:len(versions)-1] {
		libraries = append(libraries, older(t, from, v))
	}
	start := func(path string) *exec.Cmd { return startChild(t, path, childOpens+"=1") }
	cmd := start(copied(t, libraries[0]))
	began := time.Now()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	rng := rand.New(rand.NewPCG(1, uint64(rounds)))
	for round := range rounds {
		path := copied(t, libraries[round%len(libraries)])
		for range 1 + rng.IntN(3) {
			cmd := start(path)
			select {
			case <-time.After(time.Duration(rng.Int64N(int64(took)))):
			case <-t.Context().Done():
			}
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed, or had come to its end
		}
		db := open(t, path)
		if got := shown(t, db); got != want {
			t.Errorf("round %d: migrated:\n%s\nwant:\n%s", round, got, want)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		checkFile(t, path)
		list := backups(t, path)
		if len(list) != 1 {
			t.Errorf("round %d: backups %v, want one", round, list)
		}
		for _, b := range list {
			if got := shown(t, open(t, copiedFile(t, b))); got != want {
				t.Errorf("round %d: the backup shows:\n%s\nwant:\n%s", round, got, want)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// copiedFile copies a backup as a library, to a folder of its own.
func copiedFile(t *testing.T, from string) string {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "library.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Several processes meet an older library at once: one migrates, the others
// find it done.
func TestOlderLibraryOpenedAtOnce(t *testing.T) {
	from := newest(t)
	want := shown(t, open(t, copied(t, from)))
	for _, v := range storetest.Schemas(t)[:2] {
		path := older(t, from, v)
		var children []*exec.Cmd
		for range 4 {
			children = append(children, startChild(t, path, childOpens+"=1"))
		}
		for _, c := range children {
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
		}
		if got := shown(t, open(t, path)); got != want {
			t.Errorf("migrated:\n%s\nwant:\n%s", got, want)
		}
		if list := backups(t, path); len(list) != 1 {
			t.Errorf("backups %v, want one", list)
		}
	}
}
