package source

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// folder makes a source of files. A name that ends in "/" is a folder, one
// with " -> " a link, and one with "=" has a content.
func folder(tb testing.TB, names ...string) corpus.Source {
	tb.Helper()
	root := filepath.Join(tb.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		tb.Fatal(err)
	}
	s := corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceFolder, Name: "test", Root: root, CreatedAt: time.Unix(1, 0)}
	put(tb, s, names...)
	return s
}

func put(tb testing.TB, s corpus.Source, names ...string) {
	tb.Helper()
	for _, name := range names {
		name, content, _ := strings.Cut(name, "=")
		name, target, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(s.Root, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case isLink:
			err = os.Symlink(strings.ReplaceAll(target, "ROOT", s.Root), path)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func remove(tb testing.TB, s corpus.Source, names ...string) {
	tb.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(s.Root, filepath.FromSlash(name))); err != nil {
			tb.Fatal(err)
		}
	}
}

func scan(tb testing.TB, s corpus.Source, places ...string) plan.Scan {
	tb.Helper()
	if len(places) == 0 {
		places = []string{""}
	}
	got, err := New().Scan(context.Background(), s, places)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// paths lists the entries, those with a problem followed by it.
func paths(s plan.Scan) []string {
	var list []string
	for _, e := range s.Entries {
		p := e.Path
		if e.Problem != plan.NoProblem {
			p += " " + string(e.Problem)
		}
		list = append(list, p)
	}
	return list
}
