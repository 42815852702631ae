package watch

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/source"
)

// image is what somebody knows of a tree who looks only where hints say.
type image map[string]string

// look brings the image up to date at some places.
func (im image) look(t *testing.T, tr *tree, places []string) {
	t.Helper()
	scan, err := source.New().Scan(t.Context(), tr.Source, places)
	if err != nil {
		t.Fatal(err)
	}
	for p := range im {
		if ok, _ := scan.Coverage.Covers(p); ok {
			delete(im, p)
		}
	}
	for _, e := range scan.Entries {
		if text, err := os.ReadFile(tr.abs(e.Path)); err == nil {
			im[e.Path] = string(text)
		}
	}
}

// settles follows the hints until the image is that of the tree now and, as
// long as changes go on, of the tree then.
func (im image) settles(t *testing.T, w *Watcher, tr *tree, going <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	truth := image{}
	for {
		select {
		case b := <-w.Batches():
			for _, h := range b {
				im.look(t, tr, h.Places)
			}
		case <-going:
			going = nil
		case <-ctx.Done():
			t.Fatalf("never told (-there +known):\n%s", cmp.Diff(truth, im))
		}
		if going == nil {
			truth = image{}
			truth.look(t, tr, []string{""})
			if maps.Equal(truth, im) {
				return
			}
		}
	}
}

// change does something random to a tree; what cannot be done is left.
func change(r *rand.Rand, tr *tree, i int) {
	place := func() string {
		p := ""
		for range r.IntN(4) {
			p = path.Join(p, string(rune('a'+r.IntN(3))))
		}
		return p
	}
	p := place()
	file := path.Join(p, fmt.Sprintf("%d.md", r.IntN(4)))
	switch r.IntN(7) {
	case 0, 1, 2:
		if os.MkdirAll(tr.abs(p), 0o755) == nil {
			_ = os.WriteFile(tr.abs(file), fmt.Append(nil, i), 0o644)
		}
	case 3: // as editors save
		if os.WriteFile(tr.abs(file+".tmp"), fmt.Append(nil, i), 0o644) == nil {
			_ = os.Rename(tr.abs(file+".tmp"), tr.abs(file))
		}
	case 4:
		_ = os.RemoveAll(tr.abs(file))
	case 5:
		if p != "" {
			_ = os.RemoveAll(tr.abs(p))
		}
	case 6:
		if to := place(); p != "" && to != "" {
			_ = os.Rename(tr.abs(p), tr.abs(to))
		}
	}
}

// TestStorm makes changes as fast as it can and checks that nothing is missed:
// no sweep comes to help.
func TestStorm(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			tr := newTree(t)
			w := watching(t, Options{Quiet: 5 * time.Millisecond, Limit: 40 * time.Millisecond, FolderPlaces: 8, AllPlaces: 16, Sweep: time.Hour}, tr)
			going := make(chan struct{})
			go func() {
				defer close(going)
				r := rand.New(rand.NewPCG(seed, 1))
				for i := range 1500 {
					change(r, tr, i)
				}
			}()
			im := image{}
			im.settles(t, w, tr, going)
			<-going
			mode(t, w, Watching, "")
			known := slices.Sorted(maps.Keys(im))
			tr.write("a/b/c/last.md", "last")
			im.settles(t, w, tr, closed())
			if im["a/b/c/last.md"] != "last" {
				t.Errorf("after the storm (%d files) a new file was missed", len(known))
			}
		})
	}
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// TestRenamedFoldersStayWatched: the system's watch goes with the folder, so
// dropping it too late would take the new name's watch along.
func TestRenamedFoldersStayWatched(t *testing.T) {
	tr := newTree(t)
	tr.write("a/in/x.md", "x")
	w := watching(t, Options{Quiet: 2 * time.Millisecond, Limit: 20 * time.Millisecond, Sweep: time.Hour, Pulse: time.Hour}, tr)
	im := image{}
	im.settles(t, w, tr, closed())
	names := []string{"a", "b"}
	for i := range 60 {
		tr.rename(names[i%2], names[(i+1)%2])
		im.settles(t, w, tr, closed())
		tr.write(names[(i+1)%2]+"/in/x.md", strconv.Itoa(i))
		im.settles(t, w, tr, closed())
	}
}

func TestRootRemovedAndMadeAgain(t *testing.T) {
	tr := newTree(t)
	tr.write("a/x.md", "x")
	w := watching(t, Options{Quiet: 2 * time.Millisecond, Pulse: 5 * time.Millisecond, Sweep: time.Hour}, tr)
	im := image{}
	im.settles(t, w, tr, closed())
	for i := range 10 {
		switch i % 2 {
		case 0:
			tr.remove("")
		case 1:
			tr.ok(os.Rename(tr.Root, filepath.Join(t.TempDir(), "away")))
		}
		tr.mkdir("")
		tr.write("b/y.md", strconv.Itoa(i))
		im.settles(t, w, tr, closed())
		tr.write("b/z.md", strconv.Itoa(i))
		im.settles(t, w, tr, closed())
	}
	mode(t, w, Watching, "")
}
