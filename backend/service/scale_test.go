package service_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// full reports whether the campaigns run in their full size: with IBID_SCALE
// set, where processor time and memory are measured as well.
func full() bool { return os.Getenv("IBID_SCALE") != "" }

// sized is n in a campaign and a tenth of it, but 20 at least, otherwise.
func sized(n int) int {
	if full() {
		return n
	}
	return max(20, n/10)
}

// within fails a campaign in which work took more processor time than that or,
// where a server has a part in it, more time.
func (l *library) within(what string, limit time.Duration, work func()) time.Duration {
	l.t.Helper()
	began, start := processorTime(), time.Now()
	work()
	took, wall := processorTime()-began, time.Since(start)
	l.t.Logf("%s: %v, %v of processor time", what, wall.Round(time.Millisecond), took.Round(time.Millisecond))
	if onServer(l.path) {
		took = wall
	}
	if full() && took > limit {
		l.t.Errorf("%s took %v, want at most %v", what, took, limit)
	}
	return took
}

// note is a short document of its own words.
func note(i int) string {
	return fmt.Sprintf("# Note %d\n\nThe %d. entry of the diary speaks of item%d and of nothing else.\n", i, i, i*7919)
}

// fill writes so many notes into folders.
func (l *library) fill(n, folders int) {
	l.t.Helper()
	for i := range n {
		folder := filepath.Join(l.notes, fmt.Sprintf("box%d/%d", i%8, i%folders))
		if i < 8*folders {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				l.t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.md", i)), []byte(note(i)), 0o600); err != nil {
			l.t.Fatal(err)
		}
	}
}

// shelf is a new library at a path, of so many notes in folders, applied.
func shelf(t *testing.T, path string, n int) *library {
	t.Helper()
	l := openAt(t, path, t.TempDir(), nil)
	l.fill(n, 40)
	l.add()
	if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Added != n {
		t.Fatalf("applied: %+v", run)
	}
	return l
}

// embedsNothing fails if work embeds a passage.
func (l *library) embedsNothing(what string, work func()) {
	l.t.Helper()
	before := l.model.calls.Load()
	work()
	if n := l.model.calls.Load() - before; n != 0 {
		l.t.Errorf("%s: %d passages were embedded, want none", what, n)
	}
}

// All files moved: they are known to have moved, nothing is embedded, and it
// costs two seconds more than looking.
func TestAllFilesMove(t *testing.T) {
	onEachStore(t, func(t *testing.T, path string) {
		n := sized(2000)
		l := shelf(t, path, n)
		ids := l.documents()
		scan := l.within("a plan of nothing", time.Minute, func() { l.plan(api.PlanRequest{}) })
		if err := os.Mkdir(filepath.Join(l.notes, "moved"), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			box := fmt.Sprintf("box%d", i)
			l.rename(box, "moved/"+box)
		}
		if s := l.plan(api.PlanRequest{}).Summary; s.Moved != n || s.ChunksToEmbed != 0 || s.Added+s.Removed != 0 {
			t.Errorf("planned: %+v", s)
		}
		l.embedsNothing("moved", func() {
			l.within("planning and applying moves", 2*time.Second+scan, func() {
				if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Moved != n {
					t.Errorf("applied: %+v", run)
				}
			})
		})
		want := map[string]string{}
		for p, id := range ids {
			want["moved/"+p] = id
		}
		if diff := cmp.Diff(want, l.documents()); diff != "" {
			t.Errorf("documents (-want +got):\n%s", diff)
		}
		if p := l.plan(api.PlanRequest{}); len(p.Actions) > 0 {
			t.Errorf("planning again: %+v", p.Summary)
		}
	})
}

// A branch that is checked out and back embeds only what is new on it.
func TestABranchAndBack(t *testing.T) {
	onEachStore(t, func(t *testing.T, path string) {
		n := sized(2000)
		l := shelf(t, path, n)
		edit := func(text func(i int) string) {
			t.Helper()
			for i := range n {
				l.write(fmt.Sprintf("box%d/%d/%d.md", i%8, i%40, i), text(i))
			}
		}
		edit(note) // all files are rewritten as they were
		l.embedsNothing("a checkout of the same", func() {
			if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Updated != 0 {
				t.Errorf("applied: %+v", run)
			}
		})
		edit(func(i int) string {
			if i%2 == 0 {
				return strings.Replace(note(i), "diary", "branch", 1)
			}
			return note(i)
		})
		if run := l.apply(api.ApplyRequest{}); run.Summary.Updated != (n+1)/2 {
			t.Errorf("the branch: %+v", run)
		}
		edit(note)
		l.embedsNothing("back", func() {
			if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Updated != (n+1)/2 {
				t.Errorf("back: %+v", run)
			}
		})
	})
}

