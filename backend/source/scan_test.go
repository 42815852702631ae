package source

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

func TestScanRules(t *testing.T) {
	tests := []struct {
		name             string
		files            []string
		include, exclude []string
		want             []string
	}{
		{name: "nothing"},
		{name: "folders by name", files: []string{"b/2.md", "b-1.md", "a.md", "b/c/3.md", "empty/"}, want: []string{"a.md", "b-1.md", "b/2.md", "b/c/3.md"}},
		{
			name: "ignored by default",
			files: []string{
				"a.md", ".hidden.md", ".git/config", "x/.obsidian/a.md", "node_modules/p/readme.md", "x/__pycache__/a.txt",
				"~$report.docx", ".~lock.a.odt#", "a.crdownload", "a.PART", "a.tmp", "a.md~", "#a.md#", "Thumbs.db", "desktop.ini", ".DS_Store", "lost+found/x",
			},
			want: []string{"a.md"},
		},
		{
			name:  "odd names",
			files: []string{"a b.md", "#1.md", "100%.md", "🎉 party.md", "第一章/文.md", "caf\u00e9.md", "cafe\u0301.md", "tab\tnew\nline.md", "-rf.md", "a'b\"c.md", "trailing .md ", "%2e%2e.md"},
			want:  []string{"#1.md", "%2e%2e.md", "-rf.md", "100%.md", "a b.md", "a'b\"c.md", "cafe\u0301.md", "caf\u00e9.md", "tab\tnew\nline.md", "trailing .md ", "第一章/文.md", "🎉 party.md"},
		},
		{name: "include by name", files: []string{"a.md", "b.txt", "x/c.md"}, include: []string{"*.md"}, want: []string{"a.md", "x/c.md"}},
		{name: "include a folder", files: []string{"a.md", "docs/b.txt", "docs/x/c.md"}, include: []string{"docs/"}, want: []string{"docs/b.txt", "docs/x/c.md"}},
		{name: "include a tree", files: []string{"a.md", "docs/b.txt", "docs/x/c.md"}, include: []string{"/docs/**/*.{md,rst}"}, want: []string{"docs/x/c.md"}},
		{name: "exclude by name", files: []string{"a.md", "x/a.md", "x/b.md"}, exclude: []string{"a.*"}, want: []string{"x/b.md"}},
		{name: "exclude from the root", files: []string{"old/a.md", "x/old/b.md"}, exclude: []string{"/old/"}, want: []string{"x/old/b.md"}},
		{name: "exclude beats include", files: []string{"a.md", "b.md"}, include: []string{"*.md"}, exclude: []string{"b*"}, want: []string{"a.md"}},
		{name: "hidden stays hidden when included", files: []string{".a.md"}, include: []string{"*.md"}},
		{
			name:  "ignore files",
			files: []string{".gitignore=*.log\n/build/\n", "a.log", "b.md", "build/x.md", "x/build/y.md", "x/.gitignore=!keep.log\n", "x/keep.log", "x/other.log"},
			want:  []string{"b.md", "x/build/y.md", "x/keep.log"},
		},
		{
			name:  "own ignore file takes back",
			files: []string{".gitignore=gen/\n*.csv\n", ".ibidignore=!gen/\n!.github/\ndraft*\n!*.tmp\n", "gen/a.md", "a.csv", ".github/b.md", "draft.md", "x.tmp", ".env"},
			want:  []string{".github/b.md", "gen/a.md", "x.tmp"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := folder(t, test.files...)
			s.Include, s.Exclude = test.include, test.exclude
			got := scan(t, s)
			if got.Unavailable != "" || len(got.Coverage.Holes) > 0 {
				t.Errorf("unavailable %q, holes %q", got.Unavailable, got.Coverage.Holes)
			}
			if diff := cmp.Diff(test.want, paths(got)); diff != "" {
				t.Errorf("paths differ (-want +got):\n%s", diff)
			}
			// What is not listed has a reason, what is listed has none.
			for _, name := range test.files {
				name, _, _ = strings.Cut(name, "=")
				if strings.HasSuffix(name, "/") {
					continue
				}
				reason, err := New().Ignored(t.Context(), s, name)
				isListed := strings.Contains("\x00"+strings.Join(paths(got), "\x00")+"\x00", "\x00"+name+"\x00")
				if err != nil || (reason == "") != isListed {
					t.Errorf("%q: reason %q, %v; listed %v", name, reason, err, isListed)
				}
			}
		})
	}
}

