package source

import (
	"path"

	"ibid/backend/corpus"
)

// Globs are a source's globs without the rest of the rules that folders have.
type Globs struct{ rules *rules }

// NewGlobs fails with corpus.ErrInvalid for a glob that is none.
func NewGlobs(s corpus.Source) (Globs, error) {
	r, err := newRules(s)
	return Globs{r}, err
}

// Wanted reports whether a path from the source's root is included and not
// excluded; what matches a folder covers all below it.
func (g Globs) Wanted(rel string) bool {
	for p := rel; p != "." && p != "" && p != "/"; p = path.Dir(p) {
		for _, glob := range g.rules.exclude {
			if matches(glob, p, false) {
				return false
			}
		}
	}
	return len(g.rules.include) == 0 || g.rules.included(rel)
}
