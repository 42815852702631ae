package source

import (
	"context"
	"path"

	"ibid/backend/corpus"
)

// IsIgnoreFile reports whether a file of this name decides what else in its
// folder is a document.
func IsIgnoreFile(name string) bool { return name == gitIgnore || name == ownIgnore }

// Folders calls visit for each folder at a place of the source and below that
// a scan would list, with its path from the root ("" is the root) and its real
// path; a folder comes before those in it. Links are not followed. A place
// where no such folder is has none.
//
// Errors are visit's, which end the walk, and ctx's; of the root also what
// keeps it from being listed, as corpus.ErrUnavailable. Other folders that
// cannot be listed are left out.
func (f *Files) Folders(ctx context.Context, s corpus.Source, place string, visit func(rel, abs string) error) error {
	t, err := f.newTree(s)
	if err != nil {
		return rootError(err)
	}
	if place == "" {
		place = "."
		if _, _, err := t.enter(ctx, "."); err != nil && ctx.Err() == nil {
			return rootError(err)
		}
	}
	return t.folders(ctx, place, visit)
}

func (t *tree) folders(ctx context.Context, rel string, visit func(rel, abs string) error) error {
	f, d, err := t.enter(ctx, rel)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil || d.reason != "" || f.up.inside(f.id):
		return nil //nolint:nilerr // a scan says what is wrong with it
	}
	shown := rel
	if rel == "." {
		shown = ""
	}
	if err := visit(shown, t.abs(rel)); err != nil {
		return err
	}
	folder, err := openFolder(t.abs(rel))
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	entries, _ := folder.ReadDir(-1) // what was listed is there
	folder.Close()
	for _, e := range entries {
		if e.IsDir() {
			if err := t.folders(ctx, path.Join(rel, e.Name()), visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// Relevant reduces hints to places that a scan has to look at: what is ignored
// is left out, and an ignore file stands for its folder. Places where nothing
// is any more are kept; where the root cannot be looked at, all of it is the
// place. The only error is ctx's.
func (f *Files) Relevant(ctx context.Context, s corpus.Source, places []string) ([]string, error) {
	t, err := f.newTree(s)
	if err != nil || s.Kind != corpus.SourceFolder {
		return []string{""}, ctx.Err()
	}
	var out []string
	for _, p := range places {
		if IsIgnoreFile(path.Base(p)) {
			p = path.Dir(p)
		}
		if p == "" || p == "." {
			return []string{""}, ctx.Err()
		}
		relevant, err := t.relevant(ctx, p)
		if err != nil {
			return nil, err
		}
		if relevant {
			out = append(out, p)
		}
	}
	return out, nil
}

func (t *tree) relevant(ctx context.Context, p string) (bool, error) {
	_, _, d, err := t.find(ctx, p)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err == nil:
		return d.reason == "", nil
	case !isNotExist(err):
		return true, nil
	}
	// Gone: ignored if neither a file nor a folder of this name would be seen.
	up, d, err := t.enter(ctx, path.Dir(p))
	if err != nil {
		return ignoredName(path.Base(p)) == "", ctx.Err()
	}
	if d.reason != "" {
		return false, nil
	}
	return t.rules.ignored(up, p, false).reason == "" || t.rules.ignored(up, p, true).reason == "", nil
}
