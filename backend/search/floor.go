package search

import "ibid/backend/corpus"

// Floor is the cut for "nothing relevant" (H4), on the legs' own scores: a
// hybrid search whose best passages stay below Cosine and Coverage has no
// answer. A zero Cosine never cuts.
type Floor struct {
	Cosine   float64
	Coverage float64 // share of the query's weight that one passage has
	// Near is the cosine that half of the passages reach which answer a
	// question; what it means to be near lies between Cosine and Near.
	Near float64
}

// coverageFloor holds for all libraries: of questions to another library, at
// most one in twenty finds a passage with half of its weight.
const coverageFloor = 0.5

// floors by model were measured by asking libraries the questions of others
// and their own (docs/evaluation.md).
var floors = map[string]Floor{
	"builtin/minilm":    {Cosine: 0.30, Near: 0.61},
	"builtin/bge-small": {Cosine: 0.58, Near: 0.75},
}

// FloorOf returns the floor for an embedding space. Cosines mean nothing
// across models: for one that was not measured, the vector leg is never cut.
func FloorOf(space corpus.Space) Floor {
	f := floors[space.Provider+"/"+space.Model]
	f.Coverage = coverageFloor
	return f
}

// Meaning places a cosine between the floor, 0, and Near, 1. It is 0 where the
// model was not measured, or the passage was not found by meaning.
func (f Floor) Meaning(vector *Judgement) float64 {
	if vector == nil || f.Near <= f.Cosine {
		return 0
	}
	return (vector.Score - f.Cosine) / (f.Near - f.Cosine)
}
