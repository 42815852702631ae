package source

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

type link struct {
	rel, abs string
	frame    *frame
}

// meet keeps a link for follow. In a look at some places nobody follows it, so
// what a whole scan would see behind it is not looked at.
func (w *walk) meet(l link) error {
	if !w.partial {
		w.links = append(w.links, l)
		return nil
	}
	if target, _, err := w.target(w.ctx, l.abs); target != "" || behindReach(err) {
		w.hole(l.rel, errLink)
	}
	return w.ctx.Err()
}

// behindReach: the link may lead somewhere, only not now.
func behindReach(err error) bool {
	return err != nil && (errors.Is(err, fs.ErrPermission) || isGone(err))
}

// follow goes through the links that were met, those behind links too. One
// that leads to a place that is seen anyway repeats it; one that leads out of
// the root, or nowhere, is ignored.
func (w *walk) follow() error {
	w.through = map[string]bool{}
	for i := 0; i < len(w.links); i++ { // grows meanwhile
		l := w.links[i]
		target, _, err := w.target(w.ctx, l.abs)
		switch {
		case w.ctx.Err() != nil:
			return w.ctx.Err()
		case behindReach(err):
			w.hole(l.rel, err)
			continue
		case err != nil || target == "":
			continue
		}
		info, err := os.Lstat(target)
		if err != nil {
			w.hole(l.rel, err)
			continue
		}
		if err := w.visit(target, l.rel, l.frame, fs.FileInfoToDirEntry(info)); err != nil {
			return err
		}
	}
	return nil
}

// target resolves a link to a real path inside of the root that no walk comes
// to without it; else it is "" and reason says why.
func (t *tree) target(ctx context.Context, abs string) (target, reason string, err error) {
	target, err = filepath.EvalSymlinks(abs)
	if err != nil {
		return "", "a link that leads nowhere", err
	}
	rel, err := filepath.Rel(t.base, target)
	if err != nil || !filepath.IsLocal(rel) {
		return "", "a link that leads out of the source", nil //nolint:nilerr // no relative path: outside
	}
	if rel == "." {
		return "", "a link to the source itself", nil
	}
	_, _, d, err := t.find(ctx, filepath.ToSlash(rel))
	if err == nil && d.reason == "" {
		return "", "a link to " + filepath.ToSlash(rel), nil
	}
	return target, "", err
}

// linkReason says why a path through a link is no document.
func (t *tree) linkReason(ctx context.Context, rel string) (string, error) {
	for i := 0; ; {
		n := strings.IndexByte(rel[i:], '/')
		if n < 0 {
			n = len(rel) - i
		}
		i += n
		info, err := os.Lstat(t.abs(rel[:i]))
		if err != nil {
			return "", explain("look at", rel, err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			_, reason, err := t.target(ctx, t.abs(rel[:i]))
			if reason != "" {
				err = nil
			}
			return reason, err
		}
		if i++; i > len(rel) {
			return "", nil
		}
	}
}
