package watch

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"

	"ibid/backend/corpus"
	"ibid/backend/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a source with a folder of its own.
type tree struct {
	corpus.Source
	t *testing.T
}

func newTree(t *testing.T) *tree {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "root")
	tr := &tree{corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceFolder, Name: "tree", Root: root}, t}
	tr.mkdir("")
	return tr
}

func (tr *tree) abs(path string) string { return filepath.Join(tr.Root, filepath.FromSlash(path)) }

func (tr *tree) ok(err error) {
	tr.t.Helper()
	if err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *tree) mkdir(path string) {
	tr.t.Helper()
	tr.ok(os.MkdirAll(tr.abs(path), 0o755))
}

func (tr *tree) write(path, text string) {
	tr.t.Helper()
	tr.mkdir(filepath.Dir(path))
	tr.ok(os.WriteFile(tr.abs(path), []byte(text), 0o644))
}

func (tr *tree) rename(from, to string) {
	tr.t.Helper()
	tr.ok(os.Rename(tr.abs(from), tr.abs(to)))
}

func (tr *tree) remove(path string) {
	tr.t.Helper()
	tr.ok(os.RemoveAll(tr.abs(path)))
}

// fake is a notifier under the test's control.
type fake struct {
	mu     sync.Mutex
	added  map[string]bool
	refuse func(folder string) error
	ev     chan fsnotify.Event
	errs   chan error
	done   chan struct{}
}

func newFake() *fake {
	return &fake{added: map[string]bool{}, ev: make(chan fsnotify.Event), errs: make(chan error), done: make(chan struct{})}
}

func (f *fake) Add(folder string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != nil {
		if err := f.refuse(folder); err != nil {
			return err
		}
	}
	if _, err := os.Stat(folder); err != nil {
		return err
	}
	f.added[folder] = true
	return nil
}

func (f *fake) Remove(folder string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.added[folder] {
		return fsnotify.ErrNonExistentWatch
	}
	delete(f.added, folder)
	return nil
}

func (f *fake) Close() error                  { close(f.done); return nil }
func (f *fake) events() <-chan fsnotify.Event { return f.ev }
func (f *fake) faults() <-chan error          { return f.errs }

// watches counts the folders that are watched.
func (f *fake) watches() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.added)
}

// watching starts a watcher of the trees and stops it at the end of the test.
func watching(t *testing.T, o Options, trees ...*tree) *Watcher {
	t.Helper()
	o.Files = source.New()
	if o.silent == nil {
		o.silent = func(string) (string, error) { return "", nil }
	}
	w := New(o)
	var sources []corpus.Source
	for _, tr := range trees {
		sources = append(sources, tr.Source)
	}
	w.Watch(sources)
	w.Start()
	t.Cleanup(w.Stop)
	return w
}

// batch waits for the next batch, at most for d.
func batch(t *testing.T, w *Watcher, d time.Duration) Batch {
	t.Helper()
	select {
	case b := <-w.Batches():
		return b
	case <-time.After(d):
		return nil
	case <-t.Context().Done():
		return nil
	}
}
