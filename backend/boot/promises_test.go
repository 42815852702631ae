package boot

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// promised is a test that the page of promises names: a package's folder, and a
// function with names of parts after slashes.
var promised = regexp.MustCompile("^`([^`]+)` (Test\\w+)((?:/\\w+)*)$")

// The page of promises stays true: each of its lines names tests, and they are
// there.
func TestPromisesAreHeld(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]names{}
	lines := 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| elsewhere ") {
			continue
		}
		lines++
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 || strings.TrimSpace(cells[0]) == "" || strings.TrimSpace(cells[1]) == "" {
			t.Errorf("not three cells: %s", line)
			continue
		}
		for name := range strings.SplitSeq(cells[2], ";") {
			m := promised.FindStringSubmatch(strings.TrimSpace(name))
			if m == nil {
				t.Errorf("%q names no test: %s", name, line)
				continue
			}
			in, ok := known[m[1]]
			if !ok {
				in = namesOf(t, filepath.Join(root, filepath.FromSlash(m[1])))
				if strings.HasPrefix(m[1], "backend/store/") { // runs the suite of all stores
					in.add(namesOf(t, filepath.Join(root, "backend", "store", "storetest")))
				}
				known[m[1]] = in
			}
			if !in[m[2]] {
				t.Errorf("%s has no test %s: %s", m[1], m[2], line)
			}
			for _, part := range strings.Split(m[3], "/")[1:] {
				if !in[strconv.Quote(part)] {
					t.Errorf("%s of %s has no part %s: %s", m[2], m[1], part, line)
				}
			}
		}
	}
	if lines < 50 {
		t.Errorf("the page has only %d lines", lines)
	}
}

// names are those of a package's test functions and, quoted, of the parts that
// they may have.
type names map[string]bool

func (n names) add(other names) {
	for name := range other {
		n[name] = true
	}
}

// namesOf reads a package. Parts are strings of its tests, of a suite's files,
// and the names of scripts.
func namesOf(t *testing.T, folder string) names {
	t.Helper()
	found := names{}
	scripts, err := filepath.Glob(filepath.Join(folder, "testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts {
		found[strconv.Quote(strings.TrimSuffix(filepath.Base(s), ".txtar"))] = true
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("no files in %s (%v)", folder, err)
	}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") && filepath.Base(folder) != "storetest" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				found[n.Name.Name] = true
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					found[n.Value] = true
				}
			}
			return true
		})
	}
	return found
}
