package ingest_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// at plans for some places of the bench's source.
func (b *bench) at(places ...string) *plan.Reindex {
	b.t.Helper()
	return b.plan(ingest.PlanOptions{Sources: []corpus.ID{b.source.ID}, Places: map[corpus.ID][]string{b.source.ID: places}})
}

// Looking only where files changed plans what looking everywhere does.
func TestPlacesPlanLikeTheWhole(t *testing.T) {
	seeds := 8
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(seed), 11))
			b := newBench(t)
			b.tree.write("keep.md", text("keep", 2))
			b.apply()
			for range 12 {
				before := maps.Clone(b.tree.files)
				for range 1 + rng.IntN(5) {
					b.edit(rng)
				}
				var places []string
				for p, f := range before {
					if b.tree.files[p] != f {
						places = append(places, p)
					}
				}
				for p := range b.tree.files {
					if _, was := before[p]; !was {
						places = append(places, p)
					}
				}
				if len(places) == 0 {
					continue
				}
				slices.Sort(places)
				whole, some := b.plan(ingest.PlanOptions{}), b.at(places...)
				if diff := cmp.Diff(decisions(whole), decisions(some)); diff != "" {
					t.Fatalf("places %q (-whole +places):\n%s", places, diff)
				}
				b.run(some, ingest.ApplyOptions{AllowRemovals: 1 << 20})
				b.noop()
			}
		})
	}
}

// decisions are a plan's actions without estimates, but for what nothing is to
// be done about.
func decisions(p *plan.Reindex) []string {
	var list []string
	for _, a := range p.Actions {
		if a.Kind.IsWork() || a.Kind == plan.Unchanged && a.Fingerprint != (corpus.Fingerprint{}) {
			list = append(list, fmt.Sprintf("%s %s from %q (%s) %s revision %d", a.Kind, a.Path, a.From, a.Reason, a.Document, a.Revision))
		}
	}
	return list
}

// A move of which only the new place was told is a move; a copy is none, nor
// is a file whose old folder cannot be looked at.
func TestMoveIsKnownByItsContent(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(b *bench)
		want   string
	}{
		{"moved", func(b *bench) { b.tree.rename("old/a.md", "new/a.md") }, "moved new/a.md (moved from old/a.md)"},
		{"copied", func(b *bench) { b.tree.write("new/a.md", b.tree.files["old/a.md"].data) }, "added new/a.md (new file)"},
		{"its folder is away", func(b *bench) {
			b.tree.rename("old/a.md", "new/a.md")
			b.tree.holes = map[string]string{"old": "permission denied"}
		}, "added new/a.md (new file)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.tree.write("old/a.md", text("subject", 5))
			b.tree.write("old/b.md", text("other", 5))
			b.apply()
			b.model.embedded()
			tt.change(b)
			p := b.at("new/a.md")
			if got := describe(p); got != tt.want {
				t.Errorf("planned %q, want %q", got, tt.want)
			}
			if b.run(p, ingest.ApplyOptions{}); b.model.embedded() != 0 {
				t.Error("text that is in the library was embedded again")
			}
		})
	}
}

// A new file where a document was first seen that lives elsewhere now gets
// another id.
func TestPlaceOfAMovedDocument(t *testing.T) {
	b := newBench(t)
	b.tree.write("a.md", text("first", 3))
	b.apply()
	b.tree.rename("a.md", "b.md")
	b.apply()
	b.tree.write("a.md", text("second", 3))
	p := b.at("a.md")
	if r := b.run(p, ingest.ApplyOptions{}); r.Added != 1 || len(r.Skipped) > 0 {
		t.Fatalf("%s: %+v", describe(p), r)
	}
	if b.document("a.md").ID == b.document("b.md").ID {
		t.Error("two documents have one id")
	}
	b.noop()
}

