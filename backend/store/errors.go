package store

import (
	"fmt"

	"ibid/backend/corpus"
)

// ErrMissingVectors is why a strict change fails: passages have no vector
// anywhere. It is a corpus.ErrUnavailable that says nothing of the database.
var ErrMissingVectors = fmt.Errorf("%w: passages without a vector", corpus.ErrUnavailable)
