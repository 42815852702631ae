package analyze

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkRecord holds that every count comes back, and none for absent terms.
func checkRecord(t *testing.T, terms Terms) {
	t.Helper()
	want := make(map[string]Count)
	for _, term := range terms.Whole {
		c := want[term]
		c.Whole++
		want[term] = c
	}
	for _, term := range terms.Parts {
		c := want[term]
		c.Parts++
		want[term] = c
	}
	ask := []string{"", "absent", "\U0010ffff"}
	for term := range want {
		ask = append(ask, term)
	}
	slices.Sort(ask)
	counts := make([]Count, len(ask))
	if err := Lookup(terms.Encode(), ask, counts); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]Count)
	for i, term := range ask {
		if counts[i] != (Count{}) {
			got[term] = counts[i]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("counts (-want +got):\n%s", diff)
	}
}

func TestRecord(t *testing.T) {
	many := Terms{Whole: slices.Repeat([]string{"same"}, 1000), Parts: slices.Repeat([]string{"same", "some"}, 40)}
	for name, terms := range map[string]Terms{
		"empty":       {},
		"both fields": {Whole: []string{"running", "run"}, Parts: []string{"run", "run"}},
		"many":        many,
		"long":        {Whole: []string{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}},
	} {
		t.Run(name, func(t *testing.T) { checkRecord(t, terms) })
	}
}

func TestDamagedRecord(t *testing.T) {
	record := Terms{Whole: []string{"alpha", "beta", "gamma"}}.Encode()
	ask := []string{"gamma"}
	for n := range len(record) {
		if err := Lookup(record[:n], ask, make([]Count, 1)); err == nil {
			t.Errorf("the first %d of %d bytes were accepted", n, len(record))
		}
	}
	record[0]++
	if err := Lookup(record, ask, make([]Count, 1)); err == nil {
		t.Error("an unknown version was accepted")
	}
}

func FuzzLookup(f *testing.F) {
	f.Add(Terms{Whole: []string{"alpha", "beta"}, Parts: []string{"alph"}}.Encode(), "beta")
	f.Add([]byte{1, 255, 255, 255, 255, 15, 0xff, 255, 255}, "x")
	f.Fuzz(func(t *testing.T, record []byte, term string) {
		counts := make([]Count, 1)
		if err := Lookup(record, []string{term}, counts); err == nil && (counts[0].Whole < 0 || counts[0].Parts < 0) {
			t.Fatalf("negative counts %+v", counts)
		}
	})
}