func TestIgnoredNamesTheRule(t *testing.T) {
	s := folder(t, "x/.gitignore=# comment\n*.log\n", "x/y/a.log", ".ibidignore=old/\n", "old/b.md", ".c.md", "d.md", "e.txt")
	s.Include, s.Exclude = []string{"*.md", "*.log"}, []string{"d*"}
	for path, want := range map[string]string{
		"x/y/a.log": "x/.gitignore:2: *.log",
		"old/b.md":  ".ibidignore:1: old/",
		".c.md":     "hidden",
		"d.md":      "excluded by **/d*",
		"e.txt":     "matches none of the globs to include",
	} {
		if got, err := New().Ignored(t.Context(), s, path); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
	if _, err := New().Ignored(t.Context(), s, "none.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := New().Ignored(t.Context(), s, "../x"); !errors.Is(err, corpus.ErrInvalid) {
		t.Errorf("a path out of the source: %v", err)
	}
}

func TestScanInvalidNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only here names are any bytes")
	}
	s := folder(t, "ok.md", "bad\xff.md", "dir\xfe/a.md")
	got := scan(t, s)
	want := []string{`bad\xff.md failed`, `dir\xfe failed`, "ok.md"}
	if diff := cmp.Diff(want, paths(got)); diff != "" {
		t.Errorf("paths differ (-want +got):\n%s", diff)
	}
}

func TestScanPlaces(t *testing.T) {
	s := folder(t, "a.md", "x/b.md", "x/y/c.md", "z/d.md", ".gitignore=*.log\n", "x/e.log", ".hidden/f.md", "link -> x", "z/shown -> ../.hidden", "z/twin -> ../x", "z/out -> /etc")
	tests := []struct {
		name   string
		places []string
		want   []string
		covers map[string]bool
	}{
		{"folder", []string{"x"}, []string{"x/b.md", "x/y/c.md"}, map[string]bool{"x/gone.md": true, "a.md": false}},
		{"file", []string{"x/b.md"}, []string{"x/b.md"}, map[string]bool{"x/b.md": true, "x/y/c.md": false}},
		{"inside each other", []string{"x/y", "x", "x/b.md"}, []string{"x/b.md", "x/y/c.md"}, nil},
		{"with the root", []string{"x", ""}, []string{"a.md", "x/b.md", "x/y/c.md", "z/d.md", "z/shown/f.md"}, map[string]bool{"gone.md": true}},
		{"gone", []string{"none", "x/none.md", "a.md/none"}, nil, map[string]bool{"none/a.md": true, "x/none.md": true, "a.md": false}},
		{"ignored", []string{"x/e.log", ".hidden"}, nil, map[string]bool{"x/e.log": true, ".hidden/f.md": true}},
		{"through a link", []string{"link/b.md"}, nil, map[string]bool{"link/b.md": false}},
		{"with links", []string{"z"}, []string{"z/d.md"}, map[string]bool{"z/shown/f.md": false, "z/twin/b.md": true, "z/out/passwd": true}},
		{"a link", []string{"z/shown", "link"}, nil, map[string]bool{"z/shown/f.md": false, "link/b.md": true}},
		{"none", nil, nil, map[string]bool{"a.md": false}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := New().Scan(t.Context(), s, test.places)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, paths(got)); diff != "" {
				t.Errorf("paths differ (-want +got):\n%s", diff)
			}
			for path, want := range test.covers {
				if covered, _ := got.Coverage.Covers(path); covered != want {
					t.Errorf("covers %s: %v, want %v", path, covered, want)
				}
			}
		})
	}
	for _, place := range []string{"/x", "../x", "x/", "x//y", "."} {
		if _, err := New().Scan(t.Context(), s, []string{place}); !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("place %q: %v", place, err)
		}
	}
}

