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
	w.data = binary.AppendUvarint(w.data, uint64(shared))
	w.data = binary.AppendUvarint(w.data, uint64(len(key)-shared))
	w.data = binary.AppendUvarint(w.data, uint64(len(value)))
	w.data = append(w.data, key[shared:]...)
	w.data = append(w.data, value...)
	w.last = append(w.last[:0], key...)
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

// items walks a block.
type items struct {
	data []byte
	key  []byte // valid until the next step
}

// next returns the next value; ok is false at the end.
func (it *items) next() (value []byte, ok bool, err error) {
	if len(it.data) == 0 {
		return nil, false, nil
	}
	d := decoder{b: it.data}
	shared, rest, length := d.uvarint(), d.uvarint(), d.uvarint()
	left := uint64(len(d.b))
	if d.damaged || shared > uint64(len(it.key)) || shared+rest == 0 || rest > left || length > left-rest {
		return nil, false, ErrDamaged
	}
	it.key = append(it.key[:shared], d.b[:rest]...)
	value = d.b[rest : rest+length]
	it.data = d.b[rest+length:]
	return value, true, nil
}

// Find returns the value under key in a block, nil if it is not there.
func Find(block, key []byte) ([]byte, error) {
	it := items{data: block}
	for {
		value, ok, err := it.next()
		if err != nil || !ok {
			return nil, err
		}
		switch bytes.Compare(it.key, key) {
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
		if !ok || bytes.Compare(it.key, key) > 0 {
			return found, nil
		}
		found = value
	}
}

// cursor walks the items of a segment.
type cursor struct {
	next  func() (Block, error)
	items items // the present key
	value []byte
	done  bool
}

func (c *cursor) advance() error {
	for {
		value, ok, err := c.items.next()
		if err != nil {
			return err
		}
		if ok {
			c.value = value
			return nil
		}
		b, err := c.next()
		if err != nil {
			return err
		}
		if len(b.Data) == 0 {
			c.done = true
			return nil
		}
		c.items.data = b.Data
		c.items.key = c.items.key[:0]
	}
}
