package postings

import (
	"errors"
	"hash/maphash"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store/sqlite/bitset"
)

func sumEntries() []Entry {
	var list []Entry
	for i, words := range [][]string{{"a", "b", "a"}, {"b", "", "c"}, {}, {"a", "b", "a"}} {
		n := uint64(10 + 3*i)
		list = append(list, Entry{Passage: Passage{Num: n, Document: 1, ID: corpus.DeriveID(corpus.NoID, string(rune('a'+i)))}, Whole: words, Parts: []string{"p", "p", "q"}[:i%3]})
	}
	return list
}

// What a passage has does not depend on the segments that it and others are in.
func TestSumIsOfThePassage(t *testing.T) {
	seed := maphash.MakeSeed()
	all := sumEntries()
	whole := build(t, 10, all)
	want, err := Sum(seed, 10, whole.input(nil).Next)
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Passages) != 4 || len(want.Of) != 4 || want.Of[16] == want.Of[10] {
		t.Fatalf("sums %+v", want)
	}
	merged := &segment{base: 10}
	var dead bitset.Set
	if err := Merge(10, []Input{build(t, 10, all[:1]).input(nil), build(t, 13, all[1:]).input(nil)}, merged.emit); err != nil {
		t.Fatal(err)
	}
	got, err := Sum(seed, 10, merged.input(nil).Next)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("merged (-want +got):\n%s", d)
	}
	dead.Add(3)
	without := &segment{base: 10}
	if err := Merge(10, []Input{whole.input(dead)}, without.emit); err != nil {
		t.Fatal(err)
	}
	if got, err = Sum(seed, 10, without.input(nil).Next); err != nil {
		t.Fatal(err)
	}
	delete(want.Of, 13)
	if d := cmp.Diff(want.Of, got.Of); d != "" {
		t.Errorf("without the dead passage (-want +got):\n%s", d)
	}
}

// One byte that differs anywhere shows: as damage, or as another sum.
func TestSumSeesEveryByte(t *testing.T) {
	seed := maphash.MakeSeed()
	s := build(t, 10, sumEntries())
	want, err := Sum(seed, 10, s.input(nil).Next)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.blocks {
		for at := range s.blocks[i].Data {
			changed := &segment{base: 10}
			for _, b := range s.blocks {
				changed.blocks = append(changed.blocks, Block{Key: b.Key, Data: slices.Clone(b.Data)})
			}
			changed.blocks[i].Data[at] ^= 1
			got, err := Sum(seed, 10, changed.input(nil).Next)
			if err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			if err == nil && cmp.Equal(want, got) {
				t.Errorf("block %d is the same with another byte %d", i, at)
			}
		}
	}
}
