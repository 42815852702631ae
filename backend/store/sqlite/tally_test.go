package sqlite

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// A library from before the counts were kept is counted when it is migrated.
func TestCountsOfOlderLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.db")
	counts := func(db *DB) (all []any) {
		t.Helper()
		err := db.View(t.Context(), func(r store.Reader) error {
			info, err := r.Info(t.Context())
			if err != nil {
				return err
			}
			tally, err := r.Tally(t.Context(), 0)
			info.Bytes, info.Revision = 0, 0
			all = []any{info, tally}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	db := openTest(t, path)
	w, g := acquireTest(t, db)
	for n := range 3 {
		c := testChange(g, 0, n+1, 1)
		c.Document.ID = corpus.NewID()
		chunks := make([]corpus.Chunk, len(c.Entries))
		for i := range chunks {
			chunks[i] = c.Entries[i].Chunk
		}
		corpus.Identify(c.Document.ID, chunks)
		for i := range chunks {
			c.Entries[i].Chunk = chunks[i]
		}
		if n == 2 {
			c.Document.Source, c.Document.Language, c.Document.State = corpus.ID{1}, "de", corpus.DocumentFailed
		}
		if _, err := w.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	want := counts(db)
	if info := want[0].(store.Info); info.Documents != 3 || info.Failed != 1 || info.Chunks == 0 {
		t.Fatalf("counted before: %+v", info)
	}
	migration, err := fs.ReadFile(migrations(), "00003_tallies.sql")
	if err != nil {
		t.Fatal(err)
	}
	up, _, _ := strings.Cut(string(migration), "-- +goose Down")
	s := <-db.writer
	defer func() { db.writer <- s }()
	for _, statement := range []string{
		"DROP TABLE tallies", "DROP INDEX documents_content",
		"DROP TRIGGER documents_added", "DROP TRIGGER documents_removed", "DROP TRIGGER documents_changed",
		"DROP TRIGGER made_added", "DROP TRIGGER made_changed", "DROP TRIGGER made_removed",
		up,
	} {
		if _, err := s.conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(statement, err)
		}
	}
	if diff := cmp.Diff(want, counts(db)); diff != "" {
		t.Errorf("counts after migration (-want +got):\n%s", diff)
	}
}
