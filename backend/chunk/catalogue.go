package chunk

// Catalogue is the strategy for lists of entries such as products, addresses or
// a glossary: entries stay whole, and chunks have from half the size to all of
// it, whatever headings stand between.
func Catalogue() Strategy {
	return Strategy{
		name:    "catalogue",
		version: 1,
		target:  512,
		grammar: grammar{
			rank:  func(l level) level { return noSections(noSentences(l)) },
			whole: upToTarget,
		},
	}
}
