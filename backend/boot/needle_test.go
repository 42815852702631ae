package boot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/extract/extracttest"
)

// A needle at the start, in the middle and at the end of a document of each
// format is found by a search, and the hit says where it stands.
func TestNeedlesAreFound(t *testing.T) {
	folder := t.TempDir()
	files := extracttest.NeedleFiles(t)
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lib, err := Open(t.Context(), Options{
		Library: t.TempDir(), Settings: map[string]string{"embeddings": "none"},
		Getenv: func(name string) string { return map[string]string{"IBID_CACHE": extracttest.Cache()}[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := lib.Close(); err != nil {
			t.Error(err)
		}
	}()
	if failed := apply(t, lib, folder); len(failed) > 0 {
		t.Fatalf("failed: %q", failed)
	}
	for _, f := range files {
		for n, needle := range extracttest.Needles() {
			found, err := lib.Search(t.Context(), api.SearchRequest{Query: needle, Filters: map[string][]string{"path": {f.Name}}})
			if err != nil || len(found.Hits) == 0 {
				t.Errorf("%s: %s is not found: %v", f.Name, needle, err)
				continue
			}
			h := found.Hits[0]
			at := corpus.Anchor{
				Page: h.Location.Page, PageEnd: h.Location.PageEnd, Slide: h.Location.Slide, Headings: h.Location.Headings,
				LineStart: h.Location.LineStart, LineEnd: h.Location.LineEnd,
				Sheet: h.Location.Sheet, RowStart: h.Location.RowStart, RowEnd: h.Location.RowEnd,
			}
			if h.Path != f.Name || !strings.Contains(h.Text, needle) || !f.At(at, h.Text, n) {
				t.Errorf("%s: %s of unit %d is said to stand at %q of %s: %+v", f.Name, needle, n, h.Location.Label, h.Path, at)
			}
			if !strings.Contains(h.Snippet, needle) {
				t.Errorf("%s: the snippet does not show %s: %q", f.Name, needle, h.Snippet)
			}
			if h.Location.Label == "" {
				t.Errorf("%s: %s has no place for people", f.Name, needle)
			}
		}
	}
}
