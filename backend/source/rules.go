package source

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"ibid/backend/corpus"
)

// Ignore files, in the order of their authority. ".ibidignore" may also take
// back ("!.github/") what is ignored by default or by ".gitignore".
const (
	ownIgnore = ".ibidignore"
	gitIgnore = ".gitignore"
)

// rules decide which names of a source are no documents: ignore files, names
// that are ignored by default, then the source's globs. A glob without "/"
// matches names anywhere; other globs match paths from the root. One that
// matches a folder covers all below it.
type rules struct {
	include []string
	exclude []string
	fold    bool
	library string // paths that begin so are the library's own; "": none
}

// newRules fails with corpus.ErrInvalid for a glob that is none.
func newRules(s corpus.Source) (*rules, error) {
	r := &rules{fold: s.FoldCase}
	var err error
	if r.include, err = globs(s.Include); err != nil {
		return nil, err
	}
	r.exclude, err = globs(s.Exclude)
	return r, err
}

func globs(written []string) ([]string, error) {
	var out []string
	for _, g := range written {
		glob := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(g, "./"), "/"), "/")
		if glob == "" || !doublestar.ValidatePattern(glob) {
			return nil, fmt.Errorf("%w: %q is no glob", corpus.ErrInvalid, g)
		}
		if !strings.Contains(g, "/") {
			glob = "**/" + glob
		}
		out = append(out, glob)
	}
	return out, nil
}

// decision is why a name is no document; the zero value: it is one.
type decision struct {
	reason    string
	byDefault bool // by its name, not by a rule that somebody wrote
}

// ignored decides on a path whose folder f was not ignored.
func (r *rules) ignored(f *frame, rel string, folder bool) decision {
	if r.library != "" && strings.HasPrefix(rel, r.library) {
		return decision{"part of the library", true}
	}
	own, reason := f.decide(ownIgnore, rel, folder, r.fold)
	if own == ignored {
		return decision{reason: reason}
	}
	if own == silent {
		if reason := ignoredName(path.Base(rel)); reason != "" {
			return decision{reason, true}
		}
		if git, reason := f.decide(gitIgnore, rel, folder, r.fold); git == ignored {
			return decision{reason: reason}
		}
	}
	for _, g := range r.exclude {
		if matches(g, rel, r.fold) {
			return decision{reason: "excluded by " + g}
		}
	}
	if len(r.include) > 0 && !folder && !cover(r.include, rel, r.fold) {
		return decision{reason: "matches none of the globs to include"}
	}
	return decision{}
}

// cover reports whether a glob matches a path or a folder that it is in.
func cover(globs []string, rel string, fold bool) bool {
	for p := rel; p != "." && p != "/"; p = path.Dir(p) {
		if slices.ContainsFunc(globs, func(g string) bool { return matches(g, p, fold) }) {
			return true
		}
	}
	return false
}

// ignoredName says why a name is ignored by default, "" if it is not.
func ignoredName(name string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, "."): // also .git, .~lock.x#, .DS_Store
		return "hidden"
	case slices.Contains(systemNames, lower):
		return "folder or file of a system or tool"
	case strings.HasPrefix(name, "~$"), strings.HasSuffix(name, "~"),
		len(name) > 1 && name[0] == '#' && name[len(name)-1] == '#',
		slices.Contains(temporaryEndings, path.Ext(lower)):
		return "lock or temporary file"
	}
	return ""
}

var (
	systemNames = []string{
		"node_modules", "__pycache__", "$recycle.bin", "system volume information", "lost+found",
		"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "__macosx",
	}
	temporaryEndings = []string{".crdownload", ".part", ".partial", ".download", ".tmp", ".temp", ".swp"}
)

// frame is a folder on the way from the root to where the walk is.
type frame struct {
	up       *frame
	id       identity
	own, git *ignoreFile
}

// identity tells folders apart: two with one identity are the same. An inode
// of 0 says nothing.
type identity struct{ device, inode uint64 }

// decide asks the ignore files of one name, the innermost first.
func (f *frame) decide(name, rel string, folder, fold bool) (verdict, string) {
	for ; f != nil; f = f.up {
		file := f.git
		if name == ownIgnore {
			file = f.own
		}
		if v, reason := file.decide(rel, folder, fold); v != silent {
			return v, reason
		}
	}
	return silent, ""
}

// inside reports whether a folder is f or one above it.
func (f *frame) inside(id identity) bool {
	for ; f != nil; f = f.up {
		if f.id == id && id.inode != 0 {
			return true
		}
	}
	return false
}
