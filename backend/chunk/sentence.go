package chunk

// Sentence is the strategy for running text such as contracts: whole
// sentences, better whole paragraphs; headings are paragraphs that stay with
// what follows.
func Sentence() Strategy {
	return Strategy{
		name:    "sentence",
		version: 2,
		target:  256,
		overlap: 32,
		grammar: grammar{
			rank:    noSections,
			wrapped: true,
			whole:   upTo2Targets,
		},
	}
}
