package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"ibid/backend/corpus"
)

// expect takes the next batch and compares its only hint, written as
// "place place (cause)"; "" means that nothing comes within d.
func expect(t *testing.T, w *Watcher, d time.Duration, want string) {
	t.Helper()
	got := ""
	if b := batch(t, w, d); len(b) == 1 {
		_, got, _ = strings.Cut(told(b)[0], ":")
	} else if len(b) > 1 {
		got = fmt.Sprint(told(b))
	}
	if got != want {
		t.Fatalf("hint %q, want %q", got, want)
	}
}

// mode checks the only source's mode and what its reason says.
func mode(t *testing.T, w *Watcher, want Mode, part string) {
	t.Helper()
	s := w.States()
	if len(s) != 1 || s[0].Mode != want || !strings.Contains(s[0].Reason, part) {
		t.Fatalf("states %+v, want %s because of %q", s, want, part)
	}
}

// faked runs a test in a bubble of its own time, over a fake notifier.
func faked(t *testing.T, o Options, test func(t *testing.T, w *Watcher, f *fake, tr *tree)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f, tr := newFake(), newTree(t)
		o.open = func() (notifier, error) { return f, nil }
		w := watching(t, o, tr)
		expect(t, w, time.Second, "* (started)")
		test(t, w, f, tr)
		w.Stop()
		select {
		case <-f.done:
		default:
			t.Error("the notifier was not closed")
		}
	})
}

func TestEventsBecomeHints(t *testing.T) {
	faked(t, Options{}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		mode(t, w, Watching, "")
		f.ev <- fsnotify.Event{Name: tr.abs("a.md"), Op: fsnotify.Write}
		began := time.Now()
		expect(t, w, time.Second, "a.md (changed)")
		if took := time.Since(began); took != 150*time.Millisecond {
			t.Errorf("told after %v", took)
		}
		for _, ignored := range []string{".git", "node_modules", "~$a.docx", ".a.md.swp", "x.tmp"} {
			f.ev <- fsnotify.Event{Name: tr.abs(ignored), Op: fsnotify.Create}
		}
		f.ev <- fsnotify.Event{Name: filepath.Join(tr.Root, "..", "elsewhere"), Op: fsnotify.Write}
		expect(t, w, time.Minute, "")
		f.ev <- fsnotify.Event{Name: tr.abs("old.md"), Op: fsnotify.Rename}
		f.ev <- fsnotify.Event{Name: tr.abs("new.md"), Op: fsnotify.Create}
		expect(t, w, time.Second, "new.md old.md (changed)")
	})
}

func TestHintsGatherWhileNobodyListens(t *testing.T) {
	faked(t, Options{}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		f.ev <- fsnotify.Event{Name: tr.abs("first.md"), Op: fsnotify.Write}
		<-time.After(time.Minute)
		for i := range 1000 {
			f.ev <- fsnotify.Event{Name: tr.abs(fmt.Sprintf("%d.md", i)), Op: fsnotify.Write}
		}
		<-time.After(time.Minute)
		expect(t, w, time.Second, "first.md (changed)")
		expect(t, w, time.Second, "* (many)")
		expect(t, w, time.Minute, "")
	})
}

func TestNewFoldersAreWatched(t *testing.T) {
	faked(t, Options{}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		tr.mkdir("a/b/c")
		tr.mkdir("a/node_modules/d")
		f.ev <- fsnotify.Event{Name: tr.abs("a"), Op: fsnotify.Create}
		expect(t, w, time.Second, "a (changed)")
		if f.watches() != 4 || w.States()[0].Folders != 4 { // root, a, a/b, a/b/c
			t.Errorf("%v are watched, %d by the state", f.added, w.States()[0].Folders)
		}
		f.ev <- fsnotify.Event{Name: tr.abs("a/b/c/x.md"), Op: fsnotify.Create}
		expect(t, w, time.Second, "a/b/c/x.md (changed)")

		tr.rename("a/b", "z")
		f.ev <- fsnotify.Event{Name: tr.abs("a/b"), Op: fsnotify.Rename}
		f.ev <- fsnotify.Event{Name: tr.abs("z"), Op: fsnotify.Create}
		expect(t, w, time.Second, "a/b z (changed)")
		if f.watches() != 4 || !f.added[tr.abs("z/c")] || f.added[tr.abs("a/b/c")] {
			t.Errorf("after a renaming %v are watched", f.added)
		}
		tr.remove("z")
		f.ev <- fsnotify.Event{Name: tr.abs("z"), Op: fsnotify.Remove}
		expect(t, w, time.Second, "z (changed)")
		if f.watches() != 2 {
			t.Errorf("after a removal %v are watched", f.added)
		}
	})
}

