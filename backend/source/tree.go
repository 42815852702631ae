package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"ibid/backend/corpus"
)

// tree is a folder source with its rules, seen once.
type tree struct {
	source corpus.Source
	rules  *rules
	base   string // the root without links
	memo   map[string]entered
}

// entered is the result of enter.
type entered struct {
	frame    *frame
	decision decision
	err      error
}

// errLink: a path leads through a link.
var errLink = errors.New("reached through a link, which only a whole scan follows")

func (f *Files) newTree(s corpus.Source) (*tree, error) {
	r, err := newRules(s)
	if err != nil {
		return nil, err
	}
	base, err := filepath.EvalSymlinks(s.Root)
	if err != nil {
		return nil, err
	}
	if f.Library != "" {
		if folder, err := filepath.EvalSymlinks(filepath.Dir(f.Library)); err == nil && inside(base, folder) {
			rel, err := filepath.Rel(base, filepath.Join(folder, filepath.Base(f.Library)))
			if err == nil {
				r.library = filepath.ToSlash(rel)
			}
		}
	}
	return &tree{source: s, rules: r, base: base, memo: map[string]entered{}}, nil
}

func (t *tree) abs(rel string) string { return filepath.Join(t.base, filepath.FromSlash(rel)) }

// enter goes from the root to a folder, as the walk would. The decision says
// where that is ignored; fs.ErrNotExist that there is no such folder.
func (t *tree) enter(ctx context.Context, rel string) (*frame, decision, error) {
	if e, ok := t.memo[rel]; ok {
		return e.frame, e.decision, e.err
	}
	if err := ctx.Err(); err != nil {
		return nil, decision{}, err
	}
	var e entered
	e.frame, e.decision, e.err = t.step(ctx, rel)
	t.memo[rel] = e
	return e.frame, e.decision, e.err
}

func (t *tree) step(ctx context.Context, rel string) (*frame, decision, error) {
	var up *frame
	if rel != "." {
		var d decision
		var err error
		if up, d, err = t.enter(ctx, path.Dir(rel)); err != nil || d.reason != "" {
			return nil, d, err
		}
		info, err := os.Lstat(t.abs(rel))
		switch {
		case err != nil:
			return nil, d, err
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, d, errLink
		case !info.IsDir():
			return nil, d, fs.ErrNotExist
		}
		if d := t.decide(up, rel, info); d.reason != "" {
			return nil, d, nil
		}
	}
	folder, err := openFolder(t.abs(rel))
	if err != nil {
		return nil, decision{}, err
	}
	defer folder.Close()
	f := &frame{up: up}
	if f.id, err = identify(folder); err != nil {
		return nil, decision{}, err
	}
	return f, decision{}, t.load(f, t.abs(rel), rel, func(string) bool { return true })
}

// find goes to a file or folder, as the walk would.
func (t *tree) find(ctx context.Context, rel string) (*frame, fs.FileInfo, decision, error) {
	up, d, err := t.enter(ctx, path.Dir(rel))
	if err != nil || d.reason != "" {
		return nil, nil, d, err
	}
	info, err := os.Lstat(t.abs(rel))
	if err != nil {
		return nil, nil, d, err
	}
	return up, info, t.decide(up, rel, info), nil
}

func (t *tree) decide(up *frame, rel string, info fs.FileInfo) decision {
	d := t.rules.ignored(up, rel, info.IsDir())
	if d.reason == "" && isHidden(info) {
		return decision{"hidden", true}
	}
	return d
}

// load reads the ignore files of a folder. There are such by that name.
func (t *tree) load(f *frame, folder, rel string, exists func(name string) bool) (err error) {
	if exists(gitIgnore) {
		if f.git, err = readIgnore(folder, rel, gitIgnore); err != nil {
			return err
		}
	}
	if exists(ownIgnore) {
		f.own, err = readIgnore(folder, rel, ownIgnore)
	}
	return err
}

// maxIgnore is how much of an ignore file is read, in bytes.
const maxIgnore = 1 << 20

// readIgnore reads an ignore file. None, or something else of that name,
// ignores nothing; one that cannot be read is an error, as nobody knows what
// it would have kept out.
func readIgnore(folder, rel, name string) (*ignoreFile, error) {
	file, err := os.OpenFile(filepath.Join(folder, name), os.O_RDONLY|nonblocking, 0)
	switch {
	case isNotExist(err):
		return nil, nil //nolint:nilnil // no file, no rules
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, unwrapPath(err))
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxIgnore))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, unwrapPath(err))
	}
	if rel == "." {
		rel = ""
	}
	return parseIgnore(name, rel, data), nil
}
