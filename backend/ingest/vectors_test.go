package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/ingest"
	"ibid/backend/plan"
)

func TestTextFirst(t *testing.T) { // E7
	b := newBench(t)
	b.tree.write("old.md", "zirkonium "+text("old", 3))
	b.apply()
	b.tree.write("new.md", "wolfram "+text("new", 3))
	b.tree.write("old.md", "palladium "+text("old", 4))
	var seen []string
	b.model.before = func(_ context.Context, texts []string) error {
		seen = append(seen, fmt.Sprintf("new %q, before %q, after %q", b.found("wolfram"), b.found("zirkonium"), b.found("palladium")))
		return nil
	}
	b.apply()
	// The new document is found before anything is embedded; the changed one
	// is swapped once its vectors are there, before the new one's follow.
	want := `new "new.md", before "old.md", after ""|new "new.md", before "", after "old.md"`
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("while embedding:\n%s\nwant\n%s", got, want)
	}
	b.noop()
}

func TestNoWaitLeavesVectorsToLater(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 9))
	p := b.plan(ingest.PlanOptions{})
	if r := b.run(p, ingest.ApplyOptions{NoWait: true}); r.Embedded != 0 || r.Pending == 0 || !r.Clean() {
		t.Fatalf("result %+v", r)
	}
	if p := b.plan(ingest.PlanOptions{}); p.IsNoOp() || p.WriteCount() != 0 || p.Actions[0].Code != plan.VectorsWaiting {
		t.Errorf("vectors are not planned: %s", describe(p))
	}
	r, err := b.ingester().EmbedPending(context.Background(), ingest.ApplyOptions{})
	if err != nil || r.Pending != 0 || r.Embedded == 0 {
		t.Fatalf("result %+v, %v", r, err)
	}
	b.noop()
	b.equalsFresh()
}

func TestProviderDown(t *testing.T) { // E5
	b := newBench(t)
	for i := range 30 {
		b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 12))
	}
	b.tree.write("old.md", "zirkonium")
	b.run(b.plan(ingest.PlanOptions{}).Select(func(a plan.Action) bool { return a.Path == "old.md" }), ingest.ApplyOptions{})
	b.tree.write("old.md", "palladium")
	b.model.calls = 0
	b.model.before = func(context.Context, []string) error {
		return fmt.Errorf("%w: 401: the key is not valid", corpus.ErrUnavailable)
	}
	r := b.apply()
	if r.Added != 30 || r.Updated != 1 || r.Embedded != 0 || r.Clean() || !strings.Contains(r.Embedding, "401") {
		t.Errorf("result %+v", r)
	}
	if b.model.calls > 2 {
		t.Errorf("the provider was called %d times after it refused", b.model.calls)
	}
	if b.found("palladium") != "old.md" {
		t.Error("the changed text is not found by keyword")
	}
	b.model.before = nil
	b.model.embedded()
	if r := b.apply(); r.Embedded == 0 || r.Texts != 0 || !r.Clean() {
		t.Errorf("provider back: %+v", r)
	}
	b.noop()
	b.equalsFresh()
}

func TestVectorsRequired(t *testing.T) { // strict mode of E7
	b := newBench(t)
	b.tree.write("old.md", "zirkonium")
	b.apply()
	b.tree.write("old.md", "palladium")
	b.tree.write("new.md", "wolfram")
	strict := ingest.ApplyOptions{Strict: true}
	b.model.before = func(context.Context, []string) error { return errors.New("500") }
	r := b.run(b.plan(ingest.PlanOptions{}), strict)
	if len(r.Failed) != 2 || r.Embedding != "500" {
		t.Fatalf("result %+v", r)
	}
	if b.found("zirkonium") != "old.md" || b.found("wolfram") != "" {
		t.Error("a document without vectors was committed")
	}
	b.model.before = nil
	if r := b.run(b.plan(ingest.PlanOptions{}), strict); r.Added != 1 || r.Updated != 1 || !r.Clean() {
		t.Fatalf("result %+v", r)
	}
	b.noop()
	b.equalsFresh()
}

func TestSlowProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for i := range 3 {
			b.tree.write(fmt.Sprintf("%d.md", i), fmt.Sprint("zirkonium ", i))
		}
		b.apply()
		for i := range 3 {
			b.tree.write(fmt.Sprintf("%d.md", i), fmt.Sprint("palladium ", i))
		}
		began := time.Now()
		var swapped time.Duration
		b.model.before = func(ctx context.Context, _ []string) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Hour):
				return nil
			}
		}
		r := b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{NoWait: true, Observe: ingest.Observer{
			Outcome: func(ingest.Outcome) { swapped = time.Since(began) },
		}})
		if r.Updated != 3 || r.Pending != 3 || swapped > 31*time.Second || swapped < 25*time.Second {
			t.Errorf("swapped after %v: %+v", swapped, r)
		}
		if b.found("zirkonium") != "" {
			t.Error("the old texts still answer")
		}
	})
}

