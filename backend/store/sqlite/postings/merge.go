package postings

import (
	"bytes"
	"cmp"

	"ibid/backend/store/sqlite/bitset"
)

// Input is a segment that goes into a merge.
type Input struct {
	Base uint64
	Dead bitset.Set // of numbers counted from Base
	// Next returns the segment's blocks in order, and no data after the last.
	Next func() (Block, error)
}

// Merge emits the blocks of one segment with the given base that replaces the
// inputs, which come in the order of their numbers, without dead passages.
func Merge(base uint64, inputs []Input, emit func(Block) error) error {
	w := blockWriter{emit: emit}
	heads := make([]*head, len(inputs))
	for i := range inputs {
		in := &inputs[i]
		if in.Base < base {
			return ErrDamaged
		}
		heads[i] = &head{cursor: cursor{blocks: in.Next}, input: in, shift: in.Base - base}
		if err := heads[i].advance(); err != nil {
			return err
		}
	}
	if err := mergeDirectories(&w, base, heads); err != nil {
		return err
	}
	var key []byte
	var joined joiner
	same := make([]int, 0, len(heads)) // those that stand at the least key
	for {
		same = same[:0]
		for i, h := range heads {
			if h.done {
				continue
			}
			order := -1
			if len(same) > 0 {
				order = cmp.Compare(h.prefix, heads[same[0]].prefix)
				if order == 0 {
					order = bytes.Compare(h.current(), key)
				}
			}
			switch order {
			case -1:
				key = h.current()
				same = append(same[:0], i)
			case 0:
				same = append(same, i)
			}
		}
		if len(same) == 0 {
			return w.flush()
		}
		joined.reset()
		for _, i := range same {
			l, err := heads[i].list(Field(key[0]))
			if err != nil {
				return err
			}
			joined.add(l)
		}
		if joined.count > 0 {
			if err := w.add(key, joined.value()); err != nil {
				return err
			}
		}
		for _, i := range same {
			if err := heads[i].advance(); err != nil {
				return err
			}
		}
	}
}

// mergeDirectories joins what stands before the terms.
func mergeDirectories(w *blockWriter, base uint64, heads []*head) error {
	var all []Passage
	for _, h := range heads {
		for !h.done && Field(h.current()[0]) == Directory {
			passages, err := DecodePassages(h.input.Base, h.value())
			if err != nil {
				return err
			}
			for _, p := range passages {
				if !h.input.Dead.Has(p.Num - h.input.Base) {
					all = append(all, p)
				}
			}
			if err := h.advance(); err != nil {
				return err
			}
		}
	}
	return writeDirectory(w, base, all)
}

// head is where a merge stands in one of its inputs.
type head struct {
	cursor
	input   *Input
	shift   uint64 // of the input's numbers to the result's
	scratch []byte
}

// list returns the living part of the present value in the result's numbers.
func (h *head) list(f Field) (list, error) {
	l, err := parseList(h.value())
	if err != nil {
		return list{}, err
	}
	if len(h.input.Dead) > 0 {
		if l, h.scratch, err = l.filter(f, h.input.Dead, h.scratch[:0]); err != nil {
			return list{}, err
		}
	}
	l.first += h.shift
	l.last += h.shift
	return l, nil
}
