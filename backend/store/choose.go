package store

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// IDF is BM25's inverse document frequency, always positive: the natural
// logarithm of 1 + (chunks - frequency + ½) / (frequency + ½).
// Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), in the
// form that Lucene uses.
func IDF(chunks, frequency int) float64 {
	return math.Log1p((float64(chunks-frequency) + .5) / (float64(frequency) + .5))
}

// Choose returns the indexes of the terms that Lexical's rule takes, rarest
// first: each distinct term once, none that no passage holds. frequency is
// that of Stats.
func (l *Lexical) Choose(frequency []int) []int {
	order := make([]int, 0, len(l.Terms))
	seen := make(map[Term]bool, len(l.Terms))
	for i, t := range l.Terms {
		if frequency[i] > 0 && !seen[t] {
			seen[t] = true
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := l.Terms[a], l.Terms[b]
		return cmp.Or(cmp.Compare(frequency[a], frequency[b]), strings.Compare(x.Text, y.Text), compareBool(x.Part, y.Part))
	})
	sum := 0
	for n, i := range order {
		if sum += frequency[i]; sum > l.Budget && n > 0 {
			return order[:n]
		}
	}
	return order
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