func TestRefusedPassage(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 40))
	b.tree.write("b.md", "poison")
	b.model.before = func(_ context.Context, texts []string) error {
		for _, x := range texts {
			if strings.Contains(x, "poison") {
				return fmt.Errorf("%w: not this text", corpus.ErrInvalid)
			}
		}
		return nil
	}
	r := b.apply()
	if r.Pending != 1 || r.Embedded != b.document("a.md").Chunks || r.Embedding != "" || len(r.Notes) != 1 {
		t.Errorf("result %+v", r)
	}
	for x, n := range b.model.texts {
		if n > 1 {
			t.Errorf("embedded %d times: %.30q", n, x)
		}
	}
}

func TestBrokenVectorsStopEmbedding(t *testing.T) { // E2
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 40))
	b.model.Embedder = wrongSize{b.model.Embedder}
	if r := b.apply(); r.Embedded != 0 || r.Pending == 0 || !strings.Contains(r.Embedding, "dimensions") || b.model.calls > 2 {
		t.Errorf("after %d calls: %+v", b.model.calls, r)
	}
}

type wrongSize struct{ embed.Embedder }

func (w wrongSize) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	v, err := w.Embedder.EmbedDocuments(ctx, texts)
	for i := range v {
		v[i] = v[i][1:]
	}
	return v, err
}

func TestKeywordsOnly(t *testing.T) {
	b := newBench(t)
	b.model = nil
	b.tree.write("a.md", "zirkonium "+text("alpha", 9))
	if r := b.apply(); r.Added != 1 || r.Pending != 0 || r.Embedded != 0 {
		t.Fatalf("result %+v", r)
	}
	if b.found("zirkonium") != "a.md" {
		t.Error("not found")
	}
	b.noop()
	b.equalsFresh()
}

func TestResumeEmbedsNothingTwice(t *testing.T) { // E1, S38
	b := newBench(t)
	for i := range 20 {
		b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 25))
	}
	for round := range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		var calls atomic.Int32
		b.model.before = func(ctx context.Context, _ []string) error {
			if calls.Add(1) > 2 {
				cancel() // as the user does, between two calls
				return ctx.Err()
			}
			return nil
		}
		if _, err := b.ingester().Apply(ctx, b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("round %d: %v", round, err)
		}
		cancel()
	}
	b.model.before = nil
	if r := b.apply(); !r.Clean() || r.Pending != 0 { // S42
		t.Fatalf("result %+v", r)
	}
	for x, n := range b.model.texts {
		if n > 1 {
			t.Errorf("embedded %d times: %.30q", n, x)
		}
	}
	b.noop()
	b.equalsFresh()
}

// Vectors that no passage uses stay until they were not used for long.
func TestUnusedVectorsAreSwept(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 3))
	b.apply()
	b.tree.write("a.md", text("beta", 3))
	cached := func(sweep time.Time) int64 {
		t.Helper()
		b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{Sweep: sweep})
		return b.rows()["cached"]
	}
	was := cached(time.Time{})
	if was == 0 {
		t.Fatal("no vector is left over")
	}
	if n := cached(time.Now().Add(-time.Hour)); n != was {
		t.Errorf("%d of %d are left, though they were used in the last hour", n, was)
	}
	if n := cached(time.Now().Add(time.Hour)); n != 0 {
		t.Errorf("%d are left", n)
	}
}

// What somebody searches for has its vectors first, then what was committed last.
func TestSearchedFirst(t *testing.T) {
	b := newBench(t)
	for i := range 12 {
		b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 4))
		b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{NoWait: true})
	}
	var mu sync.Mutex
	var order []string
	b.model.before = func(_ context.Context, texts []string) error {
		mu.Lock()
		defer mu.Unlock()
		for _, t := range texts {
			title, _, _ := strings.Cut(t, "\n")
			if len(order) == 0 || order[len(order)-1] != title {
				order = append(order, title)
			}
		}
		return nil
	}
	first := []corpus.ID{b.document("3.md").ID, corpus.NewID()}
	r, err := b.ingester().EmbedPending(context.Background(), ingest.ApplyOptions{First: func() []corpus.ID { return first }})
	if err != nil || r.Pending != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(order) < 12 || order[0] != "# subject 3" && order[1] != "# subject 3" {
		t.Errorf("embedded in the order %q", order)
	}
	for text, n := range b.model.texts {
		if n != 1 {
			t.Errorf("embedded %d times: %q", n, text)
		}
	}
}
