package cli

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// wild is a folder on disk that is changed at random, as people, editors and
// version control change theirs.
type wild struct {
	t    *testing.T
	root string
	rng  *rand.Rand
	n    int // of the last text written
	log  []string
}

// folders and names that go wrong elsewhere: spaces, signs, composed and
// decomposed accents, names that differ in case only, emoji.
var (
	wildFolders = []string{"", "notes", "notes/old", "a b#1", "100%", "Ünï", "notes/deep/er"}
	wildNames   = []string{
		"plan.md", "Plan.md", "read me.txt", "caf\u00e9.md", "cafe\u0301.md", "50%.csv", "#hash.md",
		"\U0001F600.md", "data.json", "page.html", "code.go", "x.yaml", "list.txt", "letter.eml",
	}
)

func (w *wild) pick(names []string) string { return names[w.rng.IntN(len(names))] }

func (w *wild) path() string {
	return filepath.Join(w.root, filepath.FromSlash(w.pick(wildFolders)), w.pick(wildNames))
}

// pathLike is a path of the same type: what is read as another type may fail,
// and a document that failed keeps its old passages, which a fresh build lacks.
func (w *wild) pathLike(file string) string {
	var names []string
	for _, n := range append(slices.Clone(wildNames), filepath.Base(file)) {
		if filepath.Ext(n) == filepath.Ext(file) {
			names = append(names, n)
		}
	}
	return filepath.Join(w.root, filepath.FromSlash(w.pick(wildFolders)), w.pick(names))
}

// files lists what is there.
func (w *wild) files() (paths []string) {
	err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return paths
}

// file picks one that is there; "": there is none.
func (w *wild) file() string {
	files := w.files()
	if len(files) == 0 {
		return ""
	}
	return w.pick(files)
}

func (w *wild) paragraph() string {
	w.n++
	var b strings.Builder
	fmt.Fprintf(&b, "Entry %d:", w.n)
	for range 10 + w.rng.IntN(50) {
		fmt.Fprintf(&b, " word%d", w.rng.IntN(300))
	}
	return b.String() + "."
}

// text makes a document of a name's type.
func (w *wild) text(name string) string {
	var paragraphs []string
	for range 1 + w.rng.IntN(12) {
		paragraphs = append(paragraphs, w.paragraph())
	}
	all := strings.Join(paragraphs, "\n\n")
	switch filepath.Ext(name) {
	case ".md":
		return "# Title " + paragraphs[0][:8] + "\n\n" + strings.Join(paragraphs, "\n\n## Part\n\n") + "\n"
	case ".html":
		return "<!doctype html><title>Page</title><h1>Page</h1><p>" + strings.Join(paragraphs, "</p><p>") + "</p>"
	case ".json":
		return `{"entries": ["` + strings.Join(paragraphs, `", "`) + `"]}`
	case ".yaml":
		return "entries:\n  - \"" + strings.Join(paragraphs, "\"\n  - \"") + "\"\n"
	case ".csv":
		return "name,text\nrow," + strings.Join(paragraphs, "\nrow,") + "\n"
	case ".go":
		return "package x\n\n// F does it: " + strings.Join(paragraphs, "\n// ") + "\nfunc F() {}\n"
	case ".eml":
		return "From: a@example.org\nTo: b@example.org\nSubject: Letter\nContent-Type: text/plain; charset=utf-8\n\n" + all + "\n"
	}
	return all + "\n"
}

func (w *wild) must(errs ...error) {
	w.t.Helper()
	for _, err := range errs {
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *wild) write(path, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o700))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return
	}
	w.must(os.WriteFile(path, []byte(text), 0o600))
}

