package chunk

// Rows is the strategy for sheets: whole rows fill the size, and each chunk
// repeats the header above them.
func Rows() Strategy {
	return Strategy{
		name:    "rows",
		version: 1,
		target:  256,
		grammar: grammar{
			rank: func(l level) level {
				if l == levelSentence {
					return levelWord
				}
				return l
			},
			whole: upToTarget,
		},
	}
}
