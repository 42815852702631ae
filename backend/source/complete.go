package source

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a completion: it answers while somebody types.
const (
	maxFolders       = 50
	maxFolderEntries = 20_000 // looked at
)

// Complete returns the folders whose paths begin with prefix, which is absolute
// or begins with "~"; "" stands for the home folder. Hidden ones are left out
// unless the prefix names them. A folder that cannot be listed has none.
func (*Files) Complete(ctx context.Context, prefix string) ([]string, error) {
	prefix = fromHome(prefix)
	if !filepath.IsAbs(prefix) {
		return nil, ctx.Err()
	}
	folder, begin := filepath.Split(prefix)
	f, err := os.Open(folder)
	if err != nil {
		return nil, ctx.Err()
	}
	defer f.Close()
	var found []string
	for looked := 0; looked < maxFolderEntries; {
		entries, err := f.ReadDir(1000)
		looked += len(entries)
		for _, e := range entries {
			name := e.Name()
			if !hasPrefixFold(name, begin) || strings.HasPrefix(name, ".") && !strings.HasPrefix(begin, ".") {
				continue
			}
			if path := filepath.Join(folder, name); e.IsDir() || isFolder(path, e) {
				found = append(found, path)
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil: // the end, or what cannot be read further
			looked = maxFolderEntries
		}
	}
	slices.Sort(found)
	return found[:min(len(found), maxFolders)], nil
}

// fromHome puts the home folder in the place of "~" and of nothing.
func fromHome(path string) string {
	rest, tilde := strings.CutPrefix(path, "~")
	if path != "" && (!tilde || rest != "" && !os.IsPathSeparator(rest[0])) {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return home + string(filepath.Separator) + strings.TrimLeft(rest, `/\`)
}

// isFolder follows a link.
func isFolder(path string, e os.DirEntry) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// hasPrefixFold ignores case: who types does, and some file systems do.
func hasPrefixFold(name, begin string) bool {
	return len(name) >= len(begin) && strings.EqualFold(name[:len(begin)], begin)
}
