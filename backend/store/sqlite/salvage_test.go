package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// testAudit compares with what testChange makes.
var testAudit = store.Audit{Analyzer: "test/1", Entry: func(c corpus.Chunk, _ string) store.Entry {
	return store.Entry{Chunk: c, Whole: strings.Fields(c.Content), Length: 5}
}}

// damagedAt makes a library of some pages whose page of a table or index, its
// first or its second leaf, is empty.
func damagedAt(t *testing.T, path, object string) {
	t.Helper()
	db, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	source := corpus.Source{ID: corpus.LocalTenant, Name: "s", Kind: corpus.SourceInline, Root: "inline:s"}
	w, g := acquireTest(t, db)
	c := testChange(g, 0, 120, 1)
	_, err = w.Commit(t.Context(), c)
	if err := errors.Join(err, db.PutSource(t.Context(), source), w.PutVectors(t.Context(), testSpace, testVectors(c, 1)),
		w.PutRun(t.Context(), store.Run{ID: "run"}), w.Release()); err != nil {
		t.Fatal(err)
	}
	var pages []int64
	if err := db.read(t.Context(), func(tx *tx) error {
		return tx.each(t.Context(), "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", []any{object}, func(scan func(...any) error) error {
			var n int64
			err := scan(&n)
			pages = append(pages, n)
			return err
		})
	}); err != nil || len(pages) == 0 {
		t.Fatalf("pages %v (%v)", pages, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(make([]byte, 4096), 4096*(pages[len(pages)/2]-1))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// audited are the damages that an audit finds, each once.
func audited(t *testing.T, db *DB) (list []store.Damage) {
	t.Helper()
	if err := db.View(t.Context(), func(r store.Reader) error {
		return r.Audit(t.Context(), testAudit, func(f store.Finding) {
			if !slices.Contains(list, f.Damage) {
				list = append(list, f.Damage)
			}
		})
	}); err != nil && !errors.Is(err, store.ErrDamaged) {
		t.Fatal(err)
	}
	return list
}

// TestMendFile: a page of any table or index that cannot be read costs what it
// has and nothing else. Indexes cost nothing.
func TestMendFile(t *testing.T) {
	for _, tt := range []struct {
		object string
		table  bool
		lost   int // passages, at most
	}{
		{"chunks_id", false, 0},
		{"chunks_document", false, 0},
		{"chunks_hash", false, 0},
		{"vectors_hash", false, 0},
		{"blocks_key", false, 0},
		{"texts_revision", false, 0},
		{"documents_id", false, 0},
		{"chunks", true, 20},
		{"vectors", true, 0},
		{"blocks", true, 0},
		{"segments", true, 0},
		{"code_blocks", true, 0},
		{"codes", true, 0},
		{"texts", true, 0},
		{"fields", true, 0},
		{"tallies", true, 0},
		{"runs", true, 0},
		{"documents", true, 120}, // and what it has of the document comes back with it
		{"made", true, 120},
	} {
		t.Run(tt.object, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "50%41 #1? ü", "library.db")
			damagedAt(t, path, tt.object)
			db := openTest(t, path)
			want := store.FileIndexDamaged
			if tt.table {
				want = store.FileDamaged
			}
			if found := audited(t, db); !slices.Contains(found, want) {
				t.Errorf("found %v, not %s", found, want)
			}
			w, err := db.Acquire(t.Context(), "mend")
			if err != nil {
				t.Fatal(err)
			}
			defer w.Release()
			if err := w.MendFile(t.Context()); err != nil {
				t.Fatal(err)
			}
			if found, err := db.examine(t.Context()); err != nil || len(found) > 0 {
				t.Errorf("SQLite finds %v (%v)", found, err)
			}
			if err := w.Mend(t.Context(), testAudit); err != nil {
				t.Fatal(err)
			}
			left := slices.DeleteFunc(audited(t, db), func(d store.Damage) bool { return d == store.PassagesMissing || d == store.TextMissing })
			if len(left) > 0 {
				t.Errorf("after mending: %v", left)
			}
			chunks := 0
			if err := db.read(t.Context(), func(tx *tx) error {
				_, err := tx.row(t.Context(), "SELECT count(*) FROM chunks", nil, &chunks)
				return err
			}); err != nil || chunks < 120-tt.lost {
				t.Errorf("%d passages are left (%v)", chunks, err)
			}
			kept, err := filepath.Glob(filepath.Join(filepath.Dir(path), "library.db.damaged-*"))
			if err != nil || len(kept) > 1 || (len(kept) == 1) != tt.table {
				t.Fatalf("kept as it was: %q (%v)", kept, err)
			}
			if tt.table {
				old := openTest(t, kept[0])
				if found := audited(t, old); !slices.Contains(found, store.FileDamaged) {
					t.Errorf("in what is kept as it was, %v is found", found)
				}
			}
		})
	}
}

// TestMendFileRefuses: without the library's own records nothing is guessed.
func TestMendFileRefuses(t *testing.T) {
	for _, object := range []string{"sources", "spaces", "generations"} {
		t.Run(object, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "library.db")
			damagedAt(t, path, object)
			db := openTest(t, path)
			w, err := db.Acquire(t.Context(), "mend")
			if err != nil {
				t.Fatal(err)
			}
			defer w.Release()
			if err := w.MendFile(t.Context()); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "table "+object) {
				t.Errorf("mending says %v", err)
			}
			if found, err := db.examine(t.Context()); err != nil || len(found) == 0 {
				t.Errorf("SQLite finds %v (%v)", found, err)
			}
			if kept, err := filepath.Glob(path + ".damaged-*"); err != nil || len(kept) > 0 {
				t.Errorf("kept as it is, though nothing was changed: %q (%v)", kept, err)
			}
		})
	}
}

