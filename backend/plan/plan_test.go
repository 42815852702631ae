package plan_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

type item struct{ key, hash string }

func planItems(in []item, existing map[string]string) (plan.Delta[item], error) {
	return plan.Plan(in, func(i item) string { return i.key }, func(i item) string { return i.hash }, existing)
}

func TestPlan(t *testing.T) {
	got, err := planItems(
		[]item{{"d", "1"}, {"a", "1"}, {"c", "2"}, {"b", "1"}},
		map[string]string{"a": "1", "c": "1", "z": "1", "y": "1"})
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Delta[item]{
		Added: []item{{"d", "1"}, {"b", "1"}}, Updated: []item{{"c", "2"}},
		Unchanged: []item{{"a", "1"}}, Removed: []string{"y", "z"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(item{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.WriteCount() != 5 || got.IsNoOp() {
		t.Errorf("WriteCount %d, IsNoOp %v", got.WriteCount(), got.IsNoOp())
	}
	if empty, err := planItems(nil, nil); err != nil || !empty.IsNoOp() {
		t.Errorf("nothing against nothing: %+v, %v", empty, err)
	}
}

func TestPlanNamesDuplicates(t *testing.T) {
	_, err := planItems([]item{{"a", "1"}, {"b", "1"}, {"a", "2"}}, map[string]string{"a": "1"})
	var dup *plan.DuplicateError
	if !errors.As(err, &dup) || dup.Key != "a" || dup.First != 0 || dup.Second != 2 || !errors.Is(err, corpus.ErrInvalid) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{`"a"`, "0", "2"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not name %s", err, part)
		}
	}
}

// FuzzPlan applies what it planned and expects the incoming state, and nothing
// to do after that.
func FuzzPlan(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed, uint8(20), uint8(12))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n, keys uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		existing := make(map[string]string)
		for range n {
			existing[strconv.Itoa(rng.IntN(int(keys)+1))] = strconv.Itoa(rng.IntN(3))
		}
		var in []item
		for _, k := range rng.Perm(int(keys) + 1)[:rng.IntN(int(keys)+2)] {
			in = append(in, item{strconv.Itoa(k), strconv.Itoa(rng.IntN(3))})
		}
		before := len(existing)
		d, err := planItems(in, existing)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Added)+len(d.Updated)+len(d.Unchanged) != len(in) || len(existing) != before {
			t.Fatal("an item was lost, or the input changed")
		}
		if !slices.IsSorted(d.Removed) {
			t.Fatal("removed keys are not sorted")
		}
		for _, i := range slices.Concat(d.Added, d.Updated) {
			if h, ok := existing[i.key]; ok && h == i.hash {
				t.Fatalf("%v is written although it is unchanged", i)
			}
			existing[i.key] = i.hash
		}
		for _, k := range d.Removed {
			delete(existing, k)
		}
		if len(existing) != len(in) {
			t.Fatalf("%d things for %d incoming", len(existing), len(in))
		}
		if again, err := planItems(in, existing); err != nil || !again.IsNoOp() {
			t.Fatalf("planning again: %+v, %v", again, err)
		}
	})
}
