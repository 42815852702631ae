package search

import "ibid/backend/corpus"

// Floor is the cut for "nothing relevant" (H4), on the legs' own scores: a
// hybrid search whose best passages stay below both has no answer. Zero values
// never cut.
type Floor struct {
	Cosine   float64
	Coverage float64 // share of the query's weight that one passage has
}

// coverageFloor holds for all libraries: of questions to another library, at
// most one in twenty finds a passage with half of its weight.
const coverageFloor = 0.5

// floors by model were measured by asking libraries the questions of others
// and their own.
var floors = map[string]float64{
	"builtin/minilm":    0.30,
	"builtin/bge-small": 0.58,
}

// FloorOf returns the floor for an embedding space. Cosines mean nothing
// across models: for one that was not measured, the vector leg is never cut.
func FloorOf(space corpus.Space) Floor {
	return Floor{Cosine: floors[space.Provider+"/"+space.Model], Coverage: coverageFloor}
}
