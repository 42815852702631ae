package source

import (
	"context"
	"path/filepath"

	"ibid/backend/corpus"
)

// claim is another source that shares files with the one that is looked at.
//
// A file in several sources is a document of the one that was added first
// among those that do not ignore it. So adding a source never takes documents
// from another, whose ids citations name; and a folder that the first source
// ignores can be added on its own.
type claim struct {
	name string
	base string
	tree *tree // nil for a single file
}

// claims returns the sources added before s whose roots lie in base or above.
func (f *Files) claims(ctx context.Context, s corpus.Source, base string) ([]*claim, error) {
	if f.Sources == nil {
		return nil, nil
	}
	all, err := f.Sources(ctx)
	if err != nil {
		return nil, err
	}
	var claims []*claim
	for _, other := range all {
		if !onDisk(other) || !Before(other, s) {
			continue
		}
		c := &claim{name: other.Name}
		if c.base, err = filepath.EvalSymlinks(other.Root); err != nil {
			continue // not there now: it owns nothing that could be seen
		}
		if !inside(c.base, base) && !inside(base, c.base) {
			continue
		}
		if other.Kind == corpus.SourceFolder {
			if c.tree, err = f.newTree(other); err != nil {
				continue
			}
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// Before orders sources by when they were added.
func Before(a, b corpus.Source) bool {
	if !a.CreatedAt.Equal(b.CreatedAt) {
		return a.CreatedAt.Before(b.CreatedAt)
	}
	return a.ID.String() < b.ID.String()
}

// inside reports whether path is folder or lies below it.
func inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// owns reports whether the file with this real path is a document there.
func (c *claim) owns(ctx context.Context, abs string) (bool, error) {
	if c.tree == nil {
		return abs == c.base, nil
	}
	rel, err := filepath.Rel(c.base, abs)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return false, nil //nolint:nilerr // no relative path: outside
	}
	_, _, d, err := c.tree.find(ctx, filepath.ToSlash(rel))
	return err == nil && d.reason == "", ctx.Err()
}
