// Package extract turns a document's bytes into text, blocks and locations.
// It decides the type by content first and by name second, and holds the
// registry of extractors; each heavy format has a folder of its own.
//
// Whatever the bytes are, an extractor answers with an Extraction or with an
// error that says what is wrong and where; it never panics, never runs without
// bound and never changes anything.
package extract

import (
	"context"

	"ibid/backend/corpus"
)

// Input is one document's bytes.
type Input struct {
	Name string // base name or URL path: only its extension is a hint
	Type string // media type by Sniff; an extractor may trust it
	Data []byte // not changed and not kept
}

// Extractor reads one family of formats.
type Extractor interface {
	// Extract returns the text with its blocks. The result satisfies Validate.
	// An input without text gives an empty Text and no error. Errors wrap
	// corpus.ErrLimit or corpus.ErrUnsupported where these are the reason.
	Extract(ctx context.Context, in Input) (*corpus.Extraction, error)
}
