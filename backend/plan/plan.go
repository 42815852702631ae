package plan

import (
	"fmt"
	"slices"

	"ibid/backend/corpus"
)

// Delta is what must happen to a set of existing things so that it equals the
// incoming ones.
type Delta[T any] struct {
	Added     []T // in the order of the input, as are the next two
	Updated   []T
	Unchanged []T
	Removed   []string // keys, sorted
}

// WriteCount is the number of things to add, update or remove.
func (d Delta[T]) WriteCount() int { return len(d.Added) + len(d.Updated) + len(d.Removed) }

// IsNoOp reports whether nothing is to be done.
func (d Delta[T]) IsNoOp() bool { return d.WriteCount() == 0 }

// DuplicateError: two incoming things have one key.
type DuplicateError struct {
	Key           string
	First, Second int // positions in the input, from 0
}

// Error names the key and both positions.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("plan: key %q stands at positions %d and %d", e.Key, e.First, e.Second)
}

// Unwrap makes it a corpus.ErrInvalid.
func (e *DuplicateError) Unwrap() error { return corpus.ErrInvalid }

// Plan compares incoming things with the existing ones, given as key to
// content hash. What is in both is Unchanged if the hashes are equal, else
// Updated; what is existing only is Removed. The functions are called once a
// thing and must be pure. A key that comes in twice is a *DuplicateError.
func Plan[T any](incoming []T, lookupKey, contentHash func(T) string, existing map[string]string) (Delta[T], error) {
	var d Delta[T]
	at := make(map[string]int, len(incoming))
	for i, item := range incoming {
		key := lookupKey(item)
		if first, twice := at[key]; twice {
			return Delta[T]{}, &DuplicateError{Key: key, First: first, Second: i}
		}
		at[key] = i
		switch hash, known := existing[key]; {
		case !known:
			d.Added = append(d.Added, item)
		case hash != contentHash(item):
			d.Updated = append(d.Updated, item)
		default:
			d.Unchanged = append(d.Unchanged, item)
		}
	}
	for key := range existing {
		if _, came := at[key]; !came {
			d.Removed = append(d.Removed, key)
		}
	}
	slices.Sort(d.Removed)
	return d, nil
}
