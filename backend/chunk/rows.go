package chunk

// Rows is the strategy for sheets: whole rows fill the size, and each chunk
// repeats the header above them.
func Rows() Strategy {
	return Strategy{
		name:    "rows",
		version: 1,
		target:  256,
		grammar: grammar{
			rank:  noSentences,
			whole: upToTarget,
		},
	}
}
