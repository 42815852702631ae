// Package postings encodes the segments of an inverted index. It is pure: it
// turns passages into blocks of bytes, merges the blocks of several segments,
// and reads blocks; where they are kept is the caller's affair.
//
// A segment is immutable and covers a range of passage numbers; the segments
// of one index cover ranges that do not overlap. Its blocks hold items, which
// are pairs of key and value in the order of their keys:
//
//	directory  the passages themselves: number, document, id
//	parts      per term of the second field: the passages that hold it
//	whole      per term of the first field: the passages that hold it
//	places     per term of the first field: the same with the positions
//
// Lists of passages stand apart from positions, since choosing candidates
// needs only the former (compare Lucene's .doc and .pos files). Numbers are
// counted from the segment's base and delta-coded, so that lists of
// neighbouring segments are joined by copying. A passage that was deleted
// stays in its segment's lists until a merge; the caller keeps a set of them
// beside the segment.
//
// Whoever reads damaged input gets ErrDamaged and no panic.
package postings

import (
	"encoding/binary"
	"errors"

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

// DirectoryKey is the key under which the passage would begin a directory
// item; the item at or before it holds the passage.
func DirectoryKey(base, num uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(Directory)}, num-base)
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
