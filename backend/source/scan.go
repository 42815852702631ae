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
	"slices"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// Scan looks at the places of a source ("" is all of it) and lists the files
// that are documents, without their content. Each place is looked at with all
// below it; one that is gone lists nothing and is covered.
//
// The scan's source carries the mark and case folding that were found; only a
// whole scan finds new ones, and the caller stores them when it accepts the
// plan. A root that cannot be looked at, or that is another than its mark
// says, makes the scan unavailable. Sources that are not on disk have no
// places, so nothing of theirs is missing. Errors are ctx's, corpus.ErrInvalid
// for a place or glob that is none, and those of Files.Sources.
func (f *Files) Scan(ctx context.Context, s corpus.Source, places []string) (plan.Scan, error) {
	scan := plan.Scan{Source: s}
	if !onDisk(s) {
		return scan, ctx.Err()
	}
	places, err := cleanPlaces(places)
	if err != nil {
		return scan, err
	}
	scan.Coverage.Places = places
	if s.Kind == corpus.SourceFile {
		f.scanFile(&scan)
		return scan, ctx.Err()
	}
	if err := f.Check(s); err != nil {
		return scan, err
	}
	t, err := f.newTree(s)
	if err != nil {
		scan.Unavailable = inWords(err)
		return scan, ctx.Err()
	}
	w := &walk{tree: t, ctx: ctx, scan: &scan, partial: !slices.Contains(places, "")}
	if w.earlier, err = f.claims(ctx, s, t.base); err != nil {
		return scan, err
	}
	old := parseMark(s.Mark)
	if w.partial {
		err = w.places(places, old)
	} else {
		err = w.whole(old)
	}
	if err != nil {
		return plan.Scan{Source: s}, err
	}
	if reason, is := scan.Coverage.Holes[""]; is && scan.Unavailable == "" {
		scan.Unavailable = reason
	}
	if scan.Unavailable != "" {
		scan.Source, scan.Entries = s, nil
	}
	slices.SortFunc(scan.Entries, func(a, b plan.Entry) int { return strings.Compare(a.Path, b.Path) })
	if scan.Source.FoldCase {
		scan.Key = FoldKey
	}
	return scan, nil
}

// cleanPlaces drops places inside of others.
func cleanPlaces(places []string) ([]string, error) {
	var out []string
	sorted := slices.Sorted(slices.Values(places)) // "a" comes before "a/b"
	for _, p := range sorted {
		if p != "" && (!fs.ValidPath(p) || p == ".") {
			return nil, fmt.Errorf("%w: place %q", corpus.ErrInvalid, p)
		}
		if !slices.ContainsFunc(out, func(o string) bool { return o == "" || o == p || strings.HasPrefix(p, o+"/") }) {
			out = append(out, p)
		}
	}
	return out, nil
}

// scanFile looks at a source that is one file. The person named it: no rule
// ignores it, and links lead anywhere.
func (f *Files) scanFile(scan *plan.Scan) {
	info, err := os.Stat(scan.Source.Root)
	switch {
	case err != nil:
		scan.Unavailable = inWords(err)
	case !info.Mode().IsRegular():
		scan.Unavailable = "it is no longer a file"
	default:
		scan.Entries = []plan.Entry{entry(filepath.Base(scan.Source.Root), info, nil)}
	}
}

// whole looks at all of the source.
func (w *walk) whole(old mark) error {
	if err := w.folder(w.base, ".", nil); err != nil {
		return err
	}
	if reason, refused := w.scan.Coverage.Holes[""]; refused && len(w.scan.Entries) == 0 {
		w.scan.Unavailable = reason // nothing was seen that could be compared with the mark
		return nil
	}
	if err := w.follow(); err != nil {
		return err
	}
	w.scan.Empty = !w.alive && len(w.scan.Entries) == 0
	if old.root.inode != 0 && old.root != w.mark.root {
		if found := w.recognized(old.sample); 2*found < len(old.sample) {
			w.scan.Unavailable = fmt.Sprintf(exchangedRoot+" stands at its place: of %d files that were looked for, %d are there", len(old.sample), found)
			return nil
		}
		old.mounts = nil // a copy, or the volume under another number
	}
	if err := w.unmounted(old.mounts); err != nil {
		return err
	}
	w.scan.Source.Mark = w.mark.String()
	return nil
}

