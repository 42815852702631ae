// Package postings encodes the segments of an inverted index. It is pure: it
// turns passages into blocks of bytes, merges the blocks of several segments,
// and reads blocks; where they are kept is the caller's affair.
//
// A segment is immutable and covers passages of a range of numbers; segments
// of one index cover ranges that do not overlap. Its blocks hold items, which
// are pairs of key and value in the order of their keys:
//
//	directory  the passages themselves: number, document, id
//	parts      per term of the second field: the passages that hold it
//	whole      per term of the first field: the passages that hold it
//	places     per term of the first field: the same with the positions
//
// Lists of passages are apart from positions, since choosing candidates needs
// only the former (compare Lucene's .doc and .pos files). Numbers are
// delta-coded varints. A passage that was deleted stays in its segment's lists
// until a merge; the caller keeps a Set of them beside the segment.
//
// Every decoder refuses damaged input with ErrDamaged and never panics.
package postings

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sort"

	"ibid/backend/corpus"
)

// ErrDamaged: a block or value is not what this package wrote.
var ErrDamaged = errors.New("inverted index is damaged")

// Field is the part of the index that a key belongs to.
type Field byte

// Fields, in the order of their keys.
const (
	Directory Field = iota
	Parts
	Whole
	Places
)

// Key is the key of a term's list.
func Key(f Field, term string) []byte { return append([]byte{byte(f)}, term...) }

// DirectoryKey is the key under which the passage with the number would begin
// a directory item; the item at or before it holds the passage.
func DirectoryKey(num uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(Directory)}, num)
}

// Passage is a directory entry.
type Passage struct {
	Num      uint64
	Document uint64
	ID       corpus.ID
}

// Entry is a passage to be indexed.
type Entry struct {
	Passage
	Whole []string // first field: one term a position, "" where none is
	Parts []string // second field: any order, with repeats
}

// Place is a passage with the ascending positions of a term in it.
type Place struct {
	Num uint64
	At  []uint32
}

// directorySize is the number of passages in one directory item.
const directorySize = 256

// Build emits the blocks of a segment of entries, which are ordered by number.
func Build(entries []Entry, emit func(Block) error) error {
	w := blockWriter{emit: emit}
	passages := make([]Passage, len(entries))
	for i := range entries {
		passages[i] = entries[i].Passage
	}
	if err := writeDirectory(&w, passages); err != nil {
		return err
	}
	parts := map[string][]uint64{}
	places := map[string][]Place{}
	for i := range entries {
		e := &entries[i]
		for _, t := range e.Parts {
			if l := parts[t]; len(l) == 0 || l[len(l)-1] != e.Num {
				parts[t] = append(l, e.Num)
			}
		}
		for at, t := range e.Whole {
			if t == "" {
				continue
			}
			l := places[t]
			if len(l) == 0 || l[len(l)-1].Num != e.Num {
				l = append(l, Place{Num: e.Num})
				places[t] = l
			}
			p := &l[len(l)-1]
			p.At = append(p.At, uint32(at))
		}
	}
	for _, t := range sortedKeys(parts) {
		if err := w.add(Key(Parts, t), appendNums(nil, parts[t])); err != nil {
			return err
		}
	}
	terms := sortedKeys(places)
	var nums []uint64
	for _, t := range terms {
		nums = nums[:0]
		for _, p := range places[t] {
			nums = append(nums, p.Num)
		}
		if err := w.add(Key(Whole, t), appendNums(nil, nums)); err != nil {
			return err
		}
	}
	for _, t := range terms {
		if err := w.add(Key(Places, t), appendPlaces(nil, places[t])); err != nil {
			return err
		}
	}
	return w.flush()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func writeDirectory(w *blockWriter, passages []Passage) error {
	for len(passages) > 0 {
		n := min(directorySize, len(passages))
		if err := w.add(DirectoryKey(passages[0].Num), appendPassages(nil, passages[:n])); err != nil {
			return err
		}
		passages = passages[n:]
	}
	return nil
}

// Merge emits the blocks of one segment that replaces several, given in the
// order of their numbers, without the passages that dead reports.
func Merge(sources []Source, dead func(num uint64) bool, emit func(Block) error) error {
	w := blockWriter{emit: emit}
	heads := make([]*cursor, 0, len(sources))
	for _, s := range sources {
		c := &cursor{source: s}
		if err := c.advance(); err != nil {
			return err
		}
		heads = append(heads, c)
	}
	var directory []Passage
	for _, c := range heads { // directories follow each other
		for !c.done && c.key[0] == byte(Directory) {
			all, err := DecodePassages(c.value)
			if err != nil {
				return err
			}
			for _, p := range all {
				if !dead(p.Num) {
					directory = append(directory, p)
				}
			}
			if err := c.advance(); err != nil {
				return err
			}
		}
	}
	if err := writeDirectory(&w, directory); err != nil {
		return err
	}
	for {
		var key []byte
		for _, c := range heads {
			if !c.done && (key == nil || bytes.Compare(c.key, key) < 0) {
				key = c.key
			}
		}
		if key == nil {
			return w.flush()
		}
		key = bytes.Clone(key)
		value, err := mergeValues(heads, key, dead)
		if err != nil {
			return err
		}
		if value == nil {
			continue
		}
		if err := w.add(key, value); err != nil {
			return err
		}
	}
}

// mergeValues joins the values under key and steps over them; nil if no living
// passage is left.
func mergeValues(heads []*cursor, key []byte, dead func(uint64) bool) ([]byte, error) {
	var nums []uint64
	var places []Place
	for _, c := range heads {
		if c.done || !bytes.Equal(c.key, key) {
			continue
		}
		switch Field(key[0]) {
		case Parts, Whole:
			list, err := DecodeNums(c.value)
			if err != nil {
				return nil, err
			}
			for _, n := range list {
				if !dead(n) {
					nums = append(nums, n)
				}
			}
		case Places:
			list, err := DecodePlaces(c.value)
			if err != nil {
				return nil, err
			}
			for _, p := range list {
				if !dead(p.Num) {
					places = append(places, p)
				}
			}
		default:
			return nil, ErrDamaged
		}
		if err := c.advance(); err != nil {
			return nil, err
		}
	}
	switch {
	case len(nums) > 0:
		return appendNums(nil, nums), nil
	case len(places) > 0:
		return appendPlaces(nil, places), nil
	}
	return nil, nil
}
