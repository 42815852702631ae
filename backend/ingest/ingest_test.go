package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/ingest"
)

func TestRandomEdits(t *testing.T) {
	seeds := 8
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(seed), 3))
			b := newBench(t)
			b.tree.write("keep.md", text("keep", 2))
			for range 12 {
				for range 1 + rng.IntN(5) {
					b.edit(rng)
				}
				r := b.apply()
				b.noop()
				if again := b.apply(); again.Embedded != 0 || len(again.Skipped) > 0 {
					t.Fatalf("applying again: %+v", again)
				}
				for p, n := range b.model.texts {
					if n > 1 {
						t.Fatalf("embedded %d times: %q", n, p)
					}
				}
				if len(r.Skipped) > 0 || r.Pending > 0 {
					t.Fatalf("result %+v", r)
				}
			}
			// Where a file became unreadable, its earlier version answers, which a
			// fresh library never had.
			for p := range b.tree.files {
				if d := b.document(p); d.State == corpus.DocumentFailed && d.Chunks > 0 {
					b.tree.remove(p)
				}
			}
			b.apply()
			b.equalsFresh()
		})
	}
}

func (b *bench) edit(rng *rand.Rand) {
	t := b.tree
	var paths []string
	for p := range t.files {
		if p != "keep.md" {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	name := fmt.Sprintf("%c/%d.%s", 'a'+rng.IntN(3), rng.IntN(12), []string{"md", "txt"}[rng.IntN(2)])
	content := text(fmt.Sprintf("subject %d", rng.IntN(9)), rng.IntN(30))
	if rng.IntN(8) == 0 {
		content = "bad " + content
	}
	if len(paths) == 0 || rng.IntN(3) == 0 {
		t.write(name, content)
		return
	}
	p := paths[rng.IntN(len(paths))]
	switch rng.IntN(7) {
	case 0:
		t.write(p, strings.Replace(t.files[p].data, "machine", "engine", 1+rng.IntN(3)))
	case 1:
		t.remove(p)
	case 2:
		t.write(name, t.files[p].data)
	case 3:
		t.rename(p, name)
	case 4:
		for _, q := range paths {
			if path.Dir(q) == path.Dir(p) {
				t.rename(q, "moved/"+q)
			}
		}
	case 5:
		t.touch()
	case 6:
		t.write(p, "")
	}
}

// TestSecondRunDoesNothing: unchanged passages were embedded again where a source
// took several batches, or at each start, and every run appended rows (S19, S20, S34).
func TestSecondRunDoesNothing(t *testing.T) {
	b := newBench(t)
	for i := range 20 {
		b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 12))
	}
	first := b.apply()
	if first.Added != 20 || first.Embedded == 0 || first.Embedded != b.model.embedded() || first.Pending != 0 {
		t.Fatalf("first run: %+v", first)
	}
	rows := b.rows()
	hashed := b.tree.hashed
	for range 5 {
		b.noop()
		if r := b.apply(); r.Embedded != 0 || !r.Clean() || r.Texts != 0 {
			t.Fatalf("later run: %+v", r)
		}
	}
	if b.tree.hashed != hashed {
		t.Errorf("%d files were hashed again", b.tree.hashed-hashed)
	}
	if again := b.rows(); !cmp.Equal(rows, again) {
		t.Errorf("rows grew: %v, then %v", rows, again)
	}
}

// TestTouchedFilesAreHashedOnce: a touch, or a checkout that rewrites times, made
// everything be embedded again (S22, S23).
func TestTouchedFilesAreHashedOnce(t *testing.T) {
	b := newBench(t)
	for i := range 5 {
		b.tree.write(fmt.Sprintf("%d.md", i), text(fmt.Sprint("subject ", i), 3))
	}
	b.apply()
	b.model.embedded()
	b.tree.touch()
	b.tree.hashed = 0
	p := b.plan(ingest.PlanOptions{})
	if !p.IsNoOp() || b.tree.hashed != 5 {
		t.Fatalf("%s; %d hashed", describe(p), b.tree.hashed)
	}
	if r := b.run(p, ingest.ApplyOptions{}); r.Refreshed != 5 || b.model.embedded() != 0 {
		t.Fatalf("result %+v", r)
	}
	b.tree.hashed = 0
	if b.noop(); b.tree.hashed != 0 {
		t.Errorf("%d files were hashed although their fingerprints were refreshed", b.tree.hashed)
	}
}

func TestFingerprintsAreDistrustedWhileFresh(t *testing.T) { // A4
	for _, tt := range []struct {
		rest time.Duration
		seen bool
	}{{time.Second, true}, {2 * time.Second, true}, {3 * time.Second, false}} {
		b := newBench(t)
		b.tree.rest = tt.rest
		b.tree.write("a.md", "alpha")
		b.apply()
		// Rewritten to the same size in the same tick of the file system's clock.
		b.tree.files["a.md"] = file{"omega", b.tree.clock}
		if p := b.plan(ingest.PlanOptions{}); (p.Summary.Updated == 1) != tt.seen {
			t.Errorf("hashed after %v: %s", tt.rest, describe(p))
		}
	}
}
