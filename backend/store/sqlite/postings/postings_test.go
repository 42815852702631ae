package postings

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ibid/backend/corpus"
	"ibid/backend/store/sqlite/bitset"
)

// segment is a segment in memory.
type segment struct {
	base   uint64
	blocks []Block
}

func (s *segment) emit(b Block) error {
	s.blocks = append(s.blocks, Block{Key: slices.Clone(b.Key), Data: slices.Clone(b.Data)})
	return nil
}

func (s *segment) input(dead bitset.Set) Input {
	i := 0
	return Input{Base: s.base, Dead: dead, Next: func() (Block, error) {
		if i == len(s.blocks) {
			return Block{}, nil
		}
		i++
		return s.blocks[i-1], nil
	}}
}

// find returns the value under the key as a caller with a database would.
func (s *segment) find(t *testing.T, key []byte, in func(block, key []byte) ([]byte, error)) []byte {
	t.Helper()
	at, found := slices.BinarySearchFunc(s.blocks, key, func(b Block, key []byte) int { return slices.Compare(b.Key, key) })
	if !found {
		at--
	}
	if at < 0 {
		return nil
	}
	value, err := in(s.blocks[at].Data, key)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func build(t *testing.T, base uint64, entries []Entry) *segment {
	t.Helper()
	s := &segment{base: base}
	if err := Build(base, entries, s.emit); err != nil {
		t.Fatal(err)
	}
	return s
}

// check compares all that the segment says with the entries.
func check(t *testing.T, s *segment, entries []Entry) {
	t.Helper()
	parts, places := map[string][]uint64{}, map[string][]Place{}
	for _, e := range entries {
		for at, term := range e.Whole {
			if term == "" {
				continue
			}
			l := places[term]
			if len(l) == 0 || l[len(l)-1].Num != e.Num {
				l = append(l, Place{Num: e.Num})
			}
			l[len(l)-1].At = append(l[len(l)-1].At, uint32(at))
			places[term] = l
		}
		for _, term := range e.Parts {
			if l := parts[term]; len(l) == 0 || l[len(l)-1] != e.Num {
				parts[term] = append(l, e.Num)
			}
		}
		value := s.find(t, DirectoryKey(s.base, e.Num), FindAtOrBefore)
		directory, err := DecodePassages(s.base, value)
		if err != nil || !slices.Contains(directory, e.Passage) {
			t.Fatalf("passage %d is not in its directory item %v (%v)", e.Num, directory, err)
		}
	}
	items := 0
	for _, b := range s.blocks {
		it := keysOf(t, b)
		items += len(it)
	}
	directories := (len(entries) + directorySize - 1) / directorySize
	if want := directories + len(parts) + 2*len(places); items != want {
		t.Errorf("%d items, want %d", items, want)
	}
	for term, want := range parts {
		got, err := DecodeNums(s.base, s.find(t, Key(Parts, term), Find))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("part %q: %v (-want +got):\n%s", term, err, diff)
		}
	}
	for term, want := range places {
		got, err := DecodePlaces(s.base, s.find(t, Key(Places, term), Find))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("places of %q: %v (-want +got):\n%s", term, err, diff)
		}
		nums, err := DecodeNums(s.base, s.find(t, Key(Whole, term), Find))
		var of []uint64
		for _, p := range want {
			of = append(of, p.Num)
		}
		if diff := cmp.Diff(of, nums); diff != "" || err != nil {
			t.Errorf("term %q: %v (-want +got):\n%s", term, err, diff)
		}
	}
	for _, absent := range []string{"", "absent", "zzz", "\x00"} {
		if _, ok := parts[absent]; ok {
			continue
		}
		if v := s.find(t, Key(Parts, absent), Find); v != nil {
			t.Errorf("%q has a value", absent)
		}
	}
}

// keysOf returns the keys of a block's items.
func keysOf(t *testing.T, b Block) (keys []string) {
	t.Helper()
	it := items{data: b.Data}
	for {
		_, ok, err := it.next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return keys
		}
		if len(keys) == 0 && string(b.Key) != string(it.current()) {
			t.Fatalf("block %q begins with %q", b.Key, it.current())
		}
		keys = append(keys, string(it.current()))
	}
}

func randomEntries(r *rand.Rand, next *uint64, n int) []Entry {
	entries := make([]Entry, n)
	for i := range entries {
		*next += 1 + uint64(r.IntN(3)*r.IntN(50))
		e := Entry{Passage: Passage{Num: *next, Document: *next / 7, ID: corpus.DeriveID(corpus.NoID, strconv.FormatUint(*next, 10))}}
		for range r.IntN(40) {
			term := fmt.Sprintf("t%d", r.IntN(1+r.IntN(200)))
			if r.IntN(5) == 0 {
				term = ""
			}
			e.Whole = append(e.Whole, term)
		}
		for range r.IntN(20) {
			e.Parts = append(e.Parts, strings.Repeat("p", r.IntN(3))+strconv.Itoa(r.IntN(30)))
		}
		entries[i] = e
	}
	return entries
}