// edits are what can happen to a folder; each tells what it did.
var edits = []struct {
	weight int
	do     func(w *wild) string
}{
	{6, func(w *wild) string { // a new or replaced file
		p := w.path()
		w.write(p, w.text(p))
		return "write " + p
	}},
	{6, func(w *wild) string { // a paragraph inserted somewhere
		p := w.file()
		if p == "" {
			return ""
		}
		data, err := os.ReadFile(p)
		w.must(err)
		lines := strings.Split(string(data), "\n")
		at := w.rng.IntN(len(lines) + 1)
		if filepath.Ext(p) == ".eml" {
			at = len(lines) // not into its header
		}
		w.write(p, strings.Join(slices.Insert(lines, at, "", w.paragraph(), ""), "\n"))
		return fmt.Sprintf("insert into %s at line %d", p, at)
	}},
	{2, func(w *wild) string { // another text of the same size and time
		p := w.file()
		if p == "" {
			return ""
		}
		info, err := os.Stat(p)
		w.must(err)
		data, err := os.ReadFile(p)
		w.must(err)
		swapped := strings.NewReplacer("word1", "word2", "word2", "word1").Replace(string(data))
		w.write(p, swapped)
		w.must(os.Chtimes(p, info.ModTime(), info.ModTime()))
		return "rewrite at the same size and time " + p
	}},
	{1, func(w *wild) string { // emptied
		p := w.file()
		if p == "" {
			return ""
		}
		if filepath.Ext(p) == ".eml" {
			return "" // no letter any more
		}
		w.write(p, "")
		return "empty " + p
	}},
	{3, func(w *wild) string {
		p := w.file()
		if p == "" {
			return ""
		}
		w.must(os.Remove(p))
		return "remove " + p
	}},
	{1, func(w *wild) string {
		dir := w.pick(wildFolders[1:])
		w.must(os.RemoveAll(filepath.Join(w.root, dir)))
		return "remove folder " + dir
	}},
	{4, func(w *wild) string { // moved, perhaps over another
		from := w.file()
		if from == "" {
			return ""
		}
		to := w.pathLike(from)
		if info, err := os.Stat(to); err == nil && info.IsDir() {
			return ""
		}
		w.must(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(from, to))
		return "move " + from + " to " + to
	}},
	{2, func(w *wild) string { // two files change places
		a, b := w.file(), w.file()
		if a == "" || a == b || filepath.Ext(a) != filepath.Ext(b) {
			return ""
		}
		aside := filepath.Join(w.root, ".aside")
		w.must(os.Rename(a, aside), os.Rename(b, a), os.Rename(aside, b))
		return "swap " + a + " and " + b
	}},
	{2, func(w *wild) string { // a folder moved
		from, to := filepath.Join(w.root, w.pick(wildFolders[1:])), filepath.Join(w.root, fmt.Sprint("moved", w.rng.IntN(3)))
		if _, err := os.Stat(from); err != nil {
			return ""
		}
		w.must(os.RemoveAll(to), os.Rename(from, to))
		return "move folder " + from + " to " + to
	}},
	{2, func(w *wild) string { // the same text twice
		from := w.file()
		if from == "" {
			return ""
		}
		to := w.pathLike(from)
		if from == to {
			return ""
		}
		data, err := os.ReadFile(from)
		w.must(err)
		w.write(to, string(data))
		return "copy " + from + " to " + to
	}},
	{2, func(w *wild) string { // clocks jump
		at := time.Now().Add(time.Duration(w.rng.IntN(2000)-1000) * time.Hour)
		for _, p := range w.files() {
			w.must(os.Chtimes(p, at, at))
		}
		return "touch everything"
	}},
	{1, func(w *wild) string { // links: to a file, to a folder, in a circle
		link := filepath.Join(w.root, fmt.Sprint("link", w.rng.IntN(3)))
		target := w.root
		if p := w.file(); p != "" && w.rng.IntN(3) > 0 {
			target = p
			if w.rng.IntN(2) == 0 {
				target = filepath.Dir(p)
			}
		}
		w.must(os.RemoveAll(link))
		if err := os.Symlink(target, link); err != nil {
			return "" // not allowed here
		}
		return "link " + link + " to " + target
	}},
	{1, func(w *wild) string { // ignored from now on, and again not
		rules := filepath.Join(w.root, ".ibidignore")
		if os.Remove(rules) == nil {
			return "ignore nothing"
		}
		glob := w.pick([]string{"*.txt", "notes/", "Plan.md", "*.csv\n!50%.csv"})
		w.must(os.WriteFile(rules, []byte(glob+"\n"), 0o600))
		return "ignore " + glob
	}},
	{1, func(w *wild) string { // what nobody can read
		p := filepath.Join(w.root, "photo.jpg")
		w.write(p, "\xff\xd8\xff\xe0\x00\x10JFIF\x00")
		return "write " + p
	}},
}

// edit changes the folder a few times.
func (w *wild) edit(times int) {
	w.t.Helper()
	total := 0
	for _, e := range edits {
		total += e.weight
	}
	for range times {
		at := w.rng.IntN(total)
		for _, e := range edits {
			if at -= e.weight; at < 0 {
				if said := e.do(w); said != "" {
					w.log = append(w.log, said)
				}
				break
			}
		}
	}
}

// newWild makes a folder with some documents.
func newWild(t *testing.T, rng *rand.Rand) *wild {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("names and kills are those of Unix")
	}
	w := &wild{t: t, root: filepath.Join(t.TempDir(), "wild"), rng: rng}
	w.must(os.MkdirAll(w.root, 0o700))
	for range 5 + rng.IntN(20) {
		p := w.path()
		w.write(p, w.text(p))
	}
	return w
}
