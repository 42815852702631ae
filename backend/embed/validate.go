package embed

import (
	"fmt"
	"math"

	"ibid/backend/corpus"
)

// lengthTolerance is how far a squared length may be from 1: more than float32
// or half-precision arithmetic loses over 4,096 components, less than any
// vector that was not normalised by intent.
const lengthTolerance = 1e-2

// Validate checks what a provider returned before anything is stored: count
// vectors, each of the space's dimensions, finite, not zero and of unit length.
// The error wraps corpus.ErrInvalid and names the first offending vector
// by its place, counted from 0.
func Validate(vectors [][]float32, count int, space corpus.Space) error {
	if len(vectors) != count {
		return fmt.Errorf("check vectors: %w: %d vectors for %d texts", corpus.ErrInvalid, len(vectors), count)
	}
	for i, v := range vectors {
		if len(v) != space.Dimensions {
			return fmt.Errorf("check vectors: %w: vector %d has %d dimensions, the space has %d",
				corpus.ErrInvalid, i, len(v), space.Dimensions)
		}
		var squared float64
		for _, x := range v {
			squared += float64(x) * float64(x)
		}
		switch {
		case math.IsNaN(squared) || math.IsInf(squared, 0):
			return fmt.Errorf("check vectors: %w: vector %d is not finite", corpus.ErrInvalid, i)
		case squared == 0:
			return fmt.Errorf("check vectors: %w: vector %d is zero", corpus.ErrInvalid, i)
		case math.Abs(squared-1) > lengthTolerance:
			return fmt.Errorf("check vectors: %w: vector %d has length %.3g instead of 1",
				corpus.ErrInvalid, i, math.Sqrt(squared))
		}
	}
	return nil
}

// Normalize scales v to unit length in place. It reports false, and leaves v
// as it is, when v is zero or not finite and so has no direction.
func Normalize(v []float32) bool {
	var squared float64
	for _, x := range v {
		squared += float64(x) * float64(x)
	}
	if squared == 0 || math.IsNaN(squared) || math.IsInf(squared, 0) {
		return false
	}
	scale := 1 / math.Sqrt(squared)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}
