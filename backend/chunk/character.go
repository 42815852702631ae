package chunk

// Character is the strategy that counts characters: its sizes are in them, and
// chunks end between words. The model's limit in tokens holds as well.
func Character() Strategy {
	return Strategy{
		name:    "character",
		version: 1,
		target:  1000,
		overlap: 100,
		grammar: grammar{
			rank:       anywhere,
			words:      true,
			characters: true,
			whole:      upToTarget,
		},
	}
}
