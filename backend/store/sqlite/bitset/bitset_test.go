package bitset

import (
	"math/rand/v2"
	"testing"
)

func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var s Set
	want := map[uint64]bool{}
	for range 500 {
		n := uint64(r.IntN(1000))
		if got := s.Add(n); got == want[n] {
			t.Fatalf("Add(%d) = %v", n, got)
		}
		want[n] = true
	}
	for n := range uint64(1100) {
		if s.Has(n) != want[n] {
			t.Errorf("Has(%d) = %v", n, s.Has(n))
		}
	}
	if s.Has(1 << 60) {
		t.Error("a number far beyond is in the set")
	}
	if s.Len() != len(want) {
		t.Errorf("Len() = %d, want %d", s.Len(), len(want))
	}
}
