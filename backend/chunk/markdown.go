package chunk

// Markdown is the header-aware strategy for documents with headings: a
// section starts a chunk unless it is too short for one of its own, code
// fences stay whole, and the headings above a chunk are its breadcrumb.
func Markdown() Strategy {
	return Strategy{
		name:    "markdown",
		version: 2,
		target:  450,
		overlap: 60,
		grammar: grammar{
			rank:    asItIs,
			wrapped: true,
			fences:  true,
			whole:   upToTarget,
		},
	}
}