func TestBuild(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 10, directorySize, directorySize + 1, 700} {
		next := uint64(r.IntN(1 << 40))
		base := next
		entries := randomEntries(r, &next, n)
		check(t, build(t, base, entries), entries)
	}
}

// TestMerge merges segments in several steps and with dead passages; the
// result is what building it at once gives.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for round := range 30 {
		next := uint64(1 << 33)
		var inputs []Input
		var living []Entry
		base := next + 1
		for range 1 + r.IntN(6) {
			entries := randomEntries(r, &next, 1+r.IntN(60))
			s := build(t, entries[0].Num, entries)
			var dead bitset.Set
			for _, e := range entries {
				if round%3 > 0 && r.IntN(round%3*2) > 0 {
					dead.Add(e.Num - s.base)
				} else {
					living = append(living, e)
				}
			}
			inputs = append(inputs, s.input(dead))
		}
		if inputs[0].Base < base {
			t.Fatal("wrong test")
		}
		base = inputs[0].Base
		merged := &segment{base: base}
		if err := Merge(base, inputs, merged.emit); err != nil {
			t.Fatal(err)
		}
		check(t, merged, living)
		again := &segment{base: base}
		if err := Merge(base, []Input{merged.input(nil)}, again.emit); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(merged.blocks, again.blocks, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("merging one segment changes it:\n%s", diff)
		}
	}
}

func TestMergeRefusesDisorder(t *testing.T) {
	a := build(t, 10, []Entry{{Passage: Passage{Num: 10}, Parts: []string{"x"}}})
	b := build(t, 20, []Entry{{Passage: Passage{Num: 20}, Parts: []string{"x"}}})
	s := &segment{}
	if err := Merge(20, []Input{b.input(nil), a.input(nil)}, s.emit); !errors.Is(err, ErrDamaged) {
		t.Errorf("error %v, want %v", err, ErrDamaged)
	}
}

func TestMatch(t *testing.T) {
	entry := func(num uint64, text string) Entry {
		return Entry{Passage: Passage{Num: num}, Whole: strings.Split(text, " ")}
	}
	s := build(t, 1, []Entry{entry(1, "a b c"), entry(2, "b a  c"), entry(3, "a a b a b c"), entry(4, "c b a"), entry(5, "a  c")})
	for _, c := range []struct {
		terms   string
		offsets []uint32
		want    []uint64
	}{
		{"a", []uint32{0}, []uint64{1, 2, 3, 4, 5}},
		{"a b", []uint32{0, 1}, []uint64{1, 3}},
		{"a b c", []uint32{0, 1, 2}, []uint64{1, 3}},
		{"a c", []uint32{0, 2}, []uint64{1, 2, 3, 5}},
		{"a a", []uint32{0, 1}, []uint64{3}},
		{"c b", []uint32{0, 1}, []uint64{4}},
		{"c a", []uint32{0, 1}, nil},
		{"", nil, nil},
	} {
		var lists [][]Place
		for term := range strings.FieldsSeq(c.terms) {
			l, err := DecodePlaces(s.base, s.find(t, Key(Places, term), Find))
			if err != nil {
				t.Fatal(err)
			}
			lists = append(lists, l)
		}
		if got := Match(lists, c.offsets); !slices.Equal(got, c.want) {
			t.Errorf("%q at %v: %v, want %v", c.terms, c.offsets, got, c.want)
		}
	}
}

// FuzzDamage: whatever the bytes, readers return an error or a value, and a
// value that they accept has ascending numbers.
func FuzzDamage(f *testing.F) {
	s := &segment{base: 3}
	if err := Build(3, []Entry{
		{Passage: Passage{Num: 3, Document: 1}, Whole: []string{"a", "b", "", "a"}, Parts: []string{"p"}},
		{Passage: Passage{Num: 900, Document: 2}, Whole: []string{"b"}, Parts: []string{"p", "q"}},
	}, s.emit); err != nil {
		f.Fatal(err)
	}
	for _, b := range s.blocks {
		f.Add(b.Data)
		it := items{data: b.Data}
		for {
			value, ok, _ := it.next()
			if !ok {
				break
			}
			f.Add(value)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if nums, err := DecodeNums(0, data); err == nil && !ascends(nums) {
			t.Errorf("numbers %v", nums)
		}
		if places, err := DecodePlaces(0, data); err == nil {
			for _, p := range places {
				if !slices.IsSorted(p.At) {
					t.Errorf("positions %v", p.At)
				}
			}
		}
		if passages, err := DecodePassages(0, data); err == nil {
			var nums []uint64
			for _, p := range passages {
				nums = append(nums, p.Num)
			}
			if !ascends(nums) {
				t.Errorf("passages %v", nums)
			}
		}
		_, _ = Find(data, []byte("\x02b"))
		_, _ = FindAtOrBefore(data, []byte("\x02b"))
		damaged := &segment{blocks: []Block{{Key: []byte("x"), Data: data}}}
		out := &segment{}
		_ = Merge(0, []Input{damaged.input(bitset.Set{1}), s.input(nil)}, out.emit)
	})
}

func ascends(nums []uint64) bool {
	for i := 1; i < len(nums); i++ {
		if nums[i] <= nums[i-1] {
			return false
		}
	}
	return true
}
