package chunk

import (
	"fmt"

	"ibid/backend/corpus"
)

// Strategy is a way of dividing documents with its usual sizes.
type Strategy struct {
	name    string
	version int // raised whenever the same input may give other chunks, also by other usual sizes
	target  int // usual sizes, see Options
	overlap int
	grammar grammar
}

var _ Chunker = Strategy{}

// Name is how settings call the strategy.
func (s Strategy) Name() string { return s.name }

// Characters tells that the strategy's sizes are characters, not tokens.
func (s Strategy) Characters() bool { return s.grammar.characters }

// Options returns the strategy's usual options without Limit and Count.
func (s Strategy) Options() Options {
	return Options{Target: s.target, Overlap: s.overlap, Breadcrumb: true}
}

// Recipe names everything here that decides about the chunks, for
// corpus.Document.Recipe: equal recipes give equal chunks of equal
// extractions, as long as Count counts the same.
func (s Strategy) Recipe(opt Options) string {
	crumb := "bare"
	if opt.Breadcrumb {
		crumb = "breadcrumb"
	}
	return fmt.Sprintf("%s/%d target=%d overlap=%d limit=%d %s",
		s.name, s.version, opt.Target, opt.Overlap, opt.Limit, crumb)
}

// Chunk implements Chunker.
func (s Strategy) Chunk(doc *corpus.Extraction, opt Options) ([]corpus.Chunk, error) {
	chunks, _, err := s.Explain(doc, opt)
	return chunks, err
}

// Explain is Chunk that also says, for each chunk, why it ends where it ends.
func (s Strategy) Explain(doc *corpus.Extraction, opt Options) ([]corpus.Chunk, []Ending, error) {
	b, err := newBudget(opt, s.grammar.characters)
	if err != nil {
		return nil, nil, err
	}
	if err := validate(doc); err != nil {
		return nil, nil, err
	}
	if !hasWord(doc.Text) {
		return nil, nil, nil
	}
	d, err := newDivider(doc, s.grammar, b, opt.Breadcrumb)
	if err != nil {
		return nil, nil, err
	}
	if err := d.divide(); err != nil {
		return nil, nil, err
	}
	corpus.Identify(corpus.NoID, d.chunks)
	return d.chunks, d.ends, nil
}
