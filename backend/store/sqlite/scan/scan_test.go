package scan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ibid/backend/store/sqlite/bitset"
)

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

// shapes are ways in which real vectors are awkward.
var shapes = map[string]func(r *rand.Rand, v []float32){
	"random": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
	},
	"one large component": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		v[r.IntN(len(v))] = 1e4
	},
	"clustered": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(i%7) + float32(r.NormFloat64())*1e-3
		}
	},
	"few values": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.IntN(3) - 1)
		}
		v[0] = 1
	},
	"tiny": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.NormFloat64()) * 1e-12
		}
	},
	"equal": func(_ *rand.Rand, v []float32) {
		for i := range v {
			v[i] = .25
		}
	},
}

// TestExact: the true nearest are always among the candidates.
func TestExact(t *testing.T) {
	for name, shape := range shapes {
		for _, dimensions := range []int{1, 3, 31, 384, 1000} {
			t.Run(fmt.Sprintf("%s/%d", name, dimensions), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(dimensions), 1))
				vectors := make([][]float32, 300)
				rows := make([]Row, len(vectors))
				for i := range vectors {
					vectors[i] = make([]float32, dimensions)
					shape(r, vectors[i])
					rows[i] = Row{Num: uint64(i) * 3, Document: uint64(i) % 10, Vector: vectors[i]}
				}
				query := make([]float32, dimensions)
				shape(r, query)
				var blocks []*Block
				for part := range slices.Chunk(rows, 128) {
					b, err := Decode(dimensions, Encode(dimensions, part))
					if err != nil {
						t.Fatal(err)
					}
					blocks = append(blocks, b)
				}
				dead := make([]bitset.Set, len(blocks))
				dead[0].Add(5)
				dead[2].Add(7)
				documents := &bitset.Set{}
				for _, d := range []uint64{1, 4, 5, 7} {
					documents.Add(d)
				}
				for _, filter := range []*bitset.Set{nil, documents, {}} {
					for _, limit := range []int{1, 10, 1000} {
						compare(t, query, vectors, blocks, dead, filter, limit)
					}
				}
			})
		}
	}
}

func compare(t *testing.T, query []float32, vectors [][]float32, blocks []*Block, dead []bitset.Set, documents *bitset.Set, limit int) {
	t.Helper()
	s := New(query, limit)
	for i, b := range blocks {
		s.Add(b, dead[i], documents)
	}
	candidates := s.Candidates()
	var living []uint64
	for i := range vectors {
		if i != 5 && i != 256+7 && (documents == nil || documents.Has(uint64(i)%10)) {
			living = append(living, uint64(i))
		}
	}
	for _, n := range candidates {
		if !slices.Contains(living, n/3) {
			t.Fatalf("candidate %d is dead or filtered", n)
		}
	}
	slices.SortFunc(living, func(a, b uint64) int {
		return cmp.Compare(cosine(query, vectors[b]), cosine(query, vectors[a]))
	})
	for _, i := range living[:min(limit, len(living))] {
		if !slices.Contains(candidates, i*3) {
			t.Fatalf("row %d with cosine %f is not among %d candidates for %d", i, cosine(query, vectors[i]), len(candidates), limit)
		}
	}
}

// TestFew: the bound is tight enough that few rows are looked at twice.
func TestFew(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	rows := make([]Row, 5000)
	for i := range rows {
		rows[i] = Row{Num: uint64(i), Vector: make([]float32, 384)}
		shapes["random"](r, rows[i].Vector)
	}
	b, err := Decode(384, Encode(384, rows))
	if err != nil {
		t.Fatal(err)
	}
	query := make([]float32, 384)
	shapes["random"](r, query)
	s := New(query, 20)
	s.Add(b, nil, nil)
	if n := len(s.Candidates()); n > 60 {
		t.Errorf("%d candidates for 20 of 5,000 rows", n)
	}
}

func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var rows []Row
	for i := range 20 {
		rows = append(rows, Row{Num: uint64(i), Document: uint64(i) + 100, Vector: make([]float32, 17)})
		shapes["random"](r, rows[i].Vector)
	}
	var blocks []*Block
	for _, part := range [][]Row{rows[:7], rows[7:8], rows[8:]} {
		b, err := Decode(17, Encode(17, part))
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
	dead := make([]bitset.Set, 3)
	dead[0].Add(2)
	dead[1].Add(0)
	joined := Join(blocks, dead)
	want := Encode(17, slices.Concat(rows[:2], rows[3:7], rows[8:]))
	if !slices.Equal(joined, want) {
		t.Error("joining blocks differs from encoding the living rows at once")
	}
}

// TestKernels: every kernel gives the plain one's sums.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 384, 1000, 4096} {
		q, c := make([]int16, n), make([]int8, n)
		for round := range 20 {
			most := math.MaxInt16
			if n > 0 {
				most = min(most, math.MaxInt32/(128*n))
			}
			var want int64
			for i := range q {
				q[i], c[i] = int16(r.IntN(2*most+1)-most), int8(r.IntN(255)-127)
				if round == 0 { // the extremes
					q[i], c[i] = int16(most), -127
				}
				want += int64(q[i]) * int64(c[i])
			}
			if got := dotPlain(q, c); int64(got) != want {
				t.Fatalf("plain sum of %d products is %d, want %d", n, got, want)
			}
			if got := dot(q, c); int64(got) != want {
				t.Fatalf("sum of %d products is %d, want %d", n, got, want)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(2, Encode(2, []Row{{Num: 1, Document: 2, Vector: []float32{1, -.5}}}))
	f.Add(0, []byte{})
	f.Add(-24, []byte{1})
	f.Fuzz(func(t *testing.T, dimensions int, data []byte) {
		if dimensions > 1000 {
			return
		}
		b, err := Decode(dimensions, data)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("error %v", err)
			}
			return
		}
		query := make([]float32, dimensions)
		query[0] = 1
		s := New(query, 3)
		s.Add(b, nil, nil)
		if n := len(s.Candidates()); n < min(3, b.Len()) {
			t.Errorf("%d candidates of %d rows", n, b.Len())
		}
	})
}

func BenchmarkScan(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 6))
	rows := make([]Row, 10000)
	for i := range rows {
		rows[i] = Row{Num: uint64(i), Vector: make([]float32, 384)}
		shapes["random"](r, rows[i].Vector)
	}
	block, err := Decode(384, Encode(384, rows))
	if err != nil {
		b.Fatal(err)
	}
	query := make([]float32, 384)
	shapes["random"](r, query)
	for b.Loop() {
		New(query, 100).Add(block, nil, nil)
	}
}
