package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// FoldKey folds the case of a path as file systems do: character by character,
// and only where a capital and a small letter belong to each other, so that
// "ı" and "ſ" stay apart from "i" and "s". Too little folding makes a renamed
// file a moved document; too much would make two files one.
func FoldKey(path string) string {
	return strings.Map(func(r rune) rune {
		if upper := unicode.ToUpper(r); unicode.ToLower(upper) == r {
			return upper
		}
		return r
	}, path)
}

// foldsCase tries whether a folder takes a listed name in other case for the
// same file. known is false where no name tells.
func foldsCase(folder string, names []string) (folds, known bool) {
	for _, name := range names {
		swapped := swapCase(name)
		if swapped == name {
			continue
		}
		if slices.Contains(names, swapped) {
			return false, true
		}
		as, err := os.Lstat(filepath.Join(folder, name))
		if err != nil {
			continue
		}
		other, err := os.Lstat(filepath.Join(folder, swapped))
		switch {
		case err == nil:
			return os.SameFile(as, other), true
		case isNotExist(err):
			return false, true
		}
	}
	return false, false
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, s)
}

// listed returns the path as the folders list it, where case is folded.
func listed(base, path string) (string, error) {
	parts := strings.Split(path, "/")
	folder := base
	for i, part := range parts {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return "", err
		}
		key := FoldKey(part)
		j := slices.IndexFunc(entries, func(d fs.DirEntry) bool { return FoldKey(d.Name()) == key })
		if j < 0 {
			return "", fs.ErrNotExist
		}
		parts[i] = entries[j].Name()
		folder = filepath.Join(folder, parts[i])
	}
	return strings.Join(parts, "/"), nil
}
