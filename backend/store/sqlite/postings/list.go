package postings

import (
	"encoding/binary"

	"ibid/backend/corpus"
	"ibid/backend/store/sqlite/bitset"
)

// list is a term's value taken apart: how many passages, the first and last of
// them, and the body, which is what follows the first number: in Places its
// positions, then for each further passage the distance from the one before,
// in Places followed by the positions. Positions are their number and their
// distances.
type list struct {
	count, first, last uint64
	body               []byte
}

// appendTo writes the value: count, first, distance of the last if there are
// several, body.
func (l *list) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, l.count)
	b = binary.AppendUvarint(b, l.first)
	if l.count > 1 {
		b = binary.AppendUvarint(b, l.last-l.first)
	}
	return append(b, l.body...)
}

func parseList(value []byte) (list, error) {
	d := decoder{b: value}
	l := list{count: d.uvarint(), first: d.uvarint()}
	l.last = l.first
	if l.count > 1 {
		l.last += d.uvarint()
	}
	if l.body = d.b; d.damaged || l.count == 0 || l.last < l.first || l.count-1 > uint64(len(d.b)) {
		return list{}, ErrDamaged
	}
	return l, nil
}

// collect makes l the list of one term's occurrences.
func (l *list) collect(all []occurrence, places bool) {
	*l = list{first: all[0].num, last: all[len(all)-1].num, body: l.body[:0]}
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].num == all[i].num {
			end++
		}
		if l.count++; l.count > 1 {
			l.body = binary.AppendUvarint(l.body, all[i].num-all[i-1].num)
		}
		if places {
			l.body = binary.AppendUvarint(l.body, uint64(end-i))
			at := uint32(0)
			for _, o := range all[i:end] {
				l.body = binary.AppendUvarint(l.body, uint64(o.at-at))
				at = o.at
			}
		}
		i = end
	}
}

// joiner appends lists of ascending numbers to each other.
type joiner struct {
	list
	b []byte // the body, behind room for the header
}

// headerRoom is the longest header of a list.
const headerRoom = 3 * binary.MaxVarintLen64

func (j *joiner) reset() { j.list = list{} }

func (j *joiner) add(l list) {
	if l.count == 0 {
		return
	}
	b := j.b
	if j.count == 0 {
		j.first = l.first
		b = append(b[:0], make([]byte, headerRoom)...)
	} else {
		b = binary.AppendUvarint(b, l.first-j.last)
	}
	j.count += l.count
	j.last = l.last
	b = append(b, l.body...)
	j.b = b
}

// value returns the joined list; it is valid while the joiner's buffer is.
func (j *joiner) value() []byte {
	var room [headerRoom]byte
	header := (&list{count: j.count, first: j.first, last: j.last}).appendTo(room[:0])
	start := headerRoom - len(header)
	copy(j.b[start:], header)
	return j.b[start:]
}

// filter returns the list without dead numbers; its body is appended to b.
func (l list) filter(f Field, dead bitset.Set, b []byte) (kept list, body []byte, err error) {
	d := decoder{b: l.body}
	num := l.first
	for i := range l.count {
		if i > 0 {
			num = d.ascend(num)
		}
		positions := d.b
		if f == Places {
			d.skip(d.uvarint())
		}
		positions = positions[:len(positions)-len(d.b)]
		if d.damaged {
			return list{}, b, ErrDamaged
		}
		if dead.Has(num) {
			continue
		}
		if kept.count++; kept.count == 1 {
			kept.first = num
		} else {
			b = binary.AppendUvarint(b, num-kept.last)
		}
		kept.last = num
		b = append(b, positions...)
	}
	kept.body = b
	return kept, b, d.end()
}

// DecodeNums returns the numbers of a list of Parts or Whole, ascending.
func DecodeNums(base uint64, value []byte) ([]uint64, error) {
	l, err := parseList(value)
	if err != nil {
		return nil, err
	}
	d := decoder{b: l.body}
	num := l.first + base
	nums := make([]uint64, 1, l.count)
	nums[0] = num
	for range l.count - 1 {
		num = d.ascend(num)
		nums = append(nums, num)
	}
	if num != l.last+base {
		return nil, ErrDamaged
	}
	return nums, d.end()
}

// DecodePlaces returns a list of Places.
func DecodePlaces(base uint64, value []byte) ([]Place, error) {
	l, err := parseList(value)
	if err != nil {
		return nil, err
	}
	d := decoder{b: l.body}
	num := l.first + base
	places := make([]Place, 0, l.count)
	for i := range l.count {
		if i > 0 {
			num = d.ascend(num)
		}
		p := Place{Num: num, At: make([]uint32, 0, d.count(1))}
		at := uint64(0)
		for range cap(p.At) {
			if len(p.At) == 0 {
				at = d.uvarint()
			} else {
				at = d.ascend(at)
			}
			if at > 1<<32-1 {
				return nil, ErrDamaged
			}
			p.At = append(p.At, uint32(at))
		}
		places = append(places, p)
	}
	if num != l.last+base {
		return nil, ErrDamaged
	}
	return places, d.end()
}

func appendPassages(b []byte, base uint64, passages []Passage) []byte {
	b = binary.AppendUvarint(b, uint64(len(passages)))
	last := base
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
func DecodePassages(base uint64, b []byte) ([]Passage, error) {
	d := decoder{b: b}
	passages := make([]Passage, 0, d.count(2+len(corpus.ID{})))
	num := base
	for i := range cap(passages) {
		if i == 0 {
			num += d.uvarint()
		} else {
			num = d.ascend(num)
		}
		p := Passage{Num: num, Document: d.uvarint()}
		copy(p.ID[:], d.bytes(len(p.ID)))
		passages = append(passages, p)
	}
	return passages, d.end()
}

// decoder reads varints and remembers whether something was wrong.
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

// ascend reads the distance to a number, which is greater than last.
func (d *decoder) ascend(last uint64) uint64 {
	next := last + d.uvarint()
	if next <= last {
		d.damaged = true
	}
	return next
}

// skip steps over n varints.
func (d *decoder) skip(n uint64) {
	for i, x := range d.b {
		if n == 0 {
			d.b = d.b[i:]
			return
		}
		if x < 0x80 {
			n--
		}
	}
	d.b = nil
	d.damaged = d.damaged || n > 0
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
