package chunk

// Slides is the strategy for presentations: a slide with its notes is a chunk,
// however short; a large one is divided at its paragraphs.
func Slides() Strategy {
	return Strategy{
		name:    "slides",
		version: 1,
		target:  450,
		grammar: grammar{
			rank:    noSections,
			wrapped: true,
			whole:   upToTarget,
		},
	}
}
