// Package bitset holds sets of small numbers, one bit each.
package bitset

import "math/bits"

// Set is a set of numbers from 0; its bytes are what is stored. The nil Set is
// empty and ready to use.
type Set []byte

// Has reports whether n is in the set.
func (s Set) Has(n uint64) bool {
	return n/8 < uint64(len(s)) && s[n/8]&(1<<(n%8)) != 0
}

// Add puts n into the set and reports whether it was new.
func (s *Set) Add(n uint64) bool {
	if need := int(n/8) + 1 - len(*s); need > 0 {
		*s = append(*s, make([]byte, need)...)
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
