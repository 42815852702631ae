package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func TestLinks(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  []string
	}{
		{"to a file: the real path wins", []string{"z/real.md", "a.md -> z/real.md"}, []string{"z/real.md"}},
		{"to a folder: the real path wins", []string{"z/real.md", "a -> z"}, []string{"z/real.md"}},
		{"absolute", []string{"z/real.md", "a -> ROOT/z"}, []string{"z/real.md"}},
		{"to itself", []string{"a.md", "l -> l", "x -> y", "y -> x"}, []string{"a.md"}},
		{"to the root", []string{"a.md", "x/l -> ..", "m -> ."}, []string{"a.md"}},
		{"to nowhere", []string{"a.md", "l -> none"}, []string{"a.md"}},
		{"out of the root", []string{"a.md", "l -> ../outside.md", "m -> /etc", "x/n -> ../../dir"}, []string{"a.md"}},
		{"out of the root in two steps", []string{"a.md", ".h/out -> ../..", "l -> .h/out"}, []string{"a.md"}},
		{"absolute, to what is ignored", []string{".gitignore=/gen/\n", "gen/a.md", "gen/b.md", "l -> ROOT/gen", "m.md -> ROOT/gen/b.md"}, []string{"l/a.md", "l/b.md"}},
		{"to what is hidden", []string{".h/docs/a.md", ".h/docs/x/b.md", "docs -> .h/docs", "c.md -> .h/c.md", ".h/c.md"}, []string{"c.md", "docs/a.md", "docs/x/b.md"}},
		{"twice to what is hidden", []string{".h/docs/x/b.md", "a -> .h/docs/x", "b -> .h/docs", "c.md -> .h/docs/x/b.md"}, []string{"a/b.md"}},
		{"loop in what is hidden", []string{".h/a.md", ".h/loop -> .", "l -> .h"}, []string{"l/a.md"}},
		{"ignored link", []string{".gitignore=l\n", ".h/a.md", "l -> .h"}, nil},
		{"link to an ignored folder", []string{".gitignore=/gen/\n", "gen/a.md", "l -> gen"}, []string{"l/a.md"}},
		{"chain", []string{".h/a.md", "x -> y", "y -> .h"}, []string{"x/a.md"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := folder(t, test.files...)
			outside := filepath.Dir(s.Root)
			put(t, corpus.Source{Root: outside}, "outside.md=secret", "dir/secret.md=secret")
			got := scan(t, s)
			if diff := cmp.Diff(test.want, paths(got)); diff != "" {
				t.Errorf("paths differ (-want +got):\n%s", diff)
			}
			if len(got.Coverage.Holes) > 0 || got.Unavailable != "" {
				t.Errorf("holes %q, unavailable %q", got.Coverage.Holes, got.Unavailable)
			}
			for _, p := range test.want {
				if _, _, err := New().Read(t.Context(), s, p); err != nil {
					t.Error(err)
				}
				if reason, err := New().Ignored(t.Context(), s, p); reason != "" || err != nil {
					t.Errorf("%s is listed, and ignored as %q, %v", p, reason, err)
				}
			}
		})
	}
}

func TestIgnoredLinks(t *testing.T) {
	s := folder(t, "real/a.md", "twin -> real", "out -> /etc", "none -> x", "me -> .")
	for path, want := range map[string]string{
		"twin": "a link to real", "twin/a.md": "a link to real", "out": "leads out", "out/passwd": "leads out", "none": "leads nowhere", "me": "source itself",
	} {
		if got, err := New().Ignored(t.Context(), s, path); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
}

// No path leads out of a source, whatever names it.
func TestNothingLeadsOut(t *testing.T) {
	s := folder(t, "a.md=inside", "x/up -> ../..", "abs -> /", "file -> ../secret.md", "in -> a.md")
	put(t, corpus.Source{Root: filepath.Dir(s.Root)}, "secret.md=secret")
	f := New()
	for _, path := range []string{
		"../secret.md", "x/../../secret.md", "/etc/passwd", "", ".", "..", "x/up/secret.md", "abs/etc/passwd", "file", "a.md/", "./a.md", "a.md\x00", "x//a",
	} {
		if data, _, err := f.Read(t.Context(), s, path); err == nil {
			t.Errorf("read %q: %q", path, data)
		}
		if _, _, err := f.Hash(t.Context(), s, path); err == nil {
			t.Errorf("hashed %q", path)
		}
		if file, err := f.Open(s, path); err == nil {
			file.Close()
			t.Errorf("opened %q", path)
		}
		if name, err := f.Path(s, path); err == nil {
			t.Errorf("the path of %q is %s", path, name)
		}
		if there, _ := f.Exists(t.Context(), s, path); there {
			t.Errorf("%q exists", path)
		}
	}
	if data, _, err := f.Read(t.Context(), s, "in"); string(data) != "inside" || err != nil {
		t.Errorf("a link inside: %q, %v", data, err)
	}
}

// A folder that becomes a link between scan and read is not followed out. What
// was in it is gone, as the next walk says too: else it could never be removed.
func TestFolderExchangedForLink(t *testing.T) {
	for name, target := range map[string]string{
		"out of the root":          "../dir",
		"out of the root, to none": "../none",
		"nowhere":                  "none",
		"to a file":                "other.md",
		"to a file, absolutely":    "ROOT/other.md",
		"to itself":                "x",
	} {
		t.Run(name, func(t *testing.T) {
			s := folder(t, "x/secret.md=inside", "other.md")
			put(t, corpus.Source{Root: filepath.Dir(s.Root)}, "dir/secret.md=secret")
			remove(t, s, "x")
			if err := os.Symlink(strings.Replace(target, "ROOT", s.Root, 1), filepath.Join(s.Root, "x")); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"other.md"}, paths(scan(t, s))); diff != "" {
				t.Errorf("paths differ (-want +got):\n%s", diff)
			}
			if data, _, err := New().Read(t.Context(), s, "x/secret.md"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("read %q, %v", data, err)
			}
			if there, err := New().Exists(t.Context(), s, "x/secret.md"); there || err != nil {
				t.Errorf("exists: %v, %v", there, err)
			}
		})
	}
}
