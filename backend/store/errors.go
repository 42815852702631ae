package store

import (
	"fmt"

	"ibid/backend/corpus"
)

// ErrMissingVectors is why a strict change fails: passages have no vector
// anywhere. It is a corpus.ErrUnavailable that says nothing of the database.
var ErrMissingVectors = fmt.Errorf("%w: passages without a vector", corpus.ErrUnavailable)

// ErrDamaged: what the library keeps cannot be read, or contradicts itself. It
// is a corpus.ErrUnavailable: an audit says where, and mending may help.
var ErrDamaged = fmt.Errorf("%w: the library is damaged", corpus.ErrUnavailable)
