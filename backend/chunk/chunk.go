// Package chunk divides extracted text into passages. It is pure: no I/O, no
// clock, no randomness; equal input gives equal chunks on every machine.
//
// Boundaries are stable (see ARCHITECTURE.md, "Stable boundaries"): they are
// chosen by the text around them and not by counting from the start, so that
// an edit changes the chunks around it and no others. The strongest natural
// boundary wins, among equals the one whose following text has the smallest
// hash: a chunk ends at the winner between a third of the largest size and the
// largest size. Boundaries shortly before one that wins to both sides are
// avoided. Divisions that came to start at different places therefore meet
// again after a chunk or two.
//
// A document passes through four steps: regions (blocks with the headings
// above them), units (the smallest pieces that stay whole, each counted once),
// cuts, and chunks (context, overlap, header, location, verified size).
package chunk

import "ibid/backend/corpus"

// Options bound the chunks. Sizes are in tokens as Count counts them; Target and
// Overlap of the strategy "character" are in characters.
type Options struct {
	Target int // largest wanted size of an input, breadcrumb included; > 0
	// Limit is the embedding model's input limit; no chunk's Input exceeds it.
	// 0 means none. Target and Overlap shrink with it where it is smaller.
	Limit   int
	Overlap int // context repeated from the chunk before; ≥ 0, disabled when ≥ Target
	// Breadcrumb puts the path of headings into the chunks.
	Breadcrumb bool
	// Count returns the tokens of a text including the model's special tokens.
	// It must not shrink when text is appended by more than a constant. It is
	// called once for each sentence, line or row and once for each chunk: the
	// sum over the parts plans the sizes, the count of the whole input decides.
	Count func(text string) int
}

// Chunker is one strategy.
type Chunker interface {
	// Chunk divides the document. Invalid options or blocks fail before any
	// work with corpus.ErrInvalid; a document whose chunks would exceed the
	// output budget fails with corpus.ErrLimit, and so does one with a
	// character that is larger than the limit. A text without words gives none.
	// The result is identified (corpus.Identify) without ids.
	Chunk(doc *corpus.Extraction, opt Options) ([]corpus.Chunk, error)
}