func TestAnIgnoreFileStandsForItsFolder(t *testing.T) {
	faked(t, Options{}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		tr.write("a/out/x.md", "x")
		tr.write("a/.gitignore", "out\n")
		f.ev <- fsnotify.Event{Name: tr.abs("a"), Op: fsnotify.Create}
		expect(t, w, time.Second, "a (changed)")
		f.ev <- fsnotify.Event{Name: tr.abs("a/out"), Op: fsnotify.Create}
		expect(t, w, time.Second, "")
		tr.remove("a/.gitignore")
		f.ev <- fsnotify.Event{Name: tr.abs("a/.gitignore"), Op: fsnotify.Remove}
		expect(t, w, time.Second, "a (changed)")
		if !f.added[tr.abs("a/out")] {
			t.Error("a folder that is not ignored any more is not watched")
		}
	})
}

func TestOverflowAsksForAll(t *testing.T) {
	faked(t, Options{}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		tr.mkdir("a/b") // nobody tells of it
		f.ev <- fsnotify.Event{Name: tr.abs("x.md"), Op: fsnotify.Write}
		f.errs <- fsnotify.ErrEventOverflow
		expect(t, w, time.Second, "* (overflow)")
		if f.watches() != 3 {
			t.Errorf("after lost events %v are watched", f.added)
		}
		f.errs <- errors.New("odd")
		expect(t, w, time.Second, "")
	})
}

func TestSweep(t *testing.T) {
	faked(t, Options{Sweep: 10 * time.Minute}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		tr.mkdir("a") // nobody tells of it
		expect(t, w, 9*time.Minute, "")
		expect(t, w, 2*time.Minute, "* (sweep)")
		if f.watches() != 2 {
			t.Errorf("after a sweep %v are watched", f.added)
		}
		expect(t, w, 11*time.Minute, "* (sweep)")
	})
}

func TestTheRootGoesAndComesBack(t *testing.T) {
	faked(t, Options{}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		tr.mkdir("a")
		f.ev <- fsnotify.Event{Name: tr.abs("a"), Op: fsnotify.Create}
		expect(t, w, time.Second, "a (changed)")

		tr.ok(os.Rename(tr.Root, tr.Root+"2")) // as unmounting: no event
		expect(t, w, 3*time.Second, "* (lost)")
		mode(t, w, Unavailable, "does not exist")
		if f.watches() != 0 {
			t.Errorf("without the root %v are watched", f.added)
		}
		expect(t, w, time.Hour, "")
		tr.ok(os.Rename(tr.Root+"2", tr.Root))
		expect(t, w, 3*time.Second, "* (returned)")
		mode(t, w, Watching, "")
		if f.watches() != 2 {
			t.Errorf("with the root again %v are watched", f.added)
		}

		tr.remove("")
		tr.mkdir("b") // another folder in its place, perhaps with its number
		f.ev <- fsnotify.Event{Name: tr.Root, Op: fsnotify.Remove}
		expect(t, w, 3*time.Second, "* (returned)")
		if !f.added[tr.abs("b")] {
			t.Errorf("in another root %v are watched", f.added)
		}

		tr.remove("")
		f.ev <- fsnotify.Event{Name: tr.Root, Op: fsnotify.Remove}
		began := time.Now()
		expect(t, w, time.Second, "* (lost)")
		if took := time.Since(began); took > 0 {
			t.Errorf("an event at the root was looked into after %v", took)
		}
		tr.ok(os.WriteFile(tr.Root, nil, 0o644))
		expect(t, w, time.Minute, "")
		mode(t, w, Unavailable, "")
	})
}

func TestAFileIsWatchedThroughItsFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, tr := newFake(), newTree(t)
		tr.write("a.md", "a")
		folder := tr.Root
		tr.Kind, tr.Root = corpus.SourceFile, tr.abs("a.md")
		w := watching(t, Options{open: func() (notifier, error) { return f, nil }}, tr)
		expect(t, w, time.Second, "* (started)")
		f.ev <- fsnotify.Event{Name: filepath.Join(folder, "b.md"), Op: fsnotify.Write}
		f.ev <- fsnotify.Event{Name: filepath.Join(folder, ".gitignore"), Op: fsnotify.Write}
		expect(t, w, time.Second, "")
		tr.ok(os.WriteFile(filepath.Join(folder, "new"), []byte("b"), 0o644))
		tr.ok(os.Rename(filepath.Join(folder, "new"), tr.Root)) // as editors save
		f.ev <- fsnotify.Event{Name: tr.Root, Op: fsnotify.Create}
		expect(t, w, time.Second, "* (changed)")
		expect(t, w, 5*time.Second, "")
		tr.ok(os.Remove(tr.Root))
		expect(t, w, 5*time.Second, "* (lost)")
		tr.ok(os.WriteFile(tr.Root, []byte("c"), 0o644))
		expect(t, w, 5*time.Second, "* (returned)")
	})
}

func TestSourcesChange(t *testing.T) {
	faked(t, Options{}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		other, inner := newTree(t), newTree(t)
		tr.mkdir("in/x")
		inner.Root = tr.abs("in")
		w.Watch([]corpus.Source{tr.Source, other.Source, inner.Source})
		for n := 0; n < 2; {
			for _, h := range batch(t, w, time.Second) {
				if n++; h.Cause != Started {
					t.Fatalf("a new source: %v", h)
				}
			}
		}
		if f.watches() != 4 { // two roots, in, in/x
			t.Errorf("%v are watched", f.added)
		}
		f.ev <- fsnotify.Event{Name: inner.abs("x/y.md"), Op: fsnotify.Create}
		expect(t, w, time.Second, "x/y.md (changed)")
		paused := tr.Source
		paused.Paused = true
		w.Watch([]corpus.Source{paused, inner.Source})
		expect(t, w, time.Second, "")
		if f.watches() != 2 || len(w.States()) != 1 {
			t.Errorf("after leaving two out %v are watched, states %v", f.added, w.States())
		}
		marked, excluding := inner.Source, inner.Source
		marked.Mark, marked.FoldCase = "1:2 [] []", true
		w.Watch([]corpus.Source{marked})
		expect(t, w, time.Second, "")
		excluding.Exclude = []string{"x"}
		w.Watch([]corpus.Source{excluding})
		expect(t, w, time.Second, "* (started)")
		if f.watches() != 1 {
			t.Errorf("with a folder excluded %v are watched", f.added)
		}
	})
}

// TestStartAndStop hammers both: at the end nobody watches, nothing leaks, and
// it can be started again.
func TestStartAndStop(t *testing.T) {
	tr := newTree(t)
	tr.mkdir("a/b")
	w := watching(t, Options{Quiet: time.Millisecond}, tr)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 20 {
				switch (i + j) % 4 {
				case 0:
					w.Start()
				case 1:
					w.Stop()
				case 2:
					w.Watch([]corpus.Source{tr.Source})
				case 3:
					w.States()
				}
			}
		})
	}
	all.Wait()
	w.Stop()
	w.Stop()
	if s := w.States(); len(s) != 1 || s[0].Mode != Starting {
		t.Errorf("stopped: %+v", s)
	}
	w.Start()
	w.Start()
	expect(t, w, time.Minute, "* (started)")
	mode(t, w, Watching, "")
}
