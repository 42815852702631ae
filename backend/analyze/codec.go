package analyze

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Count tells how often a term stands in each field of a text.
type Count struct{ Whole, Parts int }

// Encode returns the record of a text's term frequencies, which stores keep
// beside their index and scoring reads:
//
//	record = version n term*n      terms ascending, by bytes
//	term   = pair(shared, size) rest pair(whole, parts)
//	pair   = one byte of two nibbles; a nibble of 15 is followed by a uvarint
//
// where a term is the first shared bytes of the term before it and size bytes
// of rest, version is one byte, n a uvarint.
func (t Terms) Encode() []byte {
	counts := make(map[string]Count, len(t.Whole))
	for _, term := range t.Whole {
		c := counts[term]
		c.Whole++
		counts[term] = c
	}
	for _, term := range t.Parts {
		c := counts[term]
		c.Parts++
		counts[term] = c
	}
	terms := make([]string, 0, len(counts))
	for term := range counts {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	b := append(make([]byte, 0, 8*len(terms)), recordVersion)
	b = binary.AppendUvarint(b, uint64(len(terms)))
	before := ""
	for _, term := range terms {
		shared := 0
		for shared < min(len(before), len(term)) && before[shared] == term[shared] {
			shared++
		}
		b = appendPair(b, shared, len(term)-shared)
		b = append(b, term[shared:]...)
		b = appendPair(b, counts[term].Whole, counts[term].Parts)
		before = term
	}
	return b
}

const recordVersion = 1

var errRecord = errors.New("damaged record of term frequencies")

// Lookup reads from a record the counts of terms, which are in ascending
// order, into counts, which is as long. A record that Encode did not make is
// an error, as far as it is read.
func Lookup(record []byte, terms []string, counts []Count) error {
	clear(counts)
	r := reader{b: record}
	if r.byte() != recordVersion {
		return errRecord
	}
	n := r.uvarint()
	var term []byte
	for next := 0; n > 0 && next < len(terms); n-- {
		shared, size := r.pair()
		rest := r.take(size)
		if r.failed || shared > len(term) {
			return errRecord
		}
		term = append(term[:shared], rest...)
		whole, parts := r.pair()
		for next < len(terms) && terms[next] < string(term) {
			next++
		}
		for ; next < len(terms) && terms[next] == string(term); next++ {
			counts[next] = Count{whole, parts}
		}
	}
	if r.failed {
		return errRecord
	}
	return nil
}

func appendPair(b []byte, x, y int) []byte {
	b = append(b, byte(min(x, 15)<<4|min(y, 15)))
	if x >= 15 {
		b = binary.AppendUvarint(b, uint64(x-15))
	}
	if y >= 15 {
		b = binary.AppendUvarint(b, uint64(y-15))
	}
	return b
}

// reader reads a record; after a failure everything it returns is zero.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.b, r.failed = nil, true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<31 {
		r.b, r.failed = nil, true
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) pair() (x, y int) {
	p := r.byte()
	x, y = int(p>>4), int(p&15)
	if x == 15 {
		x += r.uvarint()
	}
	if y == 15 {
		y += r.uvarint()
	}
	return x, y
}