func TestScanEntries(t *testing.T) {
	s := folder(t, "a.md=hello")
	if err := os.Truncate(filepath.Join(s.Root, "a.md"), 0); err != nil {
		t.Fatal(err)
	}
	put(t, s, "b.md=hello")
	big := filepath.Join(s.Root, "big.log")
	put(t, s, "big.log")
	if err := os.Truncate(big, MaxFile+1); err != nil {
		t.Fatal(err)
	}
	got := scan(t, s)
	if diff := cmp.Diff([]string{"a.md", "b.md", "big.log failed"}, paths(got)); diff != "" {
		t.Fatalf("paths differ (-want +got):\n%s", diff)
	}
	for _, e := range got.Entries[:2] {
		_, fp, err := New().Read(t.Context(), s, e.Path)
		fp.HashedAt = 0
		if err != nil || fp != e.Fingerprint {
			t.Errorf("%s was seen with %+v and read with %+v, %v", e.Path, e.Fingerprint, fp, err)
		}
	}
	if !strings.Contains(got.Entries[2].Detail, "256 MiB") {
		t.Errorf("detail %q does not name the limit", got.Entries[2].Detail)
	}
}

func TestScanCancelled(t *testing.T) {
	s := folder(t, "a.md", "x/b.md")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, places := range [][]string{{""}, {"x"}} {
		got, err := New().Scan(ctx, s, places)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("places %q: %v", places, err)
		}
		if covered, _ := got.Coverage.Covers("gone.md"); covered || len(got.Entries) > 0 {
			t.Errorf("a cancelled scan covers something: %+v", got)
		}
	}
}

func TestScanOtherKinds(t *testing.T) {
	s := folder(t, "a.md", ".hidden.txt=x")
	file := corpus.Source{Kind: corpus.SourceFile, Root: filepath.Join(s.Root, ".hidden.txt")}
	if diff := cmp.Diff([]string{".hidden.txt"}, paths(scan(t, file))); diff != "" {
		t.Errorf("a file that the person named (-want +got):\n%s", diff)
	}
	if data, _, err := New().Read(t.Context(), file, ".hidden.txt"); string(data) != "x" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
	remove(t, s, ".hidden.txt")
	if got := scan(t, file); got.Unavailable == "" {
		t.Error("a missing file source is available")
	}
	if _, err := New().Exists(t.Context(), file, ".hidden.txt"); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("whether a missing root's file exists: %v", err)
	}
	inline := scan(t, corpus.Source{Kind: corpus.SourceInline})
	if covered, _ := inline.Coverage.Covers("x"); covered || inline.Unavailable != "" {
		t.Errorf("a scan of inline documents says something: %+v", inline)
	}
}

