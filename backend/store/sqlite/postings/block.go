package postings

import (
	"bytes"
	"encoding/binary"
)

// Block is a run of items; Key is the first item's.
type Block struct {
	Key, Data []byte
}

// Source returns a segment's blocks in order, and nil data after the last.
type Source func() (Block, error)

// blockSize is where a block ends: small enough to be read for one term, large
// enough that a segment has few rows. A longer value makes a longer block.
const blockSize = 4096

// blockWriter packs items into blocks. An item is: bytes shared with the key
// before, length of the rest, length of the value, rest, value.
type blockWriter struct {
	emit  func(Block) error
	first []byte
	last  []byte
	data  []byte
}

func (w *blockWriter) add(key, value []byte) error {
	if len(w.data) > 0 && len(w.data)+len(value) > blockSize {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.data) == 0 {
		w.first = bytes.Clone(key)
	}
	shared := 0
	for shared < len(w.last) && shared < len(key) && w.last[shared] == key[shared] {
		shared++
	}
	w.data = binary.AppendUvarint(w.data, uint64(shared))
	w.data = binary.AppendUvarint(w.data, uint64(len(key)-shared))
	w.data = binary.AppendUvarint(w.data, uint64(len(value)))
	w.data = append(w.data, key[shared:]...)
	w.data = append(w.data, value...)
	w.last = append(w.last[:0], key...)
	return nil
}

func (w *blockWriter) flush() error {
	if len(w.data) == 0 {
		return nil
	}
	b := Block{Key: w.first, Data: w.data}
	w.first, w.data, w.last = nil, nil, w.last[:0]
	return w.emit(b)
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
	var n [3]uint64
	for i := range n {
		v, size := binary.Uvarint(it.data)
		if size <= 0 {
			return nil, false, ErrDamaged
		}
		n[i], it.data = v, it.data[size:]
	}
	shared, rest, length := n[0], n[1], n[2]
	left := uint64(len(it.data))
	if shared > uint64(len(it.key)) || rest > left || length > left-rest {
		return nil, false, ErrDamaged
	}
	it.key = append(it.key[:shared], it.data[:rest]...)
	value = it.data[rest : rest+length]
	it.data = it.data[rest+length:]
	if len(it.key) == 0 {
		return nil, false, ErrDamaged
	}
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
	source Source
	items  items
	key    []byte
	value  []byte
	done   bool
}

func (c *cursor) advance() error {
	for {
		value, ok, err := c.items.next()
		if err != nil {
			return err
		}
		if ok {
			if bytes.Compare(c.items.key, c.key) <= 0 {
				return ErrDamaged
			}
			c.key, c.value = append(c.key[:0], c.items.key...), value
			return nil
		}
		b, err := c.source()
		if err != nil {
			return err
		}
		if len(b.Data) == 0 {
			c.done = true
			return nil
		}
		c.items = items{data: b.Data}
	}
}
