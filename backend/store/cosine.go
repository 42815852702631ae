package store

import "math"

// Cosine of two vectors, in [-1, 1]; not a number if one is zero or they are of
// different spaces.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
	}
	return max(-1, min(1, dot/math.Sqrt(aa*bb)))
}
