package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// TestTooNew: an older program refuses what a newer one has marked (G11).
func TestTooNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	db := openTest(t, path)
	w, g := acquireTest(t, db)
	mark := func(set string) {
		t.Helper()
		s := <-db.writer
		defer func() { db.writer <- s }()
		if _, err := s.conn.ExecContext(t.Context(), "UPDATE meta SET "+set); err != nil {
			t.Fatal(err)
		}
	}
	mark("min_writer = 2")
	if _, err := w.Commit(t.Context(), testChange(g, 0, 1, 1)); !errors.Is(err, corpus.ErrTooNew) {
		t.Errorf("commit: %v", err)
	}
	if err := db.PutSource(t.Context(), corpus.Source{ID: corpus.NewID()}); !errors.Is(err, corpus.ErrTooNew) {
		t.Errorf("put source: %v", err)
	}
	if err := w.Release(); err != nil {
		t.Fatal(err)
	}
	reading := openTest(t, path) // reading is still allowed
	state(t, reading)
	if _, err := reading.Acquire(t.Context(), "old program"); !errors.Is(err, corpus.ErrTooNew) {
		t.Errorf("acquire: %v", err)
	}
	mark("min_writer = 1")
	w, err := reading.Acquire(t.Context(), "old program") // the refusal did not keep the role
	if err != nil {
		t.Error(err)
	} else if err := w.Release(); err != nil {
		t.Error(err)
	}
	mark("min_reader = 2, min_writer = 2")
	if err := db.View(t.Context(), func(store.Reader) error { return nil }); !errors.Is(err, corpus.ErrTooNew) {
		t.Errorf("view: %v", err)
	}
	late, err := Open(t.Context(), Options{Path: path})
	if !errors.Is(err, corpus.ErrTooNew) || !strings.Contains(err.Error(), "update the program") {
		t.Errorf("open: %v", err)
	}
	if late != nil {
		t.Error("a library beside an error")
	}
}

// TestMigration: a library with documents is copied before its schema changes,
// under the writer role (G11).
func TestMigration(t *testing.T) {
	dir := t.TempDir()
	next := fstest.MapFS{"09999_more.sql": {Data: []byte("-- +goose Up\nCREATE TABLE more (tenant BLOB);\n-- +goose Down\nDROP TABLE more;\n")}}
	if err := fs.WalkDir(migrations(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(migrations(), path)
		next[path] = &fstest.MapFile{Data: data}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	backups := func() []string {
		t.Helper()
		list, err := filepath.Glob(filepath.Join(dir, "*.backup-*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	empty := openTest(t, filepath.Join(dir, "empty.db"))
	if err := empty.migrate(t.Context(), next); err != nil || len(backups()) != 0 {
		t.Errorf("an empty library: %v, backups %v", err, backups())
	}
	db := openTest(t, filepath.Join(dir, "library.db"))
	w, g := acquireTest(t, db)
	if _, err := w.Commit(t.Context(), testChange(g, 0, 3, 1)); err != nil {
		t.Fatal(err)
	}
	before := state(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.migrate(ctx, next); err == nil {
		t.Error("migrated while another holds the writer role")
	}
	if err := w.Release(); err != nil {
		t.Fatal(err)
	}
	killed := filepath.Join(dir, ".ibid-backup-1") // an earlier one, in its backup
	if err := errors.Join(os.Mkdir(killed, 0o700), os.WriteFile(filepath.Join(killed, "lock"), nil, 0o600), os.WriteFile(filepath.Join(killed, "library.db"), []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second has nothing to do
		if err := db.migrate(t.Context(), next); err != nil {
			t.Fatal(err)
		}
	}
	if after := state(t, db); after != before {
		t.Errorf("migrated:\n%s\nwas:\n%s", after, before)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".ibid-backup-*")); err != nil || len(left) > 0 {
		t.Errorf("%q are left (%v)", left, err)
	}
	list := backups()
	if len(list) != 1 {
		t.Fatalf("backups %v, want one", list)
	}
	if got := state(t, openTest(t, list[0])); got != before {
		t.Errorf("backup:\n%s\nwant:\n%s", got, before)
	}
}
