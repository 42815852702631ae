//go:build !(goexperiment.simd && amd64)

package scan

func dot(q []int16, c []int8) int32 { return dotPlain(q, c) }
