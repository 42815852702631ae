package eval

import (
	"math"
	"slices"
)

// Grades are the relevant documents of a query and how relevant each is (> 0).
type Grades map[string]int

// NDCG returns the normalised discounted cumulative gain of the first k
// results, with gain 2^grade−1 and discount log2(rank+1); 0 for a query
// without relevant documents.
func NDCG(ranked []string, grades Grades, k int) float64 {
	ideal := make([]int, 0, len(grades))
	for _, g := range grades {
		if g > 0 {
			ideal = append(ideal, g)
		}
	}
	slices.Sort(ideal)
	slices.Reverse(ideal)
	best := 0.0
	for i, g := range ideal[:min(k, len(ideal))] {
		best += gain(g, i)
	}
	if best == 0 {
		return 0
	}
	sum := 0.0
	for i, id := range ranked[:min(k, len(ranked))] {
		sum += gain(grades[id], i)
	}
	return sum / best
}

func gain(grade, index int) float64 {
	if grade <= 0 {
		return 0
	}
	return (math.Exp2(float64(grade)) - 1) / math.Log2(float64(index+2))
}

// Recall returns the share of the relevant documents among the first k results.
func Recall(ranked []string, grades Grades, k int) float64 {
	relevant, found := 0, 0
	for _, g := range grades {
		if g > 0 {
			relevant++
		}
	}
	if relevant == 0 {
		return 0
	}
	for _, id := range ranked[:min(k, len(ranked))] {
		if grades[id] > 0 {
			found++
		}
	}
	return float64(found) / float64(relevant)
}

// ReciprocalRank returns 1/rank of the first relevant document, 0 without one;
// its mean over queries is MRR.
func ReciprocalRank(ranked []string, grades Grades) float64 {
	for i, id := range ranked {
		if grades[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}
