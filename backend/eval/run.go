package eval

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Depth is how many results a query asks for.
const Depth = 100

// SearchFunc returns the ids of the documents of the best passages for a
// query, best first, at most k passages; a document may occur several times.
type SearchFunc func(ctx context.Context, mode, query string, k int) ([]string, error)

// Scores are means over a dataset's queries, and quantiles of the time that
// one search took.
type Scores struct {
	NDCG10    float64 `json:"ndcg@10"`
	Recall10  float64 `json:"recall@10"`
	Recall100 float64 `json:"recall@100"`
	MRR       float64 `json:"mrr"`
	P50       float64 `json:"p50_ms"`
	P95       float64 `json:"p95_ms"`
}

// Report is what a run found out.
type Report struct {
	Dataset string            `json:"dataset"`
	Queries int               `json:"queries"`
	Modes   map[string]Scores `json:"modes"`
}

// Run asks every query of a dataset in every mode, one after the other. It
// ends with the first error.
func Run(ctx context.Context, d *Dataset, modes []string, search SearchFunc) (*Report, error) {
	r := &Report{Dataset: d.Name, Queries: len(d.Queries), Modes: make(map[string]Scores)}
	for _, mode := range modes {
		var s Scores
		times := make([]time.Duration, 0, len(d.Queries))
		for _, q := range d.Queries {
			begun := time.Now()
			passages, err := search(ctx, mode, q.Text, Depth)
			if err != nil {
				return nil, fmt.Errorf("evaluate %s query %q of %s: %w", mode, q.ID, d.Name, err)
			}
			times = append(times, time.Since(begun))
			ranked := unique(passages)
			s.NDCG10 += NDCG(ranked, q.Grades, 10)
			s.Recall10 += Recall(ranked, q.Grades, 10)
			s.Recall100 += Recall(ranked, q.Grades, 100)
			s.MRR += ReciprocalRank(ranked, q.Grades)
		}
		n := float64(len(d.Queries))
		s.NDCG10, s.Recall10, s.Recall100, s.MRR = s.NDCG10/n, s.Recall10/n, s.Recall100/n, s.MRR/n
		slices.Sort(times)
		s.P50, s.P95 = quantile(times, .5), quantile(times, .95)
		r.Modes[mode] = s
	}
	return r, nil
}

// unique keeps the first occurrence of each id.
func unique(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	var kept []string
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	return kept
}

// quantile returns the q-quantile of ascending times in milliseconds: the
// smallest time that a share q of the times does not exceed.
func quantile(times []time.Duration, q float64) float64 {
	if len(times) == 0 {
		return 0
	}
	i := int(q*float64(len(times))+.999999) - 1
	return float64(times[min(max(i, 0), len(times)-1)]) / float64(time.Millisecond)
}
