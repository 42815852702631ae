package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"ibid/backend/corpus"
	"ibid/backend/source"
)

// errShallow: this system's watches get in the way of whoever works in the folders.
var errShallow = errors.New("watching its sub-folders would keep them from being renamed")

// add watches a source's folders at a place and below. An error is ctx's, or
// why the source cannot be watched.
func (s *session) add(ctx context.Context, r *record, place string) error {
	if r.Kind == corpus.SourceFile {
		return s.addFolder(r.anchor, spot{source: r.ID, only: filepath.Base(r.base)})
	}
	return s.opt.Files.Folders(ctx, r.Source, place, func(rel, abs string) error {
		if rel != "" && !deep {
			return errShallow
		}
		err := s.addFolder(abs, spot{source: r.ID, rel: rel})
		if rel != "" && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)) {
			return nil // gone meanwhile, or not to be read: a scan says so
		}
		return err
	})
}

// addFolder watches a folder. One that is watched already is added all the
// same: it may be another one by now.
func (s *session) addFolder(abs string, at spot) error {
	if err := s.notifier.Add(abs); err != nil {
		return err
	}
	up := filepath.Dir(abs)
	if s.below[up] == nil {
		s.below[up] = map[string]bool{}
	}
	s.below[up][abs] = true
	if !slices.Contains(s.folders[abs], at) {
		s.folders[abs] = append(s.folders[abs], at)
		s.records[at.source].folders++
	}
	return nil
}

// drop forgets a folder that is gone or renamed, with all below.
func (s *session) drop(abs string) {
	for p := range s.below[abs] {
		s.drop(p)
	}
	spots, watched := s.folders[abs]
	if !watched {
		return
	}
	for _, at := range spots {
		r := s.records[at.source]
		r.folders--
		if r.anchor == abs {
			r.pulse = time.Now() // look at the root at once
		}
	}
	s.unwatch(abs)
}

func (s *session) unwatch(abs string) {
	delete(s.folders, abs)
	up := filepath.Dir(abs)
	if delete(s.below[up], abs); len(s.below[up]) == 0 {
		delete(s.below, up)
	}
	if err := s.notifier.Remove(abs); err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
		s.opt.Log.Debug("a folder's watch could not be removed", "error", err) // the system did it
	}
}

// detach gives back a source's watches.
func (s *session) detach(r *record) {
	for abs, spots := range s.folders {
		s.folders[abs] = slices.DeleteFunc(spots, func(at spot) bool { return at.source == r.ID })
		if len(s.folders[abs]) == 0 {
			s.unwatch(abs)
		}
	}
	r.folders = 0
}

// event takes in what happened to a name.
func (s *session) event(ctx context.Context, e fsnotify.Event) {
	if e.Op == fsnotify.Chmod && !attributes {
		return
	}
	gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	if gone {
		s.drop(e.Name)
	}
	spots := s.folders[filepath.Dir(e.Name)]
	if len(spots) == 0 {
		return
	}
	name := filepath.Base(e.Name)
	fresh := !gone && (e.Has(fsnotify.Create) || e.Has(fsnotify.Chmod) && s.folders[e.Name] == nil) && isFolder(e.Name)
	for _, at := range slices.Clone(spots) {
		place := path.Join(at.rel, name)
		switch {
		case at.only == name:
			place = ""
		case at.only != "":
			continue
		case fresh:
			s.grow(ctx, at.source, place)
		case source.IsIgnoreFile(name):
			s.grow(ctx, at.source, at.rel)
		}
		s.hint(Hint{Source: at.source, Places: []string{place}, Cause: Changed}, gone)
	}
}

// grow watches folders that are new in a source. Where that is not possible
// the source is polled from now on.
func (s *session) grow(ctx context.Context, id corpus.ID, place string) {
	r := s.records[id]
	if r == nil || r.state.Mode != Watching {
		return
	}
	if err := s.add(ctx, r, place); err != nil && ctx.Err() == nil && !errors.Is(err, corpus.ErrUnavailable) {
		s.attach(ctx, r, Many) // finds out again, and what follows
		return
	}
	s.show(r, r.state)
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// inWords says why something cannot be watched or reached.
func inWords(err error) string {
	switch {
	case errors.Is(err, errShallow):
		return err.Error()
	case errors.Is(err, syscall.ENOSPC):
		return "the system's limit of watched folders is used up" + limitHint
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "the system's limit of open files or watchers is used up" + watchersHint
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return strings.TrimPrefix(err.Error(), corpus.ErrUnavailable.Error()+": ")
}
