//go:build goexperiment.simd && amd64

package scan

import "simd/archsimd"

// wide tells whether the processor has what dotWide needs.
var wide = archsimd.X86.AVX2()

func dot(q []int16, c []int8) int32 {
	if wide && len(q) >= 32 {
		return dotWide(q, c)
	}
	return dotPlain(q, c)
}

// dotWide is dotPlain, sixteen components at a time in two chains.
func dotWide(q []int16, c []int8) int32 {
	var a, b archsimd.Int32x8
	for len(q) >= 32 && len(c) >= 32 {
		a = a.Add(archsimd.LoadInt16x16Slice(q).DotProductPairs(archsimd.LoadInt8x16Slice(c).ExtendToInt16()))
		b = b.Add(archsimd.LoadInt16x16Slice(q[16:]).DotProductPairs(archsimd.LoadInt8x16Slice(c[16:]).ExtendToInt16()))
		q, c = q[32:], c[32:]
	}
	var parts [8]int32
	a.Add(b).Store(&parts)
	sum := dotPlain(q, c)
	for _, p := range parts {
		sum += p
	}
	return sum
}
