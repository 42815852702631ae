package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// slow makes every text cost so much time.
func (m *model) slow(each time.Duration) {
	m.before = func(ctx context.Context, texts []string) error {
		select {
		case <-time.After(each * time.Duration(len(texts))):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func TestPauseResumeCancel(t *testing.T) { // E4, S42, S44
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for i := range 20 {
			b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 90))
		}
		b.model.slow(50 * time.Millisecond) // as the built-in model
		control := &ingest.Control{}
		ctx, cancel := context.WithCancel(t.Context())
		type end struct {
			r   ingest.Result
			err error
		}
		ended := make(chan end)
		var last ingest.Progress
		p := b.plan(ingest.PlanOptions{})
		go func() {
			r, err := b.ingester().Apply(ctx, p, ingest.ApplyOptions{
				Control: control, Observe: ingest.Observer{Progress: func(p ingest.Progress) { last = p }},
			})
			ended <- end{r, err}
		}()
		<-time.After(3 * time.Second)
		control.Pause()
		<-time.After(time.Second)
		paused := last
		if !paused.Paused || paused.Stage != ingest.StageEmbed || paused.Chunks == 0 || paused.Documents != 20 {
			t.Errorf("after a second of pause: %+v", paused)
		}
		<-time.After(time.Hour)
		if last.Chunks != paused.Chunks {
			t.Errorf("%d passages were embedded during the pause", last.Chunks-paused.Chunks)
		}
		control.Resume()
		<-time.After(2 * time.Second)
		if last.Chunks <= paused.Chunks || last.Paused {
			t.Errorf("after resuming: %+v", last)
		}
		if rate := last.ChunksPerSec; rate < 15 || rate > 45 { // two calls at once, 50 ms each
			t.Errorf("rate %v", rate)
		}
		began := time.Now()
		cancel()
		e := <-ended
		if took := time.Since(began); took > time.Second || !errors.Is(e.err, context.Canceled) {
			t.Errorf("cancelled after %v: %v", took, e.err)
		}
		if e.r.Added != 20 || e.r.Embedded == 0 || e.r.Pending == 0 {
			t.Errorf("result of a cancelled run: %+v", e.r)
		}
	})
}

// Whoever embeds in the background gives way within a second, and nothing that
// was being computed is thrown away.
func TestEmbeddingYields(t *testing.T) { // E7
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for i := range 20 {
			b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 90))
		}
		b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{NoWait: true})
		b.model.slow(50 * time.Millisecond)
		control := &ingest.Control{}
		ended := make(chan ingest.Result)
		go func() {
			r, err := b.ingester().EmbedPending(t.Context(), ingest.ApplyOptions{Control: control})
			if err != nil {
				t.Error(err)
			}
			ended <- r
		}()
		<-time.After(3 * time.Second)
		began := time.Now()
		control.Yield()
		r := <-ended
		if took := time.Since(began); took > time.Second {
			t.Errorf("yielded after %v", took)
		}
		for text, n := range b.model.texts {
			if n > 1 {
				t.Errorf("embedded %d times: %q", n, text)
			}
		}
		if r.Embedded != len(b.model.texts) || r.Embedded == 0 || r.Pending == 0 || r.Embedding != "" || !r.Clean() {
			t.Errorf("%d texts were embedded, the result is %+v", len(b.model.texts), r)
		}
	})
}

func TestProgressIsThrottled(t *testing.T) { // E4
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for i := range 40 {
			b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 90))
		}
		b.model.slow(20 * time.Millisecond)
		var told []ingest.Progress
		var at []time.Time
		b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{Observe: ingest.Observer{Progress: func(p ingest.Progress) {
			told = append(told, p)
			at = append(at, time.Now())
		}}})
		if len(told) < 5 {
			t.Fatalf("told %d times", len(told))
		}
		for i := 10; i < len(at)-1; i++ {
			if at[i].Sub(at[i-10]) < 990*time.Millisecond {
				t.Errorf("more than ten calls a second, at call %d", i)
			}
		}
		chunks := 0
		for _, p := range told {
			if p.Chunks < chunks || p.Chunks > p.ChunksOf || p.Documents > p.DocumentsOf {
				t.Errorf("progress goes astray: %+v", p)
			}
			chunks = p.Chunks
		}
		if last := told[len(told)-1]; last.Stage != ingest.StageDone || last.Chunks != last.ChunksOf || last.Documents != 40 {
			t.Errorf("last: %+v", last)
		}
	})
}

// slowFiles takes its time to read a file.
type slowFiles struct{ *tree }

