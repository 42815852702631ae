package chunk

// Token is the strategy that looks at nothing but the number of tokens: chunks
// end between words.
func Token() Strategy {
	return Strategy{
		name:    "token",
		version: 1,
		target:  256,
		overlap: 32,
		grammar: grammar{
			rank:  anywhere,
			words: true,
			whole: upToTarget,
		},
	}
}
