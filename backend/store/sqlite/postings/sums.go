package postings

import (
	"bytes"
	"hash/maphash"
)

// Sums tells what a segment holds, so that two segments can be compared
// passage by passage, in whatever segments the passages are. All passages of
// the directory are in it; a passage without terms has the sum 0.
type Sums struct {
	Passages []Passage
	Of       map[uint64]uint64 // by number: sum of the digests of its terms with their places
}

// Sum reads a whole segment, whose blocks next returns as in Input. Damage of
// any kind, also of the order of keys and blocks, is ErrDamaged. The sums of
// two segments may be compared if their seeds are equal.
func Sum(seed maphash.Seed, base uint64, next func() (Block, error)) (Sums, error) {
	s := Sums{Of: map[uint64]uint64{}}
	c := cursor{}
	first := []byte(nil)
	c.blocks = func() (Block, error) {
		b, err := next()
		first = b.Key
		return b, err
	}
	var last, text []byte
	for {
		if err := c.advance(); err != nil {
			return s, err
		}
		if c.done {
			return s, nil
		}
		key := c.current()
		if len(key) == 0 || bytes.Compare(key, last) <= 0 && last != nil || first != nil && !bytes.Equal(first, key) {
			return s, ErrDamaged
		}
		first = nil
		last = append(last[:0], key...)
		add := func(num uint64, at []uint32) error {
			if _, is := s.Of[num]; !is {
				return ErrDamaged // not in the directory
			}
			text = append(text[:0], key...)
			for _, place := range at {
				text = append(text, 0, byte(place), byte(place>>8), byte(place>>16), byte(place>>24))
			}
			s.Of[num] += maphash.Bytes(seed, text)
			return nil
		}
		if err := s.item(base, Field(key[0]), c.value(), add); err != nil {
			return s, err
		}
	}
}

// item takes one item in.
func (s *Sums) item(base uint64, f Field, value []byte, add func(num uint64, at []uint32) error) error {
	switch f {
	case Directory:
		passages, err := DecodePassages(base, value)
		for _, p := range passages {
			s.Of[p.Num] = 0
		}
		s.Passages = append(s.Passages, passages...)
		return err
	case Parts, Whole:
		nums, err := DecodeNums(base, value)
		if err != nil {
			return err
		}
		for _, n := range nums {
			if err := add(n, nil); err != nil {
				return err
			}
		}
		return nil
	case Places:
		places, err := DecodePlaces(base, value)
		if err != nil {
			return err
		}
		for _, p := range places {
			if err := add(p.Num, p.At); err != nil {
				return err
			}
		}
		return nil
	}
	return ErrDamaged
}
