//go:build !cgo

package builtin

import (
	"context"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/embed"
)

// Open always fails with corpus.ErrUnsupported: this build has no cgo.
func Open(context.Context, Options) (embed.Embedder, error) {
	return nil, fmt.Errorf("open built-in model: %w: this program was built without cgo and has no built-in model; "+
		"use a build with it, or set embeddings to a server's model, hash (for tests) or none (keyword search only)",
		corpus.ErrUnsupported)
}
