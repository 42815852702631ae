package source

// Glob matches paths of a source as its globs to include do: one without "/"
// matches names anywhere, one that matches a folder covers all below it. The
// empty one matches everything.
type Glob struct {
	pattern string
	fold    bool
}

// NewGlob fails with corpus.ErrInvalid for a glob that is none.
func NewGlob(written string, fold bool) (Glob, error) {
	if written == "" {
		return Glob{}, nil
	}
	patterns, err := globs([]string{written})
	if err != nil {
		return Glob{}, err
	}
	return Glob{pattern: patterns[0], fold: fold}, nil
}

// Match reports whether the path, relative to the source's root, matches.
func (g Glob) Match(rel string) bool {
	return g.pattern == "" || cover([]string{g.pattern}, rel, g.fold)
}
