package search

import (
	"fmt"
	"slices"

	"ibid/backend/analyze"
	"ibid/backend/store"
)

// BM25's parameters (Robertson and Zaragoza, The Probabilistic Relevance
// Framework, 2009), and what is ours: nDCG@10 on four public sets is flat
// around these weights.
const (
	k1          = 1.2
	b           = 0.75
	pieceWeight = 0.5 // of a part of a name, beside the name
	exactWeight = 0.2 // of the very form that was typed, beside any form
)

// maxUnits bounds what is asked for: the first of a pasted page.
const maxUnits = 64

// nameLimit is how many passages may hold a name that stands among other words
// for it to pin them: what many passages hold is a word, not a name.
const nameLimit = 10

// ranker scores passages against a query. It knows the query's units and the
// library's statistics and nothing else, so it ranks equally on every store.
//
// A unit stands in a passage as often as its most frequent form, and counts as
// often in the library as its most frequent form.
type ranker struct {
	units  []analyze.Unit // that are asked for
	terms  []store.Term   // distinct
	texts  []string       // of terms, ascending, distinct
	forms  [][]int        // by unit: indexes into texts
	whole  []int          // by unit: index into texts, or -1
	df     []int          // by unit
	idf    []float64      // by unit
	total  float64        // weight of all units
	mean   float64        // length of a passage
	counts []analyze.Count
}

// newRanker prepares a query. Before weigh all units are equally rare.
func newRanker(units []analyze.Unit) *ranker {
	r := &ranker{}
	for _, u := range units {
		if u.Stop || len(r.units) == maxUnits {
			continue
		}
		r.units = append(r.units, u)
		for _, form := range u.Forms {
			r.terms = append(r.terms, store.Term{Part: true, Text: form})
		}
		if u.Whole != "" {
			r.terms = append(r.terms, store.Term{Text: u.Whole})
		}
	}
	seen := make(map[store.Term]bool, len(r.terms))
	r.terms = slices.DeleteFunc(r.terms, func(t store.Term) bool {
		known := seen[t]
		seen[t] = true
		return known
	})
	for _, t := range r.terms {
		r.texts = append(r.texts, t.Text)
	}
	slices.Sort(r.texts)
	r.texts = slices.Compact(r.texts)
	r.counts = make([]analyze.Count, len(r.texts))
	r.df, r.idf = make([]int, len(r.units)), make([]float64, len(r.units))
	for n, u := range r.units {
		r.idf[n] = 1
		forms := make([]int, len(u.Forms))
		for i, form := range u.Forms {
			forms[i], _ = slices.BinarySearch(r.texts, form)
		}
		whole, found := slices.BinarySearch(r.texts, u.Whole)
		if !found {
			whole = -1
		}
		r.forms, r.whole = append(r.forms, forms), append(r.whole, whole)
	}
	return r
}

// weigh takes the statistics that the store returned for r.terms.
func (r *ranker) weigh(stats store.Stats) error {
	if len(stats.Frequency) != len(r.terms) {
		return fmt.Errorf("score passages: %d frequencies for %d terms", len(stats.Frequency), len(r.terms))
	}
	frequency := make(map[store.Term]int, len(r.terms))
	for i, t := range r.terms {
		frequency[t] = stats.Frequency[i]
	}
	r.mean = 1
	if stats.Chunks > 0 && stats.Length > 0 {
		r.mean = float64(stats.Length) / float64(stats.Chunks)
	}
	r.total = 0
	for i, u := range r.units {
		df := frequency[store.Term{Text: u.Whole}]
		for _, form := range u.Forms {
			df = max(df, frequency[store.Term{Part: true, Text: form}])
		}
		r.df[i] = min(df, stats.Chunks)
		r.idf[i] = store.IDF(stats.Chunks, r.df[i])
		r.total += r.weight(i)
	}
	return nil
}

// weight is what unit i counts: its rarity, less for a part of a name.
func (r *ranker) weight(i int) float64 {
	w := float64(r.units[i].Count) * r.idf[i]
	if r.units[i].Piece {
		w *= pieceWeight
	}
	return w
}

// score is a passage's score.
type score struct {
	sum      float64
	coverage float64 // share of the query's weight that the passage has at all, 0…1
	named    bool    // it holds every name of the query
	units    []float64
	times    []int // by unit
}

func (r *ranker) score(hit store.LexicalHit) (score, error) {
	if err := analyze.Lookup(hit.Terms, r.texts, r.counts); err != nil {
		return score{}, fmt.Errorf("score passage %s: %w: %w", hit.Chunk, store.ErrDamaged, err)
	}
	s := score{named: true, units: make([]float64, len(r.units)), times: make([]int, len(r.units))}
	norm := k1 * (1 - b + b*float64(hit.Length)/r.mean)
	for i, u := range r.units {
		tf, exact := 0, 0
		for _, f := range r.forms[i] {
			tf = max(tf, r.counts[f].Parts)
		}
		if w := r.whole[i]; w >= 0 {
			exact = r.counts[w].Whole
			tf = max(tf, exact)
		}
		if tf == 0 {
			s.named = s.named && !r.isName(u)
			continue
		}
		w := r.weight(i)
		s.times[i] = tf
		s.units[i] = w * (saturate(tf, norm) + exactWeight*saturate(exact, norm))
		s.sum += s.units[i]
		s.coverage += w / r.total
	}
	return s, nil
}

func saturate(tf int, norm float64) float64 {
	return float64(tf) * (k1 + 1) / (float64(tf) + norm)
}

func (r *ranker) isName(u analyze.Unit) bool { return u.Kind == analyze.Identifier && !u.Piece }

// pins tells whether passages that hold every name of the query stand first,
// whatever the legs say: the query is names only, or has names that few
// passages hold.
func (r *ranker) pins() bool {
	names, words := 0, 0
	rare := true
	for i, u := range r.units {
		switch {
		case r.isName(u):
			names++
			rare = rare && r.df[i] <= nameLimit
		case !u.Piece:
			words++
		}
	}
	return names > 0 && (words == 0 || rare)
}

// unknown returns what was typed that stands nowhere in the library.
func (r *ranker) unknown() []string {
	var all []string
	for i, u := range r.units {
		if r.df[i] == 0 && !u.Piece {
			all = append(all, u.Text)
		}
	}
	return all
}