// TestIndexOutOfStep: an index that has other rows than its table is told and
// made anew, where all its pages can be read as well.
func TestIndexOutOfStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	db := openTest(t, path)
	w, g := acquireTest(t, db)
	defer w.Release()
	c := testChange(g, 0, 5, 1)
	if _, err := w.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if err := w.PutVectors(t.Context(), testSpace, testVectors(c, 1)); err != nil {
		t.Fatal(err)
	}
	before := state(t, db)
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	const aside = "'vectors_hash'"
	for _, statement := range []string{
		"CREATE TABLE aside AS SELECT * FROM sqlite_schema WHERE name = " + aside,
		"PRAGMA writable_schema = ON",
		"DELETE FROM sqlite_schema WHERE name = " + aside,
		"PRAGMA writable_schema = RESET",
		"UPDATE vectors SET num = num + 100 WHERE num = (SELECT max(num) FROM vectors)",
		"PRAGMA writable_schema = ON",
		"INSERT INTO sqlite_schema SELECT * FROM aside",
		"PRAGMA writable_schema = RESET",
		"DROP TABLE aside",
	} {
		if _, err := raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if found := audited(t, db); !slices.Equal(found, []store.Damage{store.FileIndexDamaged}) {
		t.Errorf("found %v", found)
	}
	if err := w.MendFile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := audited(t, db); slices.Contains(found, store.FileIndexDamaged) || slices.Contains(found, store.FileDamaged) {
		t.Errorf("after mending: %v", found)
	}
	if after := state(t, db); after != before {
		t.Errorf("mended:\n%s\nwas:\n%s", after, before)
	}
}

// TestFileFaults: what SQLite says is told by the parts that it is about.
func TestFileFaults(t *testing.T) {
	parts := fileParts{
		byName: map[string]fileFault{"made": {object: "made", table: "made"}, "made_document": {object: "made_document", table: "made", index: true}},
		byRoot: map[int]fileFault{18: {object: "made", table: "made"}},
	}
	got := parts.faults([]string{
		"*** in database main ***", "Freelist: size is 1 but should be 2", "Tree 18 page 18 cell 2: Rowid 7 out of order", "Page 92: never used",
		"row 61 missing from index made_document", "wrong # of entries in index made_document", "NULL value in made.tenant", "wrong # of entries in index unknown",
	})
	want := "[Freelist: size is 1 but should be 2 (3) table made: Tree 18 page 18 cell 2: Rowid 7 out of order (2) index made_document: row 61 missing from index made_document (2)]"
	words := []string{}
	for _, f := range got {
		words = append(words, fmt.Sprintf("%s (%d)", f, f.count))
	}
	if fmt.Sprint(words) != want {
		t.Errorf("faults %v\nwant %s", words, want)
	}
}
