package store

import (
	"fmt"
	"slices"
	"strings"

	"ibid/backend/corpus"
)

// Validate fails with corpus.ErrInvalid for a place that no document can have.
// Addresses of pages and ids of documents without files are places too.
func (w Where) Validate() error {
	for _, places := range w.Places {
		for _, p := range places {
			if strings.HasPrefix(p, "/") {
				return fmt.Errorf("find documents: %w: place %q", corpus.ErrInvalid, p)
			}
		}
	}
	return nil
}

// Below returns the paths that are below a folder: those after the one and
// before the other.
func Below(folder string) (after, before string) {
	return folder + "/", folder + "0" // the character that follows a slash
}

// ByPlace compares documents by source id and path, the order in which a store
// returns them.
func ByPlace(a, b corpus.Document) int {
	if a.Source != b.Source {
		return slices.Compare(a.Source[:], b.Source[:])
	}
	if a.Path != b.Path {
		if a.Path < b.Path {
			return -1
		}
		return 1
	}
	return slices.Compare(a.ID[:], b.ID[:])
}

// Named returns the names of rows to count: all of them for none.
func Named(names []string) []string {
	if len(names) == 0 {
		return RowNames
	}
	return names
}
