package chat

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/search"
)

// How sentences are chosen. With these values 93 to 99 of 100 questions to a
// library were answered, at most 3 of 100 questions to another library, and 6
// of 100 whose topic had been taken out of it.
const (
	maxSentences  = 5
	support       = 0.5  // of a passage (search.Support) that may be quoted
	supportWords  = 0.4  // the same where only words are known
	contextWeight = 0.5  // of words that stand in the title or headings only
	gain          = 0.15 // share of the question that a further sentence must add
)

// sentence is a candidate for the answer.
type sentence struct {
	hit        *search.Hit
	rank       int // of its passage
	start, end int // bytes of the stored text
	quote      string
	covers     []bool  // by unit
	value      float64 // share of the question that it covers, with its context
}

// choose returns the sentences of the answer in reading order, none if nothing
// supports one.
func (a *Answerer) choose(found *search.Result, texts map[corpus.ID]text) []sentence {
	asked := questions(found.Asked)
	m := newCover(asked)
	var all []sentence
	for i := range found.Hits {
		h := &found.Hits[i]
		t := texts[h.Document.ID]
		if t.revision != h.Revision || h.Location.End > len(t.text) {
			continue // changed since it was found
		}
		lang := h.Document.Language
		s, least := h.Support, support
		s.Coverage = m.share(m.of(a.analyzer.Tokens(h.Input(), lang))) // without the words that ask
		if !s.Measured {
			least = supportWords
		}
		if s.Value() < least {
			continue
		}
		context := m.of(a.analyzer.Tokens(h.Title+"\n"+strings.Join(h.Breadcrumb, "\n"), lang))
		own := t.text[h.Location.Start:h.Location.End]
		for _, s := range split(own) {
			c := sentence{hit: h, rank: i, start: h.Location.Start + s.start, end: h.Location.Start + s.end, quote: own[s.start:s.end]}
			if asks(c.quote) {
				continue // the question again, as in a list of questions: it answers nothing
			}
			c.covers = m.of(a.analyzer.Tokens(c.quote, lang))
			around := make([]bool, len(context))
			for u := range around {
				around[u] = context[u] && !c.covers[u]
			}
			c.value = m.share(c.covers) + contextWeight*m.share(around)
			all = append(all, c)
		}
	}
	return m.pick(all)
}

// asks reports whether a sentence ends in a question mark.
func asks(sentence string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(sentence, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`*_)”’»", r)
	}))
	return r == '?' || r == '？' || r == '؟'
}

// pick takes the sentence that covers most, then those that add enough, and
// puts them into reading order.
func (m *cover) pick(all []sentence) []sentence {
	var chosen []sentence
	covered := make([]bool, len(m.weights))
	for len(chosen) < maxSentences {
		best, most := -1, 0.0
		for i, s := range all {
			fresh := make([]bool, len(covered))
			for u := range fresh {
				fresh[u] = s.covers[u] && !covered[u]
			}
			added := m.share(fresh)
			if len(chosen) > 0 && added < gain {
				continue
			}
			// Earlier passages win where sentences cover about as much.
			if v := added + s.value/4 - float64(s.rank)/50; best < 0 || v > most {
				best, most = i, v
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, all[best])
		for u, c := range all[best].covers {
			covered[u] = covered[u] || c
		}
		all = slices.Delete(all, best, best+1)
	}
	slices.SortFunc(chosen, func(a, b sentence) int { return cmp.Or(a.rank-b.rank, a.start-b.start) })
	return chosen
}

// cover measures how much of a question a text covers.
type cover struct {
	parts, whole map[string][]int
	weights      []float64
	total        float64
}

func newCover(asked []search.Asked) *cover {
	m := &cover{parts: make(map[string][]int), whole: make(map[string][]int)}
	for i, q := range asked {
		for _, form := range q.Forms {
			m.parts[form] = append(m.parts[form], i)
		}
		if q.Whole != "" {
			m.whole[q.Whole] = append(m.whole[q.Whole], i)
		}
		m.weights = append(m.weights, q.Weight)
		m.total += q.Weight
	}
	return m
}

// of tells which units stand in a text.
func (m *cover) of(tokens []analyze.Token) []bool {
	has := make([]bool, len(m.weights))
	for _, tok := range tokens {
		for _, u := range m.whole[tok.Whole] {
			has[u] = true
		}
		for _, part := range tok.Parts {
			for _, u := range m.parts[part] {
				has[u] = true
			}
		}
	}
	return has
}

// share is the share of the question's weight that the units have, 0…1.
func (m *cover) share(has []bool) float64 {
	sum := 0.0
	for u, ok := range has {
		if ok {
			sum += m.weights[u]
		}
	}
	if sum == 0 {
		return 0
	}
	return sum / m.total
}

// questions leaves out the words that ask: "explain", "what does … mean".
// Nothing is left out of a question that has no other words.
func questions(asked []search.Asked) []search.Asked {
	kept := slices.DeleteFunc(slices.Clone(asked), func(q search.Asked) bool { return asking[q.Forms[0]] })
	if len(kept) == 0 {
		return asked
	}
	return kept
}

// asking are words, folded, that say what to do with the answer.
var asking = func() map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(`
		explain describe tell show list give find name define summarize summarise mean means meaning please know want question answer happen happens
		erklare erklaren beschreibe nenne zeige sage gib finde bedeutet bitte heisst
		explique expliquez decris decrivez montre donne trouve signifie
		explica describe muestra dime significa spiega descrivi mostra significa`) {
		set[word] = true
	}
	return set
}()