func (f slowFiles) Hash(ctx context.Context, s corpus.Source, path string) (corpus.Hash, corpus.Fingerprint, error) {
	<-time.After(time.Second)
	return f.tree.Hash(ctx, s, path)
}

// How many files there are is told before they are read, however long that
// takes (S49).
func TestACountIsToldFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for i := range 200 {
			b.tree.write(fmt.Sprintf("%d.md", i), fmt.Sprint("text ", i))
		}
		in := ingest.New(ingest.Parts{
			Store: b.store, Files: slowFiles{b.tree}, Extract: b.reader,
			Rules: func(corpus.ID, string, string) chunk.Rules { return b.rules },
		})
		var told []ingest.Progress
		_, err := in.Plan(t.Context(), ingest.PlanOptions{Observe: ingest.Observer{Progress: func(p ingest.Progress) { told = append(told, p) }}})
		if err != nil {
			t.Fatal(err)
		}
		if first := told[0]; first.SecondsPassed > 2 || first.DocumentsOf != 200 || first.Documents > 100 || first.Current == "" {
			t.Errorf("told first: %+v", first)
		}
	})
}

// Progress counts what is committed, at every instant (S41).
func TestProgressIsWhatIsCommitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for i := range 40 {
			b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 90))
		}
		p := b.plan(ingest.PlanOptions{})
		b.model.slow(20 * time.Millisecond)
		told := 0
		b.run(p, ingest.ApplyOptions{Observe: ingest.Observer{Progress: func(p ingest.Progress) {
			told++
			rows := b.rows()
			if p.Documents > int(rows["documents"]) || p.Chunks > int(rows["vectors"]) {
				t.Errorf("%d documents and %d passages are told, of %v", p.Documents, p.Chunks, rows)
			}
			if p.Stage == ingest.StageDone && (p.Documents != 40 || p.Chunks != int(rows["vectors"])) {
				t.Errorf("told at the end: %+v; there are %v", p, rows)
			}
		}}})
		if told < 5 {
			t.Errorf("told %d times", told)
		}
	})
}

// A run in which nothing moves says so, again and again, and where it stands;
// a paused one does not (S41).
func TestARunThatHangsSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.tree.write("a.md", text("alpha", 9))
		release := make(chan struct{})
		b.model.before = func(ctx context.Context, _ []string) error {
			select {
			case <-release:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		p, control := b.plan(ingest.PlanOptions{}), &ingest.Control{}
		var told []ingest.Progress
		ended := make(chan error)
		go func() {
			_, err := b.ingester().Apply(t.Context(), p, ingest.ApplyOptions{
				Control: control, Observe: ingest.Observer{Progress: func(p ingest.Progress) { told = append(told, p) }},
			})
			ended <- err
		}()
		<-time.After(95 * time.Second)
		control.Pause()
		<-time.After(10 * time.Minute)
		control.Resume()
		<-time.After(10 * time.Second)
		close(release)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		var still []int
		for _, p := range told {
			if p.SecondsStill > 0 {
				still = append(still, int(p.SecondsStill))
				if p.Stage != ingest.StageEmbed || p.Documents != 1 || p.Chunks != 0 {
					t.Errorf("where it stands: %+v", p)
				}
			}
		}
		if diff := cmp.Diff([]int{30, 60, 90}, still); diff != "" {
			t.Errorf("seconds (-want +got):\n%s", diff)
		}
		if last := told[len(told)-1]; last.Chunks != last.ChunksOf || last.Chunks == 0 {
			t.Errorf("last: %+v", last)
		}
	})
}

func TestRunIsRecorded(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "alpha")
	state := "running"
	opt := ingest.ApplyOptions{Record: func(r ingest.Result, err error) (store.Run, []store.Event) {
		run := store.Run{ID: "r1", Kind: "apply", State: state, StartedAt: time.Unix(1, 0).UTC(), Summary: fmt.Append(nil, r.Added)}
		e := store.Event{At: run.StartedAt, Trigger: "cli", Action: "run.apply", Outcome: state}
		state = "done"
		return run, []store.Event{e}
	}}
	b.model.before = func(context.Context, []string) error {
		if runs := b.runs(); len(runs) != 1 || runs[0].State != "running" {
			t.Errorf("while running: %+v", runs)
		}
		return nil
	}
	b.run(b.plan(ingest.PlanOptions{}), opt)
	if runs := b.runs(); len(runs) != 1 || runs[0].State != "done" || string(runs[0].Summary) != "1" {
		t.Errorf("afterwards: %+v", runs)
	}
	if n := b.events(); n != 2 {
		t.Errorf("%d events, want one of the beginning and one of the end", n)
	}
}

