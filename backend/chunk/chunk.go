// Package chunk divides extracted text into passages. It is pure: no I/O, no
// clock, no randomness; equal input gives equal chunks on every machine.
//
// Boundaries are stable (see ARCHITECTURE.md, "Stable boundaries"): between
// the minimum and the maximum size a strategy cuts at the natural boundary
// with the smallest content hash, so that an edit changes the chunks around it
// and no others.
package chunk

import "ibid/backend/corpus"

// Options bound the chunks. Sizes are in tokens as Count counts them.
type Options struct {
	Target int // wanted size of an input, breadcrumb included; > 0
	// Limit is the embedding model's input limit; no chunk's Input exceeds it.
	// 0 means none.
	Limit   int
	Overlap int // context repeated from the chunk before; ≥ 0, disabled when ≥ Target
	// Breadcrumb puts the path of headings into the chunks.
	Breadcrumb bool
	// Count returns the tokens of a text including the model's special tokens.
	// It must not shrink when text is appended by more than a constant.
	Count func(text string) int
}

// Chunker is one strategy.
type Chunker interface {
	// Chunk divides the document. Invalid options fail before any work with
	// corpus.ErrInvalid; a document whose chunks would exceed the output
	// budget fails with corpus.ErrLimit (C2). A text without words gives none.
	// The result is identified (corpus.Identify) without ids.
	Chunk(doc *corpus.Extraction, opt Options) ([]corpus.Chunk, error)
}
