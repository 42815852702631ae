package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

func (b *bench) generations() []store.Generation {
	b.t.Helper()
	var list []store.Generation
	err := b.store.View(context.Background(), func(v store.Reader) error {
		info, err := v.Info(context.Background())
		list = info.Generations
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

// otherModel is the bench after the setting "embeddings" was changed.
func (b *bench) otherModel() {
	b.model = newModel(b.t, otherDimensions)
}

const otherDimensions = 48

func TestAnotherModelBuildsBesideTheLiveOne(t *testing.T) { // F5, S74
	b := newBench(t)
	for i := range 8 {
		b.tree.write(fmt.Sprintf("%d.md", i), fmt.Sprintf("zirkonium%d ", i)+text(fmt.Sprint("subject ", i), 12))
	}
	b.apply()
	b.otherModel()
	p := b.plan(ingest.PlanOptions{})
	if !p.Build || p.Summary.Updated != 8 || p.Actions[0].Code != plan.ModelChanged {
		t.Fatalf("%s", describe(p))
	}
	var calls atomic.Int32
	b.model.before = func(context.Context, []string) error {
		calls.Add(1)
		if gens := b.generations(); len(gens) != 2 || !gens[0].Live {
			t.Errorf("generations while building: %+v", gens)
		}
		if b.found("zirkonium3") != "3.md" {
			t.Error("the old generation does not answer")
		}
		return nil
	}
	if r := b.run(p, ingest.ApplyOptions{}); !r.Switched || r.Updated != 8 || calls.Load() == 0 {
		t.Fatalf("result %+v", r)
	}
	if gens := b.generations(); len(gens) != 1 || gens[0].Space.Dimensions != otherDimensions {
		t.Errorf("generations after: %+v", gens)
	}
	b.noop()
	b.equalsFresh()
	b.model.before = nil
	if r := b.apply(); r.Embedded != 0 || r.Switched {
		t.Errorf("applied again: %+v", r)
	}
}

func TestBuildIsResumed(t *testing.T) {
	b := newBench(t)
	for i := range 8 {
		b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 12))
	}
	b.apply()
	b.otherModel()
	ctx, cancel := context.WithCancel(context.Background())
	b.model.before = func(ctx context.Context, _ []string) error {
		cancel()
		return ctx.Err()
	}
	if _, err := b.ingester().Apply(ctx, b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	b.model.before = nil
	p := b.plan(ingest.PlanOptions{})
	if p.WriteCount() != 0 || !p.Build || p.IsNoOp() {
		t.Fatalf("plan in the middle of a build: %s", describe(p))
	}
	r, err := b.ingester().EmbedPending(context.Background(), ingest.ApplyOptions{})
	if err != nil || !r.Switched {
		t.Fatalf("result %+v, %v", r, err)
	}
	b.noop()
	b.equalsFresh()
}

func TestEmbedPendingNeverBeginsABuild(t *testing.T) { // D8, S27
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 5))
	b.apply()
	b.otherModel()
	r, err := b.ingester().EmbedPending(context.Background(), ingest.ApplyOptions{})
	if err != nil || r.Embedded != 0 || len(b.generations()) != 1 {
		t.Fatalf("result %+v, %v, generations %+v", r, err, b.generations())
	}
}

func TestChangesDuringABuild(t *testing.T) {
	b := newBench(t)
	for i := range 4 {
		b.tree.write(fmt.Sprintf("%d.md", i), fmt.Sprintf("zirkonium%d", i))
	}
	b.apply()
	b.otherModel()
	b.model.before = func(context.Context, []string) error { return errors.New("model is away") }
	b.apply() // texts are in the new generation, vectors are not
	b.tree.write("0.md", "palladium0")
	b.tree.write("4.md", "wolfram4")
	b.tree.remove("1.md")
	b.tree.rename("2.md", "two.md")
	if r := b.apply(); r.Switched || r.Added != 1 || r.Updated != 1 || r.Removed != 1 || r.Moved != 1 {
		t.Fatalf("result %+v", r)
	}
	for word, want := range map[string]string{"palladium0": "0.md", "wolfram4": "4.md", "zirkonium0": "", "zirkonium1": "", "zirkonium2": "two.md"} {
		if got := b.found(word); got != want {
			t.Errorf("while building, %s is found in %q, want %q", word, got, want)
		}
	}
	b.model.before = nil
	if r := b.apply(); !r.Switched {
		t.Fatalf("result %+v", r)
	}
	for word, want := range map[string]string{"palladium0": "0.md", "wolfram4": "4.md", "zirkonium1": "", "zirkonium2": "two.md"} {
		if got := b.found(word); got != want {
			t.Errorf("after the switch, %s is found in %q, want %q", word, got, want)
		}
	}
	b.noop()
	b.equalsFresh()
}

func TestUnreadableFilesAreCarriedOver(t *testing.T) {
	for _, capacity := range []int{0, 60} { // the same size, and passages that no longer fit
		t.Run(strconv.Itoa(capacity), func(t *testing.T) {
			b := newBench(t)
			b.tree.write("a.md", "zirkonium "+text("alpha", 12))
			b.tree.write("b.md", "palladium "+text("beta", 12))
			b.tree.write("c.md", "wolfram "+text("gamma", 3))
			b.apply()
			b.tree.write("c.md", "bad now")
			b.apply()
			b.otherModel()
			b.model.capacity = capacity
			b.tree.problem["b.md"] = errors.New("permission denied")
			r := b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{})
			if !r.Switched || r.Pending != 0 {
				t.Fatalf("result %+v", r)
			}
			for word, want := range map[string]string{"zirkonium": "a.md", "palladium": "b.md", "wolfram": "c.md"} {
				if got := b.found(word); got != want {
					t.Errorf("%s is found in %q, want %q", word, got, want)
				}
			}
			if d := b.document("c.md"); d.State != corpus.DocumentFailed {
				t.Errorf("c.md is %s", d.State)
			}
			delete(b.tree.problem, "b.md")
			b.apply()
			b.noop()
			b.tree.remove("c.md") // what its earlier version left, a fresh library never had
			b.apply()
			b.equalsFresh()
		})
	}
}

func TestModelTakenAway(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", "zirkonium "+text("alpha", 5))
	b.apply()
	b.model = nil
	if r := b.apply(); !r.Switched {
		t.Fatalf("result %+v", r)
	}
	if b.found("zirkonium") != "a.md" {
		t.Error("not found")
	}
	b.noop()
	b.equalsFresh()
}

func TestFirstGenerationIsLiveAtOnce(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 5))
	p := b.plan(ingest.PlanOptions{})
	if p.Build {
		t.Error("the first generation is planned as a second one")
	}
	if r := b.run(p, ingest.ApplyOptions{NoWait: true}); r.Switched || len(b.generations()) != 1 || !b.generations()[0].Live {
		t.Errorf("result %+v", r)
	}
}
