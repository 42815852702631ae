package plan

import (
	"sort"

	"ibid/backend/corpus"
)

// RowKind is what a row of a diff shows.
type RowKind string

// Kinds of rows.
const (
	RowKept      RowKind = "kept"      // Count passages, texts left out
	RowRelocated RowKind = "relocated" // likewise; their locations changed
	RowAdded     RowKind = "added"
	RowRemoved   RowKind = "removed"
	RowChanged   RowKind = "changed" // Old gave way to New in the same place
)

// Row is one step of a comparison, in document order.
type Row struct {
	Kind  RowKind
	Count int
	Old   *corpus.Chunk // of removed and changed
	New   *corpus.Chunk // of added and changed
}

// Diff compares a document's stored passages with fresh ones for a reader.
// Passages with the same text anchor it in their longest common order; what
// stands between two anchors is paired in order. A passage whose text is kept
// but which jumped over others is folded as relocated where it stands now.
func Diff(stored, fresh []corpus.Chunk) []Row {
	at := make(map[string]int, len(stored))
	for i := range stored {
		at[chunkKey(&stored[i])] = i
	}
	old := make([]int, len(fresh)) // position in stored, or -1
	kept := make(map[int]bool, len(fresh))
	for i := range fresh {
		old[i] = -1
		if j, ok := at[chunkKey(&fresh[i])]; ok {
			old[i] = j
			kept[j] = true
		}
	}
	anchors := rising(old)
	var d differ
	next := 0 // in stored
	for i := range fresh {
		j := old[i]
		switch {
		case j < 0:
			d.added = append(d.added, &fresh[i])
			continue
		case anchors[i]:
			d.remove(stored, next, j, kept)
			next = j + 1
		}
		if placement(&stored[j]) == placement(&fresh[i]) {
			d.fold(RowKept)
		} else {
			d.fold(RowRelocated)
		}
	}
	d.remove(stored, next, len(stored), kept)
	d.flush()
	return d.rows
}

// differ collects rows.
type differ struct {
	rows    []Row
	added   []*corpus.Chunk // since the last kept passage
	removed []*corpus.Chunk
}

// remove notes the stored passages [from, to) that are not kept elsewhere.
func (d *differ) remove(stored []corpus.Chunk, from, to int, kept map[int]bool) {
	for j := from; j < to; j++ {
		if !kept[j] {
			d.removed = append(d.removed, &stored[j])
		}
	}
}

// flush pairs what was removed with what was added in its place.
func (d *differ) flush() {
	for i := range max(len(d.added), len(d.removed)) {
		switch {
		case i >= len(d.added):
			d.rows = append(d.rows, Row{Kind: RowRemoved, Count: 1, Old: d.removed[i]})
		case i >= len(d.removed):
			d.rows = append(d.rows, Row{Kind: RowAdded, Count: 1, New: d.added[i]})
		default:
			d.rows = append(d.rows, Row{Kind: RowChanged, Count: 1, Old: d.removed[i], New: d.added[i]})
		}
	}
	d.added, d.removed = nil, nil
}

// fold adds a passage whose text stayed to the run before it.
func (d *differ) fold(kind RowKind) {
	d.flush()
	if n := len(d.rows); n > 0 && d.rows[n-1].Kind == kind {
		d.rows[n-1].Count++
		return
	}
	d.rows = append(d.rows, Row{Kind: kind, Count: 1})
}

// rising marks the positions of a longest strictly rising subsequence of
// values, negative ones left out (patience sorting).
func rising(values []int) []bool {
	var tails []int // positions: tails[k] ends the best sequence of length k+1
	before := make([]int, len(values))
	for i, v := range values {
		if v < 0 {
			continue
		}
		k := sort.Search(len(tails), func(k int) bool { return values[tails[k]] >= v })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	in := make([]bool, len(values))
	if len(tails) == 0 {
		return in
	}
	for i := tails[len(tails)-1]; i >= 0; i = before[i] {
		in[i] = true
	}
	return in
}
