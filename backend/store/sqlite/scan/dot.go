package scan

// dotPlain is the sum of products; both have the same length. The sum fits
// because New bounds the query's code.
func dotPlain(q []int16, c []int8) int32 {
	var s0, s1, s2, s3 int32
	for len(q) >= 8 && len(c) >= 8 {
		s0 += int32(q[0])*int32(c[0]) + int32(q[4])*int32(c[4])
		s1 += int32(q[1])*int32(c[1]) + int32(q[5])*int32(c[5])
		s2 += int32(q[2])*int32(c[2]) + int32(q[6])*int32(c[6])
		s3 += int32(q[3])*int32(c[3]) + int32(q[7])*int32(c[7])
		q, c = q[8:], c[8:]
	}
	for i := range q {
		s0 += int32(q[i]) * int32(c[i])
	}
	return s0 + s1 + s2 + s3
}
