package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// many makes names enough for a sample.
func many(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("x%d/%d.md", i%3, i)
	}
	return names
}

// marked scans and keeps what was found, as a run does.
func marked(t *testing.T, s corpus.Source) corpus.Source {
	t.Helper()
	got := scan(t, s)
	if got.Unavailable != "" || got.Source.Mark == "" {
		t.Fatalf("unavailable %q, mark %q", got.Unavailable, got.Source.Mark)
	}
	return got.Source
}

// elsewhere moves a root away and makes a new one in its place.
func elsewhere(t *testing.T, s corpus.Source, names ...string) {
	t.Helper()
	if err := os.Rename(s.Root, s.Root+"-away"); err != nil {
		t.Fatal(err)
	}
	put(t, s, append(names, "./")...)
}

func TestRootMissing(t *testing.T) {
	s := marked(t, folder(t, many(9)...))
	if err := os.Rename(s.Root, s.Root+"-away"); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"", "x1", "x1/1.md"} {
		got := scan(t, s, place)
		if got.Unavailable == "" || len(got.Entries) > 0 || got.Source.Mark != s.Mark {
			t.Errorf("place %q: unavailable %q, entries %q, mark %q", place, got.Unavailable, paths(got), got.Source.Mark)
		}
	}
	if err := os.Rename(s.Root+"-away", s.Root); err != nil {
		t.Fatal(err)
	}
	if got := scan(t, s); got.Unavailable != "" || got.Source.Mark != s.Mark {
		t.Errorf("back again: unavailable %q, mark %q instead of %q", got.Unavailable, got.Source.Mark, s.Mark)
	}
}

func TestRootBecameFile(t *testing.T) {
	s := marked(t, folder(t, "a.md"))
	remove(t, s, "")
	if err := os.WriteFile(s.Root, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := scan(t, s); got.Unavailable == "" {
		t.Error("a file instead of the folder is available")
	}
}

func TestRootEmpty(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		empty bool
	}{
		{"nothing", nil, true},
		{"folders", []string{"a/b/", "c/"}, true},
		{"what systems leave behind", []string{".DS_Store", "lost+found/", ".hidden/x.md", "Thumbs.db"}, true},
		{"an ignored file", []string{".gitignore=*\n", "a.md"}, false},
		{"a document", []string{"a.md"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := folder(t, test.files...)
			if got := scan(t, s); got.Empty != test.empty {
				t.Errorf("empty is %v", got.Empty)
			}
			if got := scan(t, s, "none"); got.Empty {
				t.Error("a place says that the root is empty")
			}
		})
	}
}

func TestRootExchanged(t *testing.T) {
	names := many(40)
	t.Run("by another folder", func(t *testing.T) {
		s := marked(t, folder(t, names...))
		elsewhere(t, s, "other/a.md", "other/b.md", names[0], names[1])
		for _, place := range []string{"", names[5]} {
			got := scan(t, s, place)
			if got.Unavailable == "" || len(got.Entries) > 0 || got.Source.Mark != s.Mark {
				t.Errorf("place %q: unavailable %q, entries %q", place, got.Unavailable, paths(got))
			}
		}
		s.Mark = "" // the person says that it is right
		if got := scan(t, s); got.Unavailable != "" || len(got.Entries) != 4 {
			t.Errorf("without a mark: %q, %q", got.Unavailable, paths(got))
		}
	})
	t.Run("by a copy", func(t *testing.T) {
		s := marked(t, folder(t, names...))
		elsewhere(t, s, append(names[5:], "new.md")...)
		got := scan(t, s)
		if got.Unavailable != "" || len(got.Entries) != 36 {
			t.Errorf("unavailable %q, %d entries", got.Unavailable, len(got.Entries))
		}
		if s.Mark == got.Source.Mark {
			t.Error("the mark is still that of the old folder")
		}
		if got := scan(t, got.Source, "x1"); got.Unavailable != "" {
			t.Errorf("a place after the mark was renewed: %q", got.Unavailable)
		}
	})
	t.Run("before it held anything", func(t *testing.T) {
		s := marked(t, folder(t))
		elsewhere(t, s, "a.md")
		if got := scan(t, s); got.Unavailable != "" {
			t.Errorf("unavailable: %s", got.Unavailable)
		}
	})
}

func TestVolumeUnmountedInside(t *testing.T) {
	s := folder(t, "a.md", "usb/", "disk/b.md", "old/c.md", "none/")
	m := parseMark(scan(t, s).Source.Mark)
	m.mounts = []string{"disk", "gone, or so", "usb"}
	s.Mark = m.String()
	want := map[string]string{"usb": "the volume that was mounted here is not", "gone, or so": "the volume that was mounted here is not"}
	got := scan(t, s)
	if diff := cmp.Diff(want, got.Coverage.Holes); diff != "" {
		t.Errorf("holes differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gone, or so", "usb"}, parseMark(got.Source.Mark).mounts); diff != "" {
		t.Errorf("mounts remembered (-want +got):\n%s", diff)
	}
	if got := scan(t, s, "usb/x.md"); got.Unavailable != "" {
		t.Errorf("unavailable: %s", got.Unavailable)
	} else if covered, _ := got.Coverage.Covers("usb/x.md"); covered {
		t.Error("a place below the missing volume is covered")
	}
	s.Exclude = []string{"usb", "gone*"}
	if got := scan(t, s); len(got.Coverage.Holes) > 0 {
		t.Errorf("excluded folders are holes: %q", got.Coverage.Holes)
	}
}

func TestMarkCodec(t *testing.T) {
	m := mark{root: identity{0x801, 42}, mounts: []string{"a b", "c,d", "e/f [g]", "100%"}}
	for _, name := range many(100) {
		m.add(name)
		m.add(name)
	}
	if len(m.sample) != sampleSize {
		t.Errorf("sample of %d", len(m.sample))
	}
	if diff := cmp.Diff(m, parseMark(m.String()), cmp.AllowUnexported(mark{}, identity{})); diff != "" {
		t.Errorf("the mark changed on its way (-want +got):\n%s", diff)
	}
	for _, s := range []string{"", "42:7", "x:y [] []", "1:2 [zz] [%zz]", " ", "1:2 3"} {
		if got := parseMark(s); len(got.sample)+len(got.mounts) > 0 {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

func TestIgnoreFileIsSomethingElse(t *testing.T) {
	s := folder(t, "x/.gitignore/", "x/a.md", "y/.gitignore -> none", "y/b.md")
	got := scan(t, s)
	if diff := cmp.Diff([]string{"x/a.md", "y/b.md"}, paths(got)); diff != "" || len(got.Coverage.Holes) > 0 {
		t.Errorf("holes %q, paths (-want +got):\n%s", got.Coverage.Holes, diff)
	}
}

func TestSourceBelowFile(t *testing.T) {
	s := folder(t, "a.md")
	s.Root = filepath.Join(s.Root, "a.md")
	if got := scan(t, s); !strings.Contains(got.Unavailable, "not a directory") && got.Unavailable == "" {
		t.Errorf("unavailable %q", got.Unavailable)
	}
}