// A library that is copied with its folder goes on there; on a server only the
// folder is elsewhere.
func TestACopiedLibrary(t *testing.T) {
	onEachStore(t, func(t *testing.T, path string) {
		n := sized(2000)
		l := shelf(t, path, n)
		ids := l.documents()
		dir := t.TempDir()
		if !onServer(path) {
			path = filepath.Join(dir, "library.db")
			if err := l.parts.Store.(interface {
				Backup(ctx context.Context, path string) error
			}).Backup(t.Context(), path); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.CopyFS(filepath.Join(dir, "notes"), os.DirFS(l.notes)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(l.notes, l.notes+" away"); err != nil {
			t.Fatal(err)
		}
		other := openAt(t, path, filepath.Join(dir, "notes"), nil)
		if s := other.plan(api.PlanRequest{}).Summary; s.Unavailable != n || s.Removed != 0 {
			t.Errorf("before its folder is named: %+v", s)
		}
		other.change(api.ChangeSourceRequest{Path: other.notes})
		other.embedsNothing("copied", func() {
			if run := other.apply(api.ApplyRequest{}); run.State != api.RunDone {
				t.Errorf("applied: %+v", run)
			}
		})
		if diff := cmp.Diff(ids, other.documents()); diff != "" {
			t.Errorf("documents (-want +got):\n%s", diff)
		}
	})
}

// One paragraph inserted anywhere in a document of 300 passages embeds what is
// around it and no more, and every passage is where it says.
func TestAnInsertionAnywhere(t *testing.T) {
	onEachStore(t, func(t *testing.T, path string) {
		rng := rand.New(rand.NewPCG(3, 3))
		var paragraphs []string
		for i := range 1500 {
			paragraphs = append(paragraphs, fmt.Sprintf("Paragraph %d tells how the machine of kind %d is taken apart, cleaned with care and put together again in the evening, which takes the %d. hour.", i, rng.IntN(5000), rng.IntN(5000)))
		}
		l := openAt(t, path, t.TempDir(), nil)
		save := func() { l.write("manual.md", "# Manual\n\n"+strings.Join(paragraphs, "\n\n")+"\n") }
		save()
		l.add()
		l.apply(api.ApplyRequest{})
		if n := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})).Chunks; n < 250 {
			t.Fatalf("%d passages, want some 300", n)
		}
		rounds, all, worst := sized(100), int64(0), int64(0)
		for i := range rounds {
			at := rng.IntN(len(paragraphs) + 1)
			fresh := fmt.Sprintf("Inserted %d: the apprentice of number %d wrote this down in between.", i, rng.IntN(9999))
			paragraphs = append(paragraphs[:at], append([]string{fresh}, paragraphs[at:]...)...)
			save()
			before := l.model.calls.Load()
			if run := l.apply(api.ApplyRequest{}); run.Summary.Updated != 1 {
				t.Fatalf("insertion %d: %+v", i, run)
			}
			n := l.model.calls.Load() - before
			all, worst = all+n, max(worst, n)
			l.standsWhereItSays("manual.md")
		}
		mean := float64(all) / float64(rounds)
		t.Logf("%d insertions: %.2f passages embedded in the mean, %d at worst", rounds, mean, worst)
		if mean > 3 || worst > 10 {
			t.Errorf("want 3 in the mean and 10 at worst")
		}
	})
}

