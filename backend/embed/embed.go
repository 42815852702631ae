// Package embed turns text into vectors. It holds the contract, what every
// caller checks of its results (Validate) and the conformance suite in
// embedtest; each provider has a folder of its own.
package embed

import (
	"context"
	"errors"

	"ibid/backend/corpus"
)

// ErrClosed is returned by the calls of an embedder that was closed.
var ErrClosed = errors.New("embedder is closed")

// Embedder makes vectors of one embedding space. All methods may be called
// from several goroutines at once.
//
// Returned vectors have Space().Dimensions finite components and unit length.
// An error never carries keys or the texts themselves. One that wraps
// corpus.ErrUnavailable may pass with time or after an installation: the same
// call can be tried again. Any other error will repeat itself.
type Embedder interface {
	// Space names the space; it does not change during the embedder's life.
	Space() corpus.Space
	// Limit is the largest input in tokens, special tokens included. A text
	// above it is an error (corpus.ErrLimit), never truncated.
	Limit() int
	// Count returns the tokens of text as Limit counts them, special tokens
	// included: exact where the tokenizer is local, else a documented
	// estimate from above.
	Count(text string) int
	// EmbedQuery embeds a search query. A query above Limit is cut at the
	// limit, since a query loses nothing that was stored.
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
	// EmbedDocuments embeds passages and returns one vector a text, in order,
	// or an error and no vectors. An empty input gives an empty result without
	// a call. It returns ctx's error soon after ctx ends, within one text's
	// time for local models.
	EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error)
	// Close releases the model. It waits for running calls; later calls
	// return ErrClosed. Closing again does nothing.
	Close() error
}