// However many documents there are, a save costs the records of its file.
func TestSaveReadsOnlyItsDocuments(t *testing.T) {
	b := newBench(t)
	for i := range 60 {
		b.tree.write(fmt.Sprintf("%d/%d.md", i%7, i), text(fmt.Sprint("subject ", i), 3))
	}
	b.apply()
	meter := &metered{Store: b.store}
	b.store = meter
	b.tree.write("3/new.md", text("new", 3))
	b.tree.write("3/3.md", text("changed", 3))
	if r := b.run(b.at("3/new.md", "3/3.md"), ingest.ApplyOptions{}); r.Added != 1 || r.Updated != 1 {
		t.Fatalf("result %+v", r)
	}
	if n := meter.records.Load(); n == 0 || n > 6 {
		t.Errorf("%d records were read for two files", n)
	}
}

// Where a root folds case, what the ledger spells otherwise is found all the
// same, and a save costs the records of its file there too.
func TestSaveWhereCaseFolds(t *testing.T) {
	b := newBench(t)
	b.tree.fold, b.tree.mark = true, "device 1"
	for i := range 60 {
		b.tree.write(fmt.Sprintf("Folder %d/Note %d.md", i%7, i), text(fmt.Sprint("subject ", i), 3))
	}
	b.apply()
	if !b.storedSource().FoldCase {
		t.Fatal("the source does not fold case")
	}
	meter := &metered{Store: b.store}
	b.store = meter
	b.tree.rename("Folder 3/Note 3.md", "folder 3/NOTE 3.md")
	b.tree.rename("Folder 4/Note 4.md", "Folder 4/note 4.md")
	b.tree.write("Folder 4/note 4.md", text("changed", 3))
	b.tree.remove("Folder 5/Note 5.md")
	b.tree.write("FOLDER 6/new.md", text("new", 3))
	places := []string{"folder 3/note 3.md", "Folder 4/note 4.md", "Folder 5/Note 5.md", "FOLDER 6/new.md"}
	want := decisions(b.plan(ingest.PlanOptions{}))
	meter.records.Store(0)
	p := b.at(places...)
	if diff := cmp.Diff(want, decisions(p)); diff != "" || len(want) != 4 {
		t.Fatalf("plan (-whole +places):\n%s\n%q", diff, want)
	}
	b.run(p, ingest.ApplyOptions{AllowRemovals: 1})
	if n := meter.records.Load(); n == 0 || n > 16 {
		t.Errorf("%d records were read for four files", n)
	}
	b.noop()
	// A folder is one place, however it is spelt.
	b.tree.write("Folder 2/Note 2.md", text("changed", 3))
	if diff := cmp.Diff(decisions(b.plan(ingest.PlanOptions{})), decisions(b.at("FOLDER 2"))); diff != "" {
		t.Errorf("plan of a folder (-whole +places):\n%s", diff)
	}
}

// metered counts the records that are read of documents.
type metered struct {
	store.Store
	records atomic.Int64
}

type meteredReader struct {
	store.Reader
	of *metered
}

func (m *metered) View(ctx context.Context, fn func(store.Reader) error) error {
	return m.Store.View(ctx, func(v store.Reader) error { return fn(meteredReader{v, m}) })
}

func (r meteredReader) Documents(ctx context.Context, source corpus.ID) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		for d, err := range r.Reader.Documents(ctx, source) {
			r.of.records.Add(1)
			if !yield(d, err) {
				return
			}
		}
	}
}

func (r meteredReader) Find(ctx context.Context, w store.Where) ([]corpus.Document, error) {
	found, err := r.Reader.Find(ctx, w)
	r.of.records.Add(int64(len(found)))
	return found, err
}

func (r meteredReader) Recipes(ctx context.Context, generation int64) (map[corpus.ID]store.Made, error) {
	made, err := r.Reader.Recipes(ctx, generation)
	r.of.records.Add(int64(len(made)))
	return made, err
}

func (r meteredReader) RecipesOf(ctx context.Context, generation int64, documents []corpus.ID) (map[corpus.ID]store.Made, error) {
	made, err := r.Reader.RecipesOf(ctx, generation, documents)
	r.of.records.Add(int64(len(made)))
	return made, err
}