// recognized counts the sampled paths that the scan found again.
func (w *walk) recognized(sample []uint64) int {
	found := 0
	for _, e := range w.scan.Entries {
		if slices.Contains(sample, pathHash(e.Path)) {
			found++
		}
	}
	return found
}

// unmounted makes holes of folders where a volume was mounted that is not now:
// what it held is not gone. Such a folder is missing or lists nothing; one with
// files became an ordinary folder.
func (w *walk) unmounted(mounts []string) error {
	for _, m := range mounts {
		f, d, err := w.enter(w.ctx, m)
		if w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if isNotExist(err) {
			if up, _, err := w.enter(w.ctx, path.Dir(m)); err == nil {
				d = w.rules.ignored(up, m, true)
			}
		}
		if d.reason != "" || err == nil && (f.id.device != f.up.id.device || !w.listsNothing(m)) {
			continue
		}
		w.hole(m, errors.New("the volume that was mounted here is not"))
		w.mark.mounts = append(w.mark.mounts, m)
	}
	return nil
}

func (w *walk) listsNothing(rel string) bool {
	folder, err := openFolder(w.abs(rel))
	if err != nil {
		return false
	}
	defer folder.Close()
	_, err = folder.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// places looks at some files and folders.
func (w *walk) places(places []string, old mark) error {
	root, _, err := w.enter(w.ctx, ".")
	switch {
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case err != nil:
		w.scan.Unavailable = inWords(err)
		return nil
	case old.root.inode != 0 && old.root != root.id:
		w.scan.Unavailable = exchangedRoot + " may stand at its place: only a whole scan can tell"
		return nil
	}
	for _, p := range places {
		if err := w.place(p); err != nil {
			return err
		}
	}
	return w.unmounted(slices.DeleteFunc(old.mounts, func(m string) bool {
		return !slices.ContainsFunc(places, func(p string) bool { return p == m || strings.HasPrefix(p, m+"/") || strings.HasPrefix(m, p+"/") })
	}))
}

func (w *walk) place(p string) error {
	rel, err := p, error(nil)
	if w.rules.fold {
		rel, err = listed(w.base, p)
	}
	var up *frame
	var info fs.FileInfo
	var d decision
	if err == nil {
		up, info, d, err = w.find(w.ctx, rel)
	}
	switch {
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case isNotExist(err), err == nil && d.reason != "":
		return nil
	case err != nil:
		w.hole(p, err)
		return nil
	}
	return w.visit(w.abs(rel), rel, up, fs.FileInfoToDirEntry(info))
}

// Ignored says by which rule a path of the source is no document; "" if it is
// one or would be. fs.ErrNotExist: there is nothing at that path.
func (f *Files) Ignored(ctx context.Context, s corpus.Source, p string) (string, error) {
	if !fs.ValidPath(p) || p == "." {
		return "", fmt.Errorf("%w: document path %q", corpus.ErrInvalid, p)
	}
	if s.Kind != corpus.SourceFolder {
		return "", nil
	}
	if err := f.Check(s); err != nil {
		return "", err
	}
	t, err := f.newTree(s)
	if err != nil {
		return "", rootError(err)
	}
	_, info, d, err := t.find(ctx, p)
	switch {
	case errors.Is(err, errLink), err == nil && d.reason == "" && info.Mode()&fs.ModeSymlink != 0:
		return t.linkReason(ctx, p)
	case err != nil:
		return "", explain("look at", p, err)
	case d.reason != "":
		return d.reason, nil
	case !info.Mode().IsRegular() && !info.IsDir():
		return "neither a file nor a folder", nil
	}
	claims, err := f.claims(ctx, s, t.base)
	if err != nil {
		return "", err
	}
	for _, c := range claims {
		if owned, err := c.owns(ctx, t.abs(p)); owned || err != nil {
			return "it belongs to the source " + c.name + ", which was added before", err
		}
	}
	return "", nil
}

// inWords says why a root cannot be looked at.
func inWords(err error) string {
	switch {
	case isNotExist(err):
		return "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	return unwrapPath(err).Error()
}
