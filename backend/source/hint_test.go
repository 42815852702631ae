package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// folders lists what Folders visits.
func folders(t *testing.T, f *Files, s corpus.Source, place string) []string {
	t.Helper()
	var list []string
	err := f.Folders(t.Context(), s, place, func(rel, abs string) error {
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			t.Errorf("%q is said to be at %s: %v", rel, abs, err)
		}
		list = append(list, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func TestFoldersAreThoseOfAScan(t *testing.T) {
	s := folder(t, "a/b/c/x.md", "a/node_modules/y.md", ".git/config", "build/out.md", "build/keep/z.md", "d/", "link -> a",
		".gitignore=build/*\n!build/keep\n", "e/.ibidignore=*\n", "e/f/x.md")
	s.Exclude = []string{"a/b/c"}
	for place, want := range map[string][]string{
		"":          {"", "a", "a/b", "build", "build/keep", "d", "e"},
		"a":         {"a", "a/b"},
		"build":     {"build", "build/keep"},
		"a/b/c":     nil, // excluded
		".git":      nil,
		"link":      nil,
		"a/b/none":  nil,
		"a/b/c/x":   nil,
		"build/out": nil,
	} {
		if d := cmp.Diff(want, folders(t, New(), s, place)); d != "" {
			t.Errorf("at %q: %s", place, d)
		}
	}
}

func TestFoldersEnd(t *testing.T) {
	s := folder(t, "a/x.md", "b/x.md")
	stop := errors.New("stop")
	if err := New().Folders(t.Context(), s, "", func(rel, _ string) error {
		if rel == "a" {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Errorf("error %v, want the visitor's", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New().Folders(ctx, s, "", func(string, string) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if err := os.RemoveAll(s.Root); err != nil {
		t.Fatal(err)
	}
	if err := New().Folders(t.Context(), s, "", func(string, string) error { return nil }); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("error %v, want an unavailable root", err)
	}
}

func TestRelevant(t *testing.T) {
	s := folder(t, "a/x.md", "a/b/y.log", "a/~$x.md", ".gitignore=*.log\nout/\n", "out/z.md", "node_modules/m.md")
	tests := []struct{ name, place, want string }{
		{"a document", "a/x.md", "a/x.md"},
		{"a folder", "a/b", "a/b"},
		{"an ignored file", "a/b/y.log", "-"},
		{"a lock file", "a/~$x.md", "-"},
		{"inside an ignored folder", "out/z.md", "-"},
		{"an ignored folder", "node_modules", "-"},
		{"gone", "a/gone.md", "a/gone.md"},
		{"gone and ignored", "a/gone.log", "-"},
		{"gone from an ignored folder", "out/gone.md", "-"},
		{"gone with its folder", "c/gone.md", "c/gone.md"},
		{"a temporary file gone with its folder", "c/gone.tmp", "-"},
		{"an ignore file", "a/.gitignore", "a"},
		{"the root's ignore file", ".ibidignore", ""},
		{"the root", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New().Relevant(t.Context(), s, []string{tt.place})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if tt.want != "-" {
				want = []string{tt.want}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
	if err := os.RemoveAll(s.Root); err != nil {
		t.Fatal(err)
	}
	if got, err := New().Relevant(t.Context(), s, []string{"a/x.md"}); err != nil || !cmp.Equal(got, []string{""}) {
		t.Errorf("without the root: %q, %v, want all of it", got, err)
	}
}

// A library inside of a source is no part of it: each commit would change the
// file whose change is then committed.
func TestTheLibraryIsNoDocument(t *testing.T) {
	for _, in := range []string{"", "lib"} {
		s := folder(t, "a.md", "lib/b.md")
		put(t, s, filepath.Join(in, "library.db"), filepath.Join(in, "library.db-wal"), filepath.Join(in, "library.txt"))
		f := &Files{Library: filepath.Join(s.Root, in, "library.db")}
		got, err := f.Scan(t.Context(), s, []string{""})
		if err != nil {
			t.Fatal(err)
		}
		text := filepath.ToSlash(filepath.Join(in, "library.txt"))
		want := []string{"a.md", "lib/b.md", text}
		if d := cmp.Diff(want, paths(got)); d != "" {
			t.Errorf("library in %q: %s", in, d)
		}
		if r, err := f.Relevant(t.Context(), s, []string{filepath.ToSlash(filepath.Join(in, "library.db-shm"))}); err != nil || len(r) > 0 {
			t.Errorf("a change of the library in %q is relevant: %q, %v", in, r, err)
		}
	}
}
