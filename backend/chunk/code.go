package chunk

// Code is the strategy for programs and structured data: a function, a type, a
// key with what is below it. What a unit stands in is its breadcrumb; larger
// units are cut at lines.
func Code() Strategy {
	return Strategy{
		name:    "code",
		version: 1,
		target:  450,
		grammar: grammar{
			rank:  asItIs,
			units: true,
			whole: upToTarget,
		},
	}
}
