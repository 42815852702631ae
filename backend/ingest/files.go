package ingest

import (
	"context"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// Files is what ingest asks of sources; package source implements it. Its
// methods are called from several goroutines at once.
type Files interface {
	// Scan looks at the places of a source ("" is all of it). Entries carry the
	// hash of their content only where looking took reading it; a root that
	// cannot be looked at is no error but part of the scan. Its source has the
	// mark and case folding that were found.
	Scan(ctx context.Context, s corpus.Source, places []string) (plan.Scan, error)
	// Read returns a document's bytes and the fingerprint that they were read
	// with. Errors: fs.ErrNotExist if it is gone, corpus.ErrBusy if it is being
	// written or locked, corpus.ErrUnavailable if the source is.
	Read(ctx context.Context, s corpus.Source, path string) ([]byte, corpus.Fingerprint, error)
	// Hash is Read without keeping the bytes.
	Hash(ctx context.Context, s corpus.Source, path string) (corpus.Hash, corpus.Fingerprint, error)
	// Head returns the first n bytes, fewer of a shorter file, whatever its size.
	// It proves nothing: the file may be written at the same time.
	Head(ctx context.Context, s corpus.Source, path string, n int) ([]byte, error)
	// Exists reports whether there is a file now.
	Exists(ctx context.Context, s corpus.Source, path string) (bool, error)
}
