package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/store"
)

// TestMassRemovalNeedsConsent: nearly all of a library was removed after one
// click (A5, S28).
func TestMassRemovalNeedsConsent(t *testing.T) {
	b := newBench(t)
	for i := range 40 {
		b.tree.write(fmt.Sprintf("%d.md", i), fmt.Sprint("text ", i))
	}
	b.apply()
	for i := range 30 {
		b.tree.remove(fmt.Sprintf("%d.md", i))
	}
	p := b.plan(ingest.PlanOptions{})
	p.Sources[0].Guard = nil // as in an edited plan
	var guard *ingest.GuardError
	if _, err := b.ingester().Apply(context.Background(), p, ingest.ApplyOptions{AllowRemovals: 29}); !errors.As(err, &guard) || guard.Removals != 30 {
		t.Fatalf("got %v", err)
	}
	if rows := b.rows(); rows["documents"] != 40 {
		t.Fatalf("rows %v", rows)
	}
	if r := b.run(p, ingest.ApplyOptions{AllowRemovals: 30}); r.Removed != 30 {
		t.Errorf("result %+v", r)
	}
}

func TestWhatWasNotSeenStays(t *testing.T) { // A5, D9, S88
	b := newBench(t)
	for _, p := range []string{"a.md", "b.md", "dir/c.md", "dir/d.md"} {
		b.tree.write(p, text(p, 2))
	}
	b.apply()
	before := b.dump()
	files := b.tree.files
	check := func(name string) {
		t.Helper()
		p := b.plan(ingest.PlanOptions{})
		if p.Summary.Removed != 0 || p.Summary.Unavailable == 0 {
			t.Errorf("%s: %s", name, describe(p))
		}
		b.run(p, ingest.ApplyOptions{})
		if b.dump() != before {
			t.Errorf("%s: library changed", name)
		}
		b.tree.files, b.tree.down, b.tree.holes = files, "", nil
		b.noop()
	}
	b.tree.down = "no such folder"
	check("root removed")
	b.tree.files = map[string]file{}
	check("root emptied")
	b.tree.files = map[string]file{"a.md": files["a.md"], "b.md": files["b.md"]}
	b.tree.holes = map[string]string{"dir": "permission denied"}
	check("folder unreadable")

	b.tree.files = map[string]file{"a.md": files["a.md"]}
	p := b.plan(ingest.PlanOptions{Places: map[corpus.ID][]string{b.source.ID: {"dir/d.md"}}})
	if p.Summary.Removed != 1 || len(p.Actions) != 1 || p.Actions[0].Path != "dir/d.md" {
		t.Errorf("only one place was looked at: %s", describe(p))
	}
}

func TestLostPassagesAreRepaired(t *testing.T) { // S11
	b := newBench(t)
	b.tree.write("a.md", text("alpha", 3))
	b.tree.write("b.md", text("beta", 3))
	b.apply()
	b.model.embedded()
	b.store = lossy{b.store, b.document("a.md").ID}
	p := b.plan(ingest.PlanOptions{})
	if p.Summary.Repair != 1 || p.WriteCount() != 1 {
		t.Fatalf("%s", describe(p))
	}
	b.store = b.store.(lossy).Store
	if r := b.run(p, ingest.ApplyOptions{}); r.Repaired != 1 || b.model.embedded() != 0 {
		t.Errorf("result %+v", r)
	}
	b.noop()
}

func TestMarkOfTheRootIsKept(t *testing.T) { // A5
	b := newBench(t)
	b.tree.write("a.md", "alpha")
	b.tree.mark = "device 1"
	p := b.plan(ingest.PlanOptions{})
	if got := b.storedSource().Mark; got != "" {
		t.Errorf("planning stored the mark %q", got)
	}
	b.run(p, ingest.ApplyOptions{})
	b.tree.mark = "device 2"
	partly := b.plan(ingest.PlanOptions{Places: map[corpus.ID][]string{b.source.ID: {"a.md"}}})
	b.run(partly, ingest.ApplyOptions{})
	if got := b.storedSource().Mark; got != "device 1" {
		t.Errorf("mark %q", got)
	}
}

// What somebody says of a root is newer than a plan of before.
func TestMarkOfAChangedRoot(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s *corpus.Source)
		want   string
	}{
		{"nothing", func(*corpus.Source) {}, "device 2"},
		{"another name", func(s *corpus.Source) { s.Name = "other" }, "device 2"},
		{"another place", func(s *corpus.Source) { s.Root = "/elsewhere" }, "device 1"},
		{"the folder accepted", func(s *corpus.Source) { s.Mark = "" }, ""},
		{"another plan's mark", func(s *corpus.Source) { s.Mark = "device 3" }, "device 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.tree.write("a.md", "alpha")
			b.tree.mark = "device 1"
			b.run(b.plan(ingest.PlanOptions{}), ingest.ApplyOptions{})
			b.tree.mark = "device 2"
			b.tree.write("a.md", "beta")
			p := b.plan(ingest.PlanOptions{})
			want := b.storedSource()
			tt.change(&want)
			if err := b.store.ChangeSource(t.Context(), b.source.ID, func(s *corpus.Source) error {
				tt.change(s)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			b.run(p, ingest.ApplyOptions{})
			want.Mark = tt.want
			if diff := cmp.Diff(want, b.storedSource()); diff != "" {
				t.Errorf("source (-want +got):\n%s", diff)
			}
		})
	}
}

func (b *bench) storedSource() (s corpus.Source) {
	b.t.Helper()
	err := b.store.View(context.Background(), func(v store.Reader) error {
		all, err := v.Sources(context.Background())
		s = all[0]
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// lossy is a store whose passages of one document went missing behind its back.
type lossy struct {
	store.Store
	document corpus.ID
}

type lossyReader struct {
	store.Reader
	document corpus.ID
}

func (l lossy) View(ctx context.Context, fn func(store.Reader) error) error {
	return l.Store.View(ctx, func(v store.Reader) error { return fn(lossyReader{v, l.document}) })
}

func (l lossyReader) Rows(ctx context.Context, names ...string) (map[string]int64, error) {
	rows, err := l.Reader.Rows(ctx, names...)
	rows["chunks"]--
	return rows, err
}

func (l lossyReader) Chunks(ctx context.Context, g int64, document corpus.ID) ([]corpus.Chunk, error) {
	if document == l.document {
		return nil, nil
	}
	return l.Reader.Chunks(ctx, g, document)
}
