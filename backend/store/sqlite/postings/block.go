package postings

import (
	"bytes"
	"encoding/binary"
)

// Block is a run of items; Key is the first item's.
type Block struct {
	Key, Data []byte
}

// blockSize is where a block ends: small enough to be read for one term, large
// enough that a segment has few rows. A longer value makes a longer block.
const blockSize = 4096

// blockWriter packs items into blocks. An item is: bytes shared with the key
// before, length of the rest, length of the value, rest, value.
type blockWriter struct {
	emit  func(Block) error
	first []byte // key of the block's first item
	last  []byte // key of the last item, of whatever block
	data  []byte
}

func (w *blockWriter) add(key, value []byte) error {
	if len(w.last) > 0 && bytes.Compare(key, w.last) <= 0 {
		return ErrDamaged
	}
	if len(w.data) > 0 && len(w.data)+len(value) > blockSize {
		if err := w.flush(); err != nil {
			return err
		}
	}
	shared := 0
	if len(w.data) == 0 {
		w.first = bytes.Clone(key)
	} else {
		for shared < len(w.last) && shared < len(key) && w.last[shared] == key[shared] {
			shared++
		}
	}
	data := w.data
	data = binary.AppendUvarint(data, uint64(shared))
	data = binary.AppendUvarint(data, uint64(len(key)-shared))
	data = binary.AppendUvarint(data, uint64(len(value)))
	data = append(data, key[shared:]...)
	data = append(data, value...)
	w.data = data
	w.last = append(w.last[:shared], key[shared:]...)
	return nil
}

// flush emits what there is; the receiver of a block may not keep it.
func (w *blockWriter) flush() error {
	if len(w.data) == 0 {
		return nil
	}
	err := w.emit(Block{Key: w.first, Data: w.data})
	w.data = w.data[:0]
	return err
}

// items walks a block. It keeps places instead of slices: a merge steps so
// often that the collector's write barriers would show.
type items struct {
	data []byte
	at   int    // of the next item
	key  []byte // room for the key; its first size bytes are
	size int
}

// next returns the next value; ok is false at the end.
func (it *items) next() (value []byte, ok bool, err error) {
	if it.at == len(it.data) {
		return nil, false, nil
	}
	d := decoder{b: it.data[it.at:]}
	shared, rest, length := d.uvarint(), d.uvarint(), d.uvarint()
	left := uint64(len(d.b))
	if d.damaged || shared > uint64(it.size) || shared+rest == 0 || rest > left || length > left-rest {
		return nil, false, ErrDamaged
	}
	if it.size = int(shared + rest); it.size > len(it.key) {
		it.key = append(it.key, make([]byte, 2*it.size-len(it.key))...)
	}
	copy(it.key[shared:], d.b[:rest])
	it.at = len(it.data) - len(d.b) + int(rest+length)
	return d.b[rest : rest+length], true, nil
}

// current is the key of the last item; valid until the next step.
func (it *items) current() []byte { return it.key[:it.size] }

// Find returns the value under key in a block, nil if it is not there.
func Find(block, key []byte) ([]byte, error) {
	it := items{data: block}
	for {
		value, ok, err := it.next()
		if err != nil || !ok {
			return nil, err
		}
		switch bytes.Compare(it.current(), key) {
		case 0:
			return value, nil
		case 1:
			return nil, nil
		}
	}
}

// FindAtOrBefore returns the value under the greatest key not above key, nil
// if there is none.
func FindAtOrBefore(block, key []byte) ([]byte, error) {
	it := items{data: block}
	var found []byte
	for {
		value, ok, err := it.next()
		if err != nil {
			return nil, err
		}
		if !ok || bytes.Compare(it.current(), key) > 0 {
			return found, nil
		}
		found = value
	}
}

// cursor walks the items of a segment.
type cursor struct {
	items
	blocks func() (Block, error)
	length int // of the value, which ends where the next item begins
	done   bool
	prefix uint64 // the key's first bytes, by which most keys are told apart
}

// value is the last item's; valid until the next step.
func (c *cursor) value() []byte { return c.data[c.at-c.length : c.at] }

func (c *cursor) advance() error {
	for {
		value, ok, err := c.next()
		if err != nil {
			return err
		}
		if ok {
			c.length = len(value)
			var head [8]byte
			copy(head[:], c.current())
			c.prefix = binary.BigEndian.Uint64(head[:])
			return nil
		}
		b, err := c.blocks()
		if err != nil {
			return err
		}
		if len(b.Data) == 0 {
			c.done = true
			return nil
		}
		c.data, c.at, c.size = b.Data, 0, 0
	}
}
