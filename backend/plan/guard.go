package plan

import "ibid/backend/corpus"

// A plan that removes more than GuardRemovals documents of a source and more
// than one in GuardShare of them is a mass removal.
const (
	GuardRemovals = 20
	GuardShare    = 5
)

// Guard asks for consent by number.
type Guard struct {
	Removals  int
	Documents int // that the source has
}

// NewGuard returns the guard that removing so many of a source's documents
// needs, or nil.
func NewGuard(removals, documents int) *Guard {
	if removals <= GuardRemovals || removals*GuardShare <= documents {
		return nil
	}
	return &Guard{Removals: removals, Documents: documents}
}

// GuardedRemovals is the number that consent must name: the removals in all
// guarded sources. 0 means that none is needed.
func (p *Reindex) GuardedRemovals() int {
	n := 0
	for _, s := range p.Sources {
		if s.Guard != nil {
			n += s.Guard.Removals
		}
	}
	return n
}

// Removals counts the removals by source.
func (p *Reindex) Removals() map[corpus.ID]int {
	n := make(map[corpus.ID]int)
	for _, a := range p.Actions {
		if a.Kind == Removed {
			n[a.Source]++
		}
	}
	return n
}

// tighten computes the guards anew after actions were taken out.
func (p *Reindex) tighten() {
	removals := p.Removals()
	for i := range p.Sources {
		if g := p.Sources[i].Guard; g != nil {
			p.Sources[i].Guard = NewGuard(removals[p.Sources[i].ID], g.Documents)
		}
	}
}
