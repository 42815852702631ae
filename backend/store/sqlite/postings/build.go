package postings

import (
	"slices"
	"strings"
)

// directorySize is the number of passages in one directory item.
const directorySize = 256

// Build emits the blocks of a segment of entries, which ascend by number and
// begin at base or above.
func Build(base uint64, entries []Entry, emit func(Block) error) error {
	w := blockWriter{emit: emit}
	passages := make([]Passage, len(entries))
	for i := range entries {
		passages[i] = entries[i].Passage
	}
	if err := writeDirectory(&w, base, passages); err != nil {
		return err
	}
	var inParts, inWhole int
	for i := range entries {
		inParts += len(entries[i].Parts)
		inWhole += len(entries[i].Whole)
	}
	// One after the other: of a long document each takes hundreds of megabytes.
	parts := newGrouping(inParts)
	for i := range entries {
		e := &entries[i]
		for _, t := range e.Parts {
			parts.add(t, e.Num-base, 0)
		}
	}
	if err := parts.write(&w, Parts); err != nil {
		return err
	}
	whole := newGrouping(inWhole)
	for i := range entries {
		e := &entries[i]
		for at, t := range e.Whole {
			if t != "" {
				whole.add(t, e.Num-base, uint32(at))
			}
		}
	}
	if err := whole.write(&w, Whole); err != nil {
		return err
	}
	if err := whole.write(&w, Places); err != nil {
		return err
	}
	return w.flush()
}

// grouping collects the occurrences of terms. Occurrences come by ascending
// passage, then position.
type grouping struct {
	ordinals    map[string]uint32 // of terms, by first sight
	terms       []string
	sizes       []uint32
	occurrences []occurrence
	order       []uint32       // ordinals by term, once all are there
	grouped     [][]occurrence // by ordinal, likewise
}

type occurrence struct {
	num  uint64
	at   uint32
	term uint32
}

// newGrouping makes room for n occurrences.
func newGrouping(n int) *grouping {
	return &grouping{ordinals: make(map[string]uint32, n/2), occurrences: make([]occurrence, 0, n)}
}

func (g *grouping) add(term string, num uint64, at uint32) {
	n, ok := g.ordinals[term]
	if !ok {
		n = uint32(len(g.terms))
		g.ordinals[term] = n
		g.terms = append(g.terms, term)
		g.sizes = append(g.sizes, 0)
	}
	g.sizes[n]++
	g.occurrences = append(g.occurrences, occurrence{num, at, n})
}

// group brings each term's occurrences together, keeping their order.
func (g *grouping) group() {
	if g.grouped != nil {
		return
	}
	g.ordinals = nil
	all := make([]occurrence, len(g.occurrences))
	g.grouped = make([][]occurrence, len(g.terms))
	g.order = make([]uint32, len(g.terms))
	for i, n := range g.sizes {
		g.grouped[i], all = all[:0:n], all[n:]
		g.order[i] = uint32(i)
	}
	for _, o := range g.occurrences {
		g.grouped[o.term] = append(g.grouped[o.term], o)
	}
	g.occurrences = nil
	slices.SortFunc(g.order, func(a, b uint32) int { return strings.Compare(g.terms[a], g.terms[b]) })
}

func (g *grouping) write(w *blockWriter, f Field) error {
	g.group()
	key := []byte{byte(f)}
	var l list
	var value []byte
	for _, n := range g.order {
		l.collect(g.grouped[n], f == Places)
		key, value = append(key[:1], g.terms[n]...), l.appendTo(value[:0])
		if err := w.add(key, value); err != nil {
			return err
		}
	}
	return nil
}

func writeDirectory(w *blockWriter, base uint64, passages []Passage) error {
	var value []byte
	for len(passages) > 0 {
		n := min(directorySize, len(passages))
		value = appendPassages(value[:0], base, passages[:n])
		if err := w.add(DirectoryKey(base, passages[0].Num), value); err != nil {
			return err
		}
		passages = passages[n:]
	}
	return nil
}
