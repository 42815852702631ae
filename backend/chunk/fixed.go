package chunk

// Fixed is the strategy for catalogues and other rows: lines fill the size,
// whatever their role, and only lines that are too large are cut at words.
func Fixed() Strategy {
	return Strategy{
		name:    "fixed",
		version: 2,
		target:  256,
		grammar: grammar{
			rank: func(l level) level {
				if l > levelLine && l <= levelTop {
					return levelLine
				}
				return noSentences(l)
			},
			whole: upToTarget,
		},
	}
}
