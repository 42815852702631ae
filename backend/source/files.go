package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ibid/backend/corpus"
)

// Files looks at sources on this machine. It keeps nothing between calls; its
// methods may be called from several goroutines at once.
type Files struct {
	// Sources lists the library's sources, so that a file in two of them is
	// one document; nil: every source stands alone.
	Sources func(ctx context.Context) ([]corpus.Source, error)
	// Library is the path of the library's database; files whose paths begin
	// with it are no documents: indexing them would change them. "": none.
	Library string
}

// New returns Files without Sources and Library.
func New() *Files { return &Files{} }

// Probe looks at what a person names as a source and returns its kind and its
// clean root. Errors wrap fs.ErrNotExist, fs.ErrPermission or corpus.ErrInvalid.
func (*Files) Probe(path string) (corpus.SourceKind, string, error) {
	if !filepath.IsAbs(path) {
		return "", "", fmt.Errorf("%w: %q is not an absolute path", corpus.ErrInvalid, path)
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", "", err
	case !info.IsDir() && !info.Mode().IsRegular():
		return "", "", fmt.Errorf("%w: %s is neither a folder nor a file", corpus.ErrInvalid, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	if !info.IsDir() {
		return corpus.SourceFile, path, nil
	}
	if _, err := f.Readdirnames(1); err != nil && !errors.Is(err, io.EOF) {
		return "", "", err
	}
	return corpus.SourceFolder, path, nil
}

// Check reports a glob of the source that is none, or a root that is not
// absolute, as corpus.ErrInvalid.
func (*Files) Check(s corpus.Source) error {
	if onDisk(s) && !filepath.IsAbs(s.Root) {
		return fmt.Errorf("%w: root %q is not an absolute path", corpus.ErrInvalid, s.Root)
	}
	for _, rule := range s.Chunking {
		if _, err := NewGlob(rule.Glob, s.FoldCase); err != nil {
			return err
		}
	}
	_, err := newRules(s)
	return err
}

// Exists reports whether there is a file at the path now, ignored or not. It
// fails with corpus.ErrUnavailable where that cannot be known.
func (*Files) Exists(ctx context.Context, s corpus.Source, path string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	info, err := stat(s, path)
	switch {
	case err == nil:
		return info.Mode().IsRegular(), nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, err
}

// Path returns the absolute path of a document's file, for programs that open
// files by name: the file is there, regular, and below the root, which neither
// ".." nor links leave. Errors are those of Read.
func (*Files) Path(s corpus.Source, path string) (string, error) {
	info, err := stat(s, path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("open %s: %w: not a regular file", path, corpus.ErrUnsupported)
	}
	if s.Kind == corpus.SourceFile {
		return s.Root, nil
	}
	return filepath.Join(s.Root, filepath.FromSlash(path)), nil
}

func onDisk(s corpus.Source) bool {
	return s.Kind == corpus.SourceFolder || s.Kind == corpus.SourceFile
}