func (b *bench) runs() (runs []store.Run) {
	b.t.Helper()
	err := b.store.View(context.Background(), func(v store.Reader) (err error) {
		runs, err = v.Runs(context.Background(), 10)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return runs
}

func TestOneWriter(t *testing.T) { // G8
	b := newBench(t)
	b.tree.write("a.md", "alpha")
	w, err := b.store.Acquire(context.Background(), "another process")
	if err != nil {
		t.Fatal(err)
	}
	p := b.plan(ingest.PlanOptions{}) // needs no role
	if _, err := b.ingester().Apply(context.Background(), p, ingest.ApplyOptions{}); !errors.Is(err, corpus.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if err := w.Release(); err != nil {
		t.Fatal(err)
	}
	b.run(p, ingest.ApplyOptions{})
	b.noop()
}

func TestExact(t *testing.T) { // D6
	b := newBench(t)
	body := text("large subject 1", 300)
	b.tree.write("large.md", body)
	b.tree.write("small.md", text("small", 3))
	b.apply()
	b.tree.write("large.md", body+"\nOne more paragraph at the end of everything.\n")
	b.tree.write("twin1.md", text("twin", 20))
	b.tree.write("twin2.md", text("twin", 20))
	b.tree.write("bad.md", "bad bytes")
	estimate := b.plan(ingest.PlanOptions{})
	if estimate.Summary.ChunksExact {
		t.Error("an estimate says that it is exact")
	}
	p := b.plan(ingest.PlanOptions{Exact: true})
	b.model.embedded()
	r := b.apply()
	if n := b.model.embedded(); p.Summary.ChunksToEmbed != n || r.Embedded != n { // none for bad.md, which cannot be read
		t.Errorf("planned %d, embedded %d", p.Summary.ChunksToEmbed, n)
	}
	for _, a := range p.Actions {
		if !a.Chunks.Exact {
			t.Errorf("%s: %+v", a.Path, a.Chunks)
		}
		if a.Path == "large.md" && (a.Chunks.Embed > 2 || a.Chunks.Reuse < 40) {
			t.Errorf("%s: %+v", a.Path, a.Chunks)
		}
	}
	if p.Summary.Tokens != r.Tokens {
		t.Errorf("planned %d tokens, embedded %d", p.Summary.Tokens, r.Tokens)
	}
}

func TestDiff(t *testing.T) { // D7
	b := newBench(t)
	body := text("large subject 1", 60)
	b.tree.write("a.md", body)
	b.tree.write("gone.md", "gone")
	b.apply()
	b.tree.write("a.md", body+"\nOne more paragraph at the end of everything.\n")
	b.tree.write("new.md", "# New\n\nnew text\n")
	b.tree.remove("gone.md")
	for _, a := range b.plan(ingest.PlanOptions{}).Actions {
		c, err := b.ingester().Diff(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		got := map[plan.RowKind]int{}
		for _, r := range c.Rows {
			got[r.Kind] += r.Count
		}
		n := c.Action.Chunks
		if !n.Exact || c.Title == "" || got[plan.RowKept] == 0 != (a.Path != "a.md") ||
			got[plan.RowChanged]+got[plan.RowAdded]+got[plan.RowKept]+got[plan.RowRelocated] != n.Total ||
			got[plan.RowChanged]+got[plan.RowRemoved] != n.Remove {
			t.Errorf("%s: %+v, rows %v", a.Path, c.Action, got)
		}
		if fresh := a.Path == "new.md"; fresh != (got[plan.RowAdded] == n.Total && n.Total > 0 && n.Embed == n.Total) {
			t.Errorf("%s: %+v, rows %v", a.Path, n, got)
		}
	}
}

// interrupted is a tree that the user loses patience with as soon as it was listed.
type interrupted struct {
	*tree
	stop context.CancelFunc
}

func (i interrupted) Scan(ctx context.Context, s corpus.Source, places []string) (plan.Scan, error) {
	defer i.stop()
	return i.tree.Scan(ctx, s, places)
}

// TestInterruptedLook: a look that ended before the files were examined was
// taken for one that found nothing new.
func TestInterruptedLook(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "alpha")
	b.apply()
	b.tree.write("a.md", "alpha changed")
	ctx, cancel := context.WithCancel(context.Background())
	in := ingest.New(ingest.Parts{Store: b.store, Files: interrupted{b.tree, cancel}, Extract: b.reader, Embedder: b.model})
	if p, err := in.Plan(ctx, ingest.PlanOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("planned %+v, %v", p, err)
	}
}
