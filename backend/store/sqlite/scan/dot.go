package scan

// dotPlain is the sum of products; both have the same length. The sum fits
// because New bounds the query's code. (Unrolling gains nothing here: Go's
// compiler has no vectors, and the loop waits for the multiplications.)
func dotPlain(q []int16, c []int8) int32 {
	c = c[:len(q)]
	var sum int32
	for i, x := range q {
		sum += int32(x) * int32(c[i])
	}
	return sum
}
