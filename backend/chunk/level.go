package chunk

import "ibid/backend/corpus"

// level is the strength of a boundary. A cut falls on the strongest boundary
// in reach.
type level uint8

const (
	levelGlue     level = iota // parts what belongs together: a heading from its text
	levelGrapheme              // inside a word
	levelWord
	levelClause // after a comma, colon or semicolon
	levelWeak   // a natural boundary that would leave a short rest, or after "as follows:"
	levelSentence
	levelLine // of a list, table, code, or of text that is not wrapped
	levelParagraph
	levelBlock
	levelSection // before a heading of level 6; of level 1 it is levelTop
	levelTop     = levelSection + 5
	// levelPart is before another sheet or slide, whose chunks share no anchor,
	// where a strategy parts what stands by itself (a question, a function), and
	// at the end: always cut.
	levelPart = levelTop + 1
)

// headingLevel is the strength of the boundary before a heading (1–6).
func headingLevel(n int) level {
	return levelTop - level(min(max(n, 1), 6)-1)
}

// grammar says which boundaries a strategy prefers.
type grammar struct {
	// rank replaces the level of a boundary. Boundaries ranked below levelWeak
	// are used only where the text between two others is too large.
	rank func(level) level
	// wrapped takes a line end inside a sentence for a space.
	wrapped bool
	// fences keeps code whole up to the model's limit.
	fences bool
	// lead finds headings that no block is; nil: none. With alone, each starts
	// a chunk.
	lead  lead
	alone bool
	// units lets each code block of some size be a chunk of its own.
	units bool
	// words takes every word for a place to cut.
	words bool
	// characters measures sizes in characters and only the limit in tokens.
	characters bool
	// whole returns the largest size up to which a document is one chunk.
	whole func(target, hard int) int
}

// mark is a boundary: the start of a piece of text and its strength.
type mark struct {
	pos   int
	level level
	own   level // before the strategy ranked it; 0: it was not ranked
}

// prosaic reports whether text of this kind is read as sentences.
func prosaic(kind corpus.BlockKind) bool {
	switch kind {
	case corpus.BlockTable, corpus.BlockCode, corpus.BlockHeading:
		return false
	}
	return true
}

// upTo2Targets is the default of grammar.whole: short documents are not
// divided, but a model with a large limit does not make chunks of it.
func upTo2Targets(target, hard int) int { return min(2*target, hard) }

// upToTarget is grammar.whole of strategies whose size is meant exactly.
func upToTarget(target, _ int) int { return target }

// asItIs ranks boundaries by what they are.
func asItIs(l level) level { return l }

// noSections ranks a section no higher than a block.
func noSections(l level) level {
	if l >= levelSection && l <= levelTop {
		return levelBlock
	}
	return l
}

// noSentences takes the end of a sentence for that of a word, as in cells.
func noSentences(l level) level {
	if l == levelSentence {
		return levelWord
	}
	return l
}

// anywhere takes all boundaries between words for equal.
func anywhere(l level) level {
	if l >= levelWord && l <= levelTop {
		return levelBlock
	}
	return l
}
