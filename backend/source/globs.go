package source

import "ibid/backend/corpus"

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
	r := g.rules
	if rel != "" && cover(r.exclude, rel, r.fold) { // "" is the root itself, which somebody named
		return false
	}
	return len(r.include) == 0 || cover(r.include, rel, r.fold)
}