func TestScanCaseFolding(t *testing.T) {
	s := folder(t, "Docs/Read Me.md", ".gitignore=*.LOG\n", "Docs/x.log")
	s.FoldCase = true
	got := scan(t, s, "docs/READ me.md")
	if diff := cmp.Diff([]string{"Docs/Read Me.md"}, paths(got)); diff != "" {
		t.Errorf("paths are not as listed (-want +got):\n%s", diff)
	}
	if got.Key == nil || got.Key("Docs/Read Me.md") != got.Key("docs/READ me.md") {
		t.Error("keys are not folded")
	}
	if reason, err := New().Ignored(t.Context(), s, "Docs/x.log"); reason == "" || err != nil {
		t.Errorf("ignore files do not fold case: %q, %v", reason, err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if got := scan(t, s); got.Source.FoldCase || got.Key != nil {
		t.Error("a case-sensitive root folds")
	}
	put(t, s, "DOCS/other.md")
	s.FoldCase = false
	if diff := cmp.Diff([]string{"DOCS/other.md", "Docs/Read Me.md", "Docs/x.log"}, paths(scan(t, s))); diff != "" {
		t.Errorf("names that differ in case (-want +got):\n%s", diff)
	}
}

func TestProbeAndCheck(t *testing.T) {
	s := folder(t, "a.md", "empty/")
	for path, want := range map[string]corpus.SourceKind{"": corpus.SourceFolder, "/a.md": corpus.SourceFile, "/empty/": corpus.SourceFolder} {
		kind, root, err := New().Probe(s.Root + path)
		if kind != want || root != filepath.Clean(s.Root+path) || err != nil {
			t.Errorf("%q: %s, %s, %v", path, kind, root, err)
		}
	}
	if _, _, err := New().Probe(s.Root + "/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, _, err := New().Probe("relative"); !errors.Is(err, corpus.ErrInvalid) {
		t.Errorf("relative: %v", err)
	}
	for _, glob := range []string{"[", "a{b", "", "/"} {
		s.Exclude = []string{glob}
		if err := New().Check(s); !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("glob %q: %v", glob, err)
		}
		if _, err := New().Scan(t.Context(), s, []string{""}); !errors.Is(err, corpus.ErrInvalid) {
			t.Errorf("scan with glob %q: %v", glob, err)
		}
	}
}

func TestOverlap(t *testing.T) {
	outer := folder(t, ".gitignore=data/\n", "a.md", "sub/b.md", "sub/x.txt", "data/c.md")
	outer.Name, outer.Exclude = "outer", []string{"*.txt"}
	source := func(path string, kind corpus.SourceKind, second int64) corpus.Source {
		return corpus.Source{ID: corpus.NewID(), Name: path, Kind: kind, Root: filepath.Join(outer.Root, path), CreatedAt: time.Unix(second, 0)}
	}
	sub, data := source("sub", corpus.SourceFolder, 2), source("data", corpus.SourceFolder, 3)
	one, outer2 := source("a.md", corpus.SourceFile, 0), outer
	outer2.ID, outer2.Name, outer2.Exclude, outer2.CreatedAt = corpus.NewID(), "again", nil, time.Unix(9, 0)
	all := []corpus.Source{outer2, data, outer, one, sub}
	files := &Files{Sources: func(context.Context) ([]corpus.Source, error) { return all, nil }}
	for _, test := range []struct {
		source corpus.Source
		want   []string
	}{
		{one, []string{"a.md"}},
		{outer, []string{"sub/b.md"}}, // a.md was added before
		{sub, []string{"x.txt"}},      // which outer excludes
		{data, []string{"c.md"}},      // which outer's .gitignore ignores
		{outer2, nil},
	} {
		got, err := files.Scan(t.Context(), test.source, []string{""})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, paths(got)); diff != "" {
			t.Errorf("source %s (-want +got):\n%s", test.source.Name, diff)
		}
		if got.Empty {
			t.Errorf("source %s is taken for empty", test.source.Name)
		}
	}
	reason, err := files.Ignored(t.Context(), outer, "a.md")
	if err != nil || !strings.Contains(reason, "source a.md") {
		t.Errorf("reason %q, %v", reason, err)
	}
	broken := errors.New("no ledger")
	files.Sources = func(context.Context) ([]corpus.Source, error) { return nil, broken }
	if _, err := files.Scan(t.Context(), sub, []string{""}); !errors.Is(err, broken) {
		t.Errorf("without the list of sources: %v", err)
	}
}

// One file that is scanned again must not have changed its entry.
func TestScanIsStable(t *testing.T) {
	s := folder(t, "a.md=1", "x/b.md=2", "l -> .h/c.md", ".h/c.md=3")
	first := scan(t, s)
	s.Mark, s.FoldCase = first.Source.Mark, first.Source.FoldCase
	second := scan(t, s)

	if diff := cmp.Diff(first.Entries, second.Entries); diff != "" {
		t.Errorf("entries differ (-first +second):\n%s", diff)
	}
	if first.Source.Mark != second.Source.Mark {
		t.Errorf("marks differ: %s, %s", first.Source.Mark, second.Source.Mark)
	}
}
