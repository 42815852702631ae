package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/backend/plan"
)

// walk fills a scan. It goes through folders in the order of their names, and
// through links afterwards, when it is known what they would repeat.
type walk struct {
	*tree
	ctx     context.Context //nolint:containedctx // lives as long as one call
	scan    *plan.Scan
	earlier []*claim
	partial bool // only places were asked for: no links are followed
	links   []link
	through map[string]bool // what was seen through links, by its real path; nil before
	mark    mark
	alive   bool // something is there that is not ignored by its name
}

// folder lists what is in a folder; rel "." is the root.
func (w *walk) folder(abs, rel string, up *frame) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	folder, err := openFolder(abs)
	if err != nil {
		w.hole(rel, err)
		return nil
	}
	f := &frame{up: up}
	f.id, err = identify(folder)
	entries, listErr := folder.ReadDir(-1)
	folder.Close()
	if err = errors.Join(err, listErr); err != nil {
		w.hole(rel, err) // what was listed is there nevertheless
	}
	if up.inside(f.id) {
		return nil // a volume that is mounted below itself
	}
	if up == nil {
		w.mark.root = f.id
	} else if f.id.device != up.id.device && w.through == nil {
		w.mark.mounts = append(w.mark.mounts, rel)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if up == nil {
		w.detectFold(abs, entries)
	}
	if err := w.load(f, abs, rel, func(name string) bool { return contains(entries, name) }); err != nil {
		w.hole(rel, err)
		return nil
	}
	for i, d := range entries {
		if i%1024 == 1023 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if err := w.visit(filepath.Join(abs, d.Name()), path.Join(rel, d.Name()), f, d); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) detectFold(root string, entries []fs.DirEntry) {
	names := make([]string, len(entries))
	for i, d := range entries {
		names[i] = d.Name()
	}
	if folds, known := foldsCase(root, names); known {
		w.scan.Source.FoldCase, w.rules.fold = folds, folds
	}
}

// contains looks a name up in sorted entries.
func contains(entries []fs.DirEntry, name string) bool {
	_, found := slices.BinarySearchFunc(entries, name, func(d fs.DirEntry, name string) int {
		return strings.Compare(d.Name(), name)
	})
	return found
}

// visit takes one name of a folder.
func (w *walk) visit(abs, rel string, up *frame, d fs.DirEntry) error {
	decision := w.rules.ignored(up, rel, d.IsDir())
	var info fs.FileInfo
	var err error
	if decision.reason == "" && (d.IsDir() || d.Type().IsRegular()) {
		if info, err = d.Info(); err == nil && isHidden(info) {
			decision.reason, decision.byDefault = "hidden", true
		}
	}
	w.alive = w.alive || decision.reason != "" && !decision.byDefault
	switch {
	case decision.reason != "":
		return nil
	case !utf8.ValidString(d.Name()):
		w.add(plan.Entry{Path: escapeName(rel), Problem: plan.ProblemFailed, Detail: "name is not valid UTF-8: rename it"})
		return nil
	case w.through != nil && w.through[abs]:
		return nil
	case d.Type()&fs.ModeSymlink != 0:
		return w.meet(link{rel, abs, up})
	case d.IsDir():
		w.pass(abs)
		return w.folder(abs, rel, up)
	case !d.Type().IsRegular():
		return nil // a device, fifo or socket
	}
	w.pass(abs)
	w.alive = true
	for _, c := range w.earlier {
		if owned, err := c.owns(w.ctx, abs); owned || err != nil {
			return err
		}
	}
	w.add(entry(rel, info, err))
	return nil
}

// pass remembers what was seen through links.
func (w *walk) pass(abs string) {
	if w.through != nil {
		w.through[abs] = true
	}
}

// entry describes a file by what its folder told of it.
func entry(rel string, info fs.FileInfo, err error) plan.Entry {
	e := plan.Entry{Path: rel}
	switch {
	case isNotExist(err):
		e.Problem, e.Detail = plan.ProblemBusy, "vanished while it was looked at"
		return e
	case err != nil:
		e.Problem, e.Detail = plan.ProblemFailed, unwrapPath(err).Error()
		return e
	case isOffline(info):
		e.Problem, e.Detail = plan.ProblemOffline, "its content is in the cloud only"
	case info.Size() > MaxFile:
		e.Problem, e.Detail = plan.ProblemFailed, tooLarge(info.Size()).Error()
	}
	e.Fingerprint = fingerprint(info)
	return e
}

func (w *walk) add(e plan.Entry) {
	w.scan.Entries = append(w.scan.Entries, e)
	w.mark.add(e.Path)
}

// hole names a place that could not be looked at.
func (w *walk) hole(rel string, err error) {
	if rel == "." {
		rel = ""
	}
	if w.scan.Coverage.Holes == nil {
		w.scan.Coverage.Holes = map[string]string{}
	}
	w.scan.Coverage.Holes[rel] = unwrapPath(err).Error()
}

// escapeName makes a name printable whose bytes are no text.
func escapeName(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNoFolder(err) }
