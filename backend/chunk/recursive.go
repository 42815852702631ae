package chunk

// Recursive is the strategy for text of unknown make: paragraph, then line,
// then sentence, word and grapheme. Every line end counts as one.
func Recursive() Strategy {
	return Strategy{
		name:    "recursive",
		version: 2,
		target:  256,
		grammar: grammar{
			rank:  noSections,
			whole: upTo2Targets,
		},
	}
}
