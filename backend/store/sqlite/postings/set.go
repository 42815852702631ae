package postings

import "math/bits"

// Set is a set of small numbers, one bit each, from 0. The nil Set is empty.
type Set []byte

// Has reports whether n is in the set.
func (s Set) Has(n uint64) bool {
	return n/8 < uint64(len(s)) && s[n/8]&(1<<(n%8)) != 0
}

// Add puts n into the set and reports whether it was new.
func (s *Set) Add(n uint64) bool {
	for uint64(len(*s)) <= n/8 {
		*s = append(*s, make([]byte, n/8+1-uint64(len(*s)))...)
	}
	bit := byte(1) << (n % 8)
	if (*s)[n/8]&bit != 0 {
		return false
	}
	(*s)[n/8] |= bit
	return true
}

// Len returns how many numbers are in the set.
func (s Set) Len() int {
	n := 0
	for _, b := range s {
		n += bits.OnesCount8(b)
	}
	return n
}
