package postings

import (
	"encoding/binary"

	"ibid/backend/corpus"
)

func appendNums(b []byte, nums []uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(nums)))
	last := uint64(0)
	for _, n := range nums {
		b = binary.AppendUvarint(b, n-last)
		last = n
	}
	return b
}

// DecodeNums returns the ascending numbers of a list.
func DecodeNums(b []byte) ([]uint64, error) {
	d := decoder{b: b}
	nums := make([]uint64, 0, d.count(1))
	last := uint64(0)
	for range cap(nums) {
		last = d.ascend(last, len(nums) == 0)
		nums = append(nums, last)
	}
	return nums, d.end()
}

func appendPlaces(b []byte, places []Place) []byte {
	b = binary.AppendUvarint(b, uint64(len(places)))
	last := uint64(0)
	for _, p := range places {
		b = binary.AppendUvarint(b, p.Num-last)
		last = p.Num
		b = binary.AppendUvarint(b, uint64(len(p.At)))
		at := uint32(0)
		for _, x := range p.At {
			b = binary.AppendUvarint(b, uint64(x-at))
			at = x
		}
	}
	return b
}

// DecodePlaces returns a list with positions.
func DecodePlaces(b []byte) ([]Place, error) {
	d := decoder{b: b}
	places := make([]Place, 0, d.count(2))
	last := uint64(0)
	for range cap(places) {
		last = d.ascend(last, len(places) == 0)
		p := Place{Num: last, At: make([]uint32, 0, d.count(1))}
		at := uint64(0)
		for range cap(p.At) {
			at = d.ascend(at, len(p.At) == 0)
			if at > 1<<32-1 {
				return nil, ErrDamaged
			}
			p.At = append(p.At, uint32(at))
		}
		places = append(places, p)
	}
	return places, d.end()
}

func appendPassages(b []byte, passages []Passage) []byte {
	b = binary.AppendUvarint(b, uint64(len(passages)))
	last := uint64(0)
	for i := range passages {
		p := &passages[i]
		b = binary.AppendUvarint(b, p.Num-last)
		last = p.Num
		b = binary.AppendUvarint(b, p.Document)
		b = append(b, p.ID[:]...)
	}
	return b
}

// DecodePassages returns a directory item.
func DecodePassages(b []byte) ([]Passage, error) {
	d := decoder{b: b}
	passages := make([]Passage, 0, d.count(2+len(corpus.ID{})))
	last := uint64(0)
	for range cap(passages) {
		last = d.ascend(last, len(passages) == 0)
		p := Passage{Num: last, Document: d.uvarint()}
		copy(p.ID[:], d.bytes(len(p.ID)))
		passages = append(passages, p)
	}
	return passages, d.end()
}

// decoder reads varints and remembers the first fault.
type decoder struct {
	b       []byte
	damaged bool
}

func (d *decoder) uvarint() uint64 {
	if len(d.b) > 0 && d.b[0] < 0x80 { // most are small
		v := d.b[0]
		d.b = d.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.damaged, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

// ascend reads the distance to the next number, which is greater than last
// unless it is the first.
func (d *decoder) ascend(last uint64, first bool) uint64 {
	delta := d.uvarint()
	if last+delta < last || (delta == 0 && !first) {
		d.damaged = true
	}
	return last + delta
}

// count reads the length of a list whose elements take at least size bytes
// each, so that damage cannot ask for memory without bound.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.b)/size) {
		d.damaged, d.b = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.b) {
		d.damaged, d.b = true, nil
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) end() error {
	if d.damaged || len(d.b) > 0 {
		return ErrDamaged
	}
	return nil
}
