package service

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"ibid/backend/corpus"
	"ibid/backend/search"
)

// Bounds of what is known of the interest in documents.
const (
	maxInterest = 512 // documents counted
	maxFirst    = 32  // documents whose passages come first
)

// interest counts how often this process's searches found documents that lack
// vectors, so that those get theirs first. It is a hint, kept in memory: of
// what other processes search for it knows nothing, and where too many
// documents are counted, all counts are halved.
type interest struct {
	mu    sync.Mutex
	found map[corpus.ID]int
}

func newInterest() *interest { return &interest{found: map[corpus.ID]int{}} }

// note counts the documents of a search's hits.
func (n *interest) note(hits []search.Hit) {
	n.mu.Lock()
	defer n.mu.Unlock()
	counted := map[corpus.ID]bool{}
	for i := range hits {
		d := &hits[i].Document
		switch {
		case d.Embedded >= d.Chunks:
			delete(n.found, d.ID)
		case !counted[d.ID]:
			counted[d.ID] = true
			n.found[d.ID]++
		}
	}
	for len(n.found) > maxInterest {
		for id := range n.found {
			if n.found[id] /= 2; n.found[id] == 0 {
				delete(n.found, id)
			}
		}
	}
}

// first returns the documents found most often.
func (n *interest) first() []corpus.ID {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]corpus.ID, 0, len(n.found))
	for id := range n.found {
		list = append(list, id)
	}
	slices.SortFunc(list, func(a, b corpus.ID) int {
		return cmp.Or(n.found[b]-n.found[a], strings.Compare(string(a[:]), string(b[:])))
	})
	return list[:min(len(list), maxFirst)]
}
