package store

import (
	"maps"

	"ibid/backend/corpus"
)

// Tally are a source's counts.
type Tally struct {
	Documents int
	Failed    int
	Chunks    int // of the generation asked for
	Embedded  int // of these, with a vector
}

// Plus adds up.
func (t Tally) Plus(o Tally) Tally {
	return Tally{t.Documents + o.Documents, t.Failed + o.Failed, t.Chunks + o.Chunks, t.Embedded + o.Embedded}
}

// Kept is a count as stores keep it: of the documents of a source in one
// language, those of the ledger and of a generation apart.
type Kept struct {
	Source   corpus.ID
	Language string
	Tally
}

// Tallies adds up what is kept, by source; sources with nothing are left out.
func Tallies(kept []Kept) map[corpus.ID]Tally {
	all := make(map[corpus.ID]Tally)
	for _, k := range kept {
		all[k.Source] = all[k.Source].Plus(k.Tally)
	}
	maps.DeleteFunc(all, func(_ corpus.ID, t Tally) bool { return t == Tally{} })
	return all
}

// Count fills in the counts of a library from what is kept of its live generation.
func (i *Info) Count(kept []Kept) {
	i.Languages = make(map[string]int)
	sum := Tally{}
	for _, k := range kept {
		sum = sum.Plus(k.Tally)
		if k.Chunks > 0 {
			i.Languages[k.Language] += k.Chunks
		}
	}
	i.Documents, i.Failed, i.Chunks, i.Embedded = sum.Documents, sum.Failed, sum.Chunks, sum.Embedded
}
