package storetest

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// passage is what the naive searches look through.
type passage struct {
	entry    store.Entry
	document corpus.Document
	vector   []float32 // nil if there is none
}

// naiveLexical is store.Lexical's rule, word for word.
func naiveLexical(all []passage, l *store.Lexical, f store.Filter) ([]store.LexicalHit, store.Stats) {
	stats := store.Stats{Chunks: len(all), Frequency: make([]int, len(l.Terms))}
	for _, p := range all {
		stats.Length += int64(p.entry.Length)
		for i, t := range l.Terms {
			if hasTerm(p.entry, t) {
				stats.Frequency[i]++
			}
		}
	}
	// Order the distinct terms that occur.
	var order []int
	for i, t := range l.Terms {
		if stats.Frequency[i] > 0 && slices.Index(l.Terms, t) == i {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		part := map[bool]int{true: 1}
		return cmp.Or(stats.Frequency[a]-stats.Frequency[b], strings.Compare(l.Terms[a].Text, l.Terms[b].Text), part[l.Terms[a].Part]-part[l.Terms[b].Part])
	})
	// Take terms while the sum is within the budget, at least one.
	var taken []int
	sum := 0
	for _, i := range order {
		sum += stats.Frequency[i]
		if len(taken) > 0 && sum > l.Budget {
			break
		}
		taken = append(taken, i)
	}
	must := slices.ContainsFunc(l.Must, hasWord)
	type scored struct {
		passage
		score float64
	}
	var pool []scored
	for _, p := range all {
		s := scored{passage: p}
		any, held := false, false
		for _, i := range order {
			any = any || hasTerm(p.entry, l.Terms[i])
		}
		for _, i := range taken {
			if hasTerm(p.entry, l.Terms[i]) {
				held = true
				n := float64(stats.Frequency[i])
				s.score += math.Log1p((float64(len(all)) - n + .5) / (n + .5))
			}
		}
		lacks := func(phrase []string) bool { return hasWord(phrase) && !hasPhrase(p.entry.Whole, phrase) }
		has := func(phrase []string) bool { return hasWord(phrase) && hasPhrase(p.entry.Whole, phrase) }
		if !any || slices.ContainsFunc(l.Must, lacks) || slices.ContainsFunc(l.Not, has) || !passes(p.document, f) || (!must && !held) {
			continue
		}
		pool = append(pool, s)
	}
	slices.SortFunc(pool, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), bytes.Compare(a.entry.Chunk.ID[:], b.entry.Chunk.ID[:]))
	})
	hits := []store.LexicalHit{}
	for _, s := range pool[:min(len(pool), l.Limit)] {
		hits = append(hits, store.LexicalHit{Chunk: s.entry.Chunk.ID, Terms: s.entry.Terms, Length: s.entry.Length})
	}
	slices.SortFunc(hits, func(a, b store.LexicalHit) int { return bytes.Compare(a.Chunk[:], b.Chunk[:]) })
	return hits, stats
}

func hasTerm(e store.Entry, t store.Term) bool {
	if t.Part {
		return slices.Contains(e.Parts, t.Text)
	}
	return t.Text != "" && slices.Contains(e.Whole, t.Text)
}

func hasWord(phrase []string) bool {
	return slices.ContainsFunc(phrase, func(t string) bool { return t != "" })
}

func hasPhrase(whole, phrase []string) bool {
	for len(phrase) > 0 && phrase[0] == "" {
		phrase = phrase[1:]
	}
	for len(phrase) > 0 && phrase[len(phrase)-1] == "" {
		phrase = phrase[:len(phrase)-1]
	}
next:
	for start := 0; start+len(phrase) <= len(whole); start++ {
		for i, t := range phrase {
			if t != "" && whole[start+i] != t {
				continue next
			}
		}
		return true
	}
	return false
}

// naiveNearest is the brute-force vector leg.
func naiveNearest(all []passage, v *store.Vector, f store.Filter) []store.VectorHit {
	hits := []store.VectorHit{}
	for _, p := range all {
		if p.vector == nil || !passes(p.document, f) {
			continue
		}
		hits = append(hits, store.VectorHit{Chunk: p.entry.Chunk.ID, Score: cosine(v.Query, p.vector)})
	}
	slices.SortFunc(hits, func(a, b store.VectorHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), bytes.Compare(a.Chunk[:], b.Chunk[:]))
	})
	return hits[:min(len(hits), v.Limit)]
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

// passes is the meaning of a filter.
func passes(d corpus.Document, f store.Filter) bool {
	for _, c := range f {
		if !holds(d, c) {
			return false
		}
	}
	return true
}

func holds(d corpus.Document, c store.Condition) bool {
	values := fieldValues(d, c.Field)
	wanted := slices.Clone(c.Values)
	if store.IsTimeField(c.Field) {
		for i, v := range wanted {
			if v != nil {
				micro, err := store.Instant(v)
				if err != nil {
					return false
				}
				wanted[i] = float64(micro)
			}
		}
	}
	any := false
	for _, v := range values {
		any = any || compares(v, c.Op, wanted)
	}
	if c.Op == store.Not {
		return !any
	}
	return any
}

// compares applies an operator to one value; Not as In.
func compares(v any, op store.Op, wanted []any) bool {
	switch op {
	case store.Prefix:
		text, ok := v.(string)
		return ok && strings.HasPrefix(text, wanted[0].(string))
	case store.Range:
		return (wanted[0] == nil || order(wanted[0], v)) && (wanted[1] == nil || order(v, wanted[1]))
	}
	return slices.Contains(wanted, v)
}

// order reports whether a ≤ b, for two texts or two numbers.
func order(a, b any) bool {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x <= y
	case float64:
		y, ok := b.(float64)
		return ok && x <= y
	}
	return false
}

func fieldValues(d corpus.Document, field string) []any {
	switch field {
	case "source":
		return []any{d.Source.String()}
	case "document":
		return []any{d.ID.String()}
	case "path":
		return []any{d.Path}
	case "type":
		return []any{d.Type}
	case "title":
		return []any{d.Title}
	case "language":
		return []any{d.Language}
	case "modified":
		return []any{float64(floorDiv(d.Fingerprint.ModTime, 1000))}
	case "indexed":
		return []any{float64(d.IndexedAt.UnixMicro())}
	}
	switch v := d.Metadata[field].(type) {
	case nil:
		return nil
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return list
	default:
		return []any{v}
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
