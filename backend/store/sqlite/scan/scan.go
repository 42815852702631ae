package scan

import (
	"math"
	"slices"

	"ibid/backend/store/sqlite/bitset"
)

// Scan is one search for the nearest rows.
type Scan struct {
	limit int
	code  []int16 // of the query
	scale float64
	loss  float64 // length of the query's rounding error

	floors     floors // the limit greatest lower ends so far
	candidates []candidate
}

// candidate is a row whose cosine is at most ceiling.
type candidate struct {
	num     uint64
	ceiling float64
}

// New returns a scan for the limit rows nearest to a query, which is finite
// and not zero.
func New(query []float32, limit int) *Scan {
	norm, peak := measure(query)
	// Sixteen bits make the query's own error negligible; fewer where sums of
	// products could pass 31 bits.
	most := min(math.MaxInt16, math.MaxInt32/(128*len(query)))
	s := &Scan{limit: limit, code: make([]int16, len(query)), scale: peak / norm / float64(most)}
	var lost float64
	for i, x := range query {
		u := float64(x) / norm
		c := math.Round(u / s.scale)
		s.code[i] = int16(c)
		lost += (u - c*s.scale) * (u - c*s.scale)
	}
	s.loss = math.Sqrt(lost) + 1e-6
	return s
}

// Add looks at a block's rows, except those that are dead (by their place in
// the block) and, unless documents is nil, those of other documents.
func (s *Scan) Add(b *Block, dead bitset.Set, documents *bitset.Set) {
	for i := range b.Nums {
		if dead.Has(uint64(i)) || (documents != nil && !documents.Has(b.documents[i])) {
			continue
		}
		scale, loss := float64(b.scales[i]), float64(b.losses[i])
		score := float64(dot(s.code, b.code(i))) * scale * s.scale
		// |cos − score| ≤ |lost of the row|·|query| + |code|·|lost of the query|,
		// where |query| = 1 and |code| ≤ 1 + |lost of the row|.
		bound := loss + (1+loss)*s.loss
		if score+bound < s.floors.least(s.limit) {
			continue
		}
		s.floors.add(score-bound, s.limit)
		s.candidates = append(s.candidates, candidate{b.Nums[i], score + bound})
	}
}

// Candidates returns the rows that may be among the nearest, in no order: at
// least limit of them, if there are that many.
func (s *Scan) Candidates() []uint64 {
	least := s.floors.least(s.limit)
	var nums []uint64
	for _, c := range s.candidates {
		if c.ceiling >= least {
			nums = append(nums, c.num)
		}
	}
	slices.Sort(nums)
	return nums
}

// floors is a heap of the greatest values, the least of them first.
type floors []float64

// least returns the value that a row must reach: the least of limit values,
// or nothing to reach as long as there are fewer.
func (f floors) least(limit int) float64 {
	if len(f) < limit {
		return math.Inf(-1)
	}
	return f[0]
}

func (f *floors) add(x float64, limit int) {
	h := *f
	if len(h) < limit {
		h = append(h, x)
		for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		*f = h
		return
	}
	if x <= h[0] {
		return
	}
	h[0] = x
	for i := 0; ; {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(h) && h[child] < h[least] {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