// standsWhereItSays fails unless each passage's text is at its location.
func (l *library) standsWhereItSays(path string) {
	l.t.Helper()
	document := l.documents()[path]
	err := l.parts.Store.View(l.t.Context(), func(r store.Reader) error {
		id, err := corpus.ParseID(document)
		if err != nil {
			return err
		}
		text, _, err := r.Text(l.t.Context(), 0, id)
		if err != nil {
			return err
		}
		chunks, err := r.Chunks(l.t.Context(), 0, id)
		end := 0
		for _, c := range chunks {
			own := text[c.Location.Start:c.Location.End] // behind what it shares with the passage before
			if c.Location.Start != end || !strings.HasSuffix(c.Content, strings.TrimSpace(own)) {
				return fmt.Errorf("passage %d is not at its location: %.60q instead of %.60q", c.Index, own, c.Content)
			}
			end = c.Location.End
		}
		if err == nil && end != len(text) {
			err = fmt.Errorf("the passages end at %d of %d", end, len(text))
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// A document of 10,000 passages is deleted in two seconds.
func TestALargeDocumentIsDeleted(t *testing.T) {
	onEachStore(t, func(t *testing.T, path string) {
		l := openAt(t, path, t.TempDir(), nil)
		var b strings.Builder
		for i := range sized(10_000) {
			fmt.Fprintf(&b, "## Section %d\n\n%s\n\n", i, prose1(i))
		}
		l.write("large.md", b.String())
		l.write("keep.md", note(1))
		l.add()
		l.apply(api.ApplyRequest{})
		if n := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})).Chunks; n < sized(10_000) {
			t.Fatalf("%d passages", n)
		}
		l.remove("large.md")
		l.within("deleting", 2*time.Second, func() {
			if run := l.apply(api.ApplyRequest{}); run.Summary.Removed != 1 {
				t.Errorf("applied: %+v", run)
			}
		})
		if st := must[api.Status](t)(l.Status(t.Context(), api.StatusRequest{})); st.Chunks != 1 || st.Documents != 1 {
			t.Errorf("left: %+v", st)
		}
	})
}

// prose1 is one passage's worth of words.
func prose1(i int) string {
	return strings.Repeat(fmt.Sprintf("The clause %d binds the tenant of flat %d. ", i, i*31), 16)
}

// Many small files are planned and applied in bounded memory: what is kept of
// each is its record.
func TestManySmallFiles(t *testing.T) {
	onEachStore(t, func(t *testing.T, path string) {
		n := sized(50_000)
		if onServer(path) && !full() {
			n /= 10 // each vector that goes into a server's index takes it two milliseconds
		}
		l := openAt(t, path, t.TempDir(), nil)
		l.fill(n, 400)
		l.add()
		runtime.GC() // what other tests left behind
		var peak uint64
		sampling, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for sampling.Err() == nil {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
				select {
				case <-tick.C:
				case <-sampling.Done():
				}
			}
		}()
		l.within(fmt.Sprintf("applying %d files", n), 10*time.Minute, func() {
			if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Added != n {
				t.Errorf("applied: %s, %d added", run.State, run.Summary.Added)
			}
		})
		stop()
		<-ended
		t.Logf("heap at its largest: %d MB", peak>>20)
		if most := uint64(300 << 20); peak > most {
			t.Errorf("the heap grew to %d MB, want at most %d", peak>>20, most>>20)
		}
		l.within("planning them again", time.Minute, func() {
			if p := l.plan(api.PlanRequest{}); len(p.Actions) > 0 {
				t.Errorf("planning again: %+v", p.Summary)
			}
		})
	})
}

// A search makes nothing of the library's size anew, as statistics of all words
// would be: of four times as many documents it takes no more memory (S51).
func TestASearchCostsTheSameInALargerLibrary(t *testing.T) {
	n := sized(10_000)
	taken := func(documents int) map[string]uint64 {
		l := onDisk(t)
		l.fill(documents, 40)
		l.add()
		if run := l.apply(api.ApplyRequest{}); run.State != api.RunDone || run.Summary.Pending != 0 {
			t.Fatalf("applied: %+v", run)
		}
		bytes := map[string]uint64{}
		for _, mode := range []string{"keyword", "hybrid"} {
			search := func() {
				r := must[api.SearchResponse](t)(l.Search(t.Context(), api.SearchRequest{Query: fmt.Sprintf("item%d", 7*7919), Mode: mode}))
				if len(r.Hits) == 0 || r.Hits[0].Title != "Note 7" {
					t.Fatalf("found %+v", r.Hits)
				}
			}
			search() // what is read once, such as vectors, is kept
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 10 {
				search()
			}
			runtime.ReadMemStats(&after)
			bytes[mode] = (after.TotalAlloc - before.TotalAlloc) / 10
		}
		return bytes
	}
	small, large := taken(n/4), taken(n)
	for mode, bytes := range large {
		t.Logf("a %s search takes %d KB of %d documents, %d KB of %d", mode, small[mode]>>10, n/4, bytes>>10, n)
		const blocks = 128 << 10 // of the index's parts, which are more or fewer between two merges
		if bytes > small[mode]*3/2+blocks {
			t.Errorf("that is more than half as much again")
		}
	}
}
