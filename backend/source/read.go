package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ibid/backend/corpus"
)

// MaxFile is the largest file that is read, in bytes.
const MaxFile = 256 << 20

// Read returns a document's bytes and the fingerprint that they were read
// with. Errors wrap fs.ErrNotExist if the file is gone, corpus.ErrBusy if it is
// locked or was written meanwhile, corpus.ErrUnavailable if its source cannot
// be reached or the file's content is not on this machine, corpus.ErrLimit
// above MaxFile, and corpus.ErrInvalid for a path that is none.
func (*Files) Read(ctx context.Context, s corpus.Source, path string) ([]byte, corpus.Fingerprint, error) {
	var data []byte
	fp, err := consume(ctx, s, path, func(r io.Reader, size int64) (int64, error) {
		data = make([]byte, size+1) // one more, to notice growth
		n, err := io.ReadFull(r, data)
		data = data[:n:n]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil
		}
		return int64(n), err
	})
	if err != nil {
		return nil, corpus.Fingerprint{}, err
	}
	return data, fp, nil
}

// Hash is Read without keeping the bytes.
func (*Files) Hash(ctx context.Context, s corpus.Source, path string) (corpus.Hash, corpus.Fingerprint, error) {
	h := sha256.New()
	fp, err := consume(ctx, s, path, func(r io.Reader, size int64) (int64, error) {
		return io.Copy(h, io.LimitReader(r, size+1))
	})
	if err != nil {
		return corpus.Hash{}, corpus.Fingerprint{}, err
	}
	return corpus.Hash(h.Sum(nil)), fp, nil
}

// Head returns the first n bytes of a file, fewer of a shorter one. Files above
// MaxFile have a head too. Errors are those of Read.
func (*Files) Head(ctx context.Context, s corpus.Source, path string, n int) ([]byte, error) {
	f, err := open(s, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := check(f, path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, min(int64(n), info.Size()))
	n, err = io.ReadFull(contextReader{ctx, f}, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, explain("read", path, err)
	}
	return head[:n], nil
}

// View is Open, and tells when the file was changed last.
func (f *Files) View(_ context.Context, s corpus.Source, path string) (io.ReadSeekCloser, time.Time, error) {
	file, err := f.Open(s, path)
	if err != nil {
		return nil, time.Time{}, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, time.Time{}, explain("stat", path, err)
	}
	return file, info.ModTime(), nil
}

// Open opens a document for viewing. The caller closes it. Errors are those
// of Read.
func (*Files) Open(s corpus.Source, path string) (*os.File, error) {
	f, err := open(s, path)
	if err != nil {
		return nil, err
	}
	if _, err := checkSize(f, path); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// consume lets read take a file's bytes and checks that they are one version:
// nothing of the fingerprint changed from before the first byte until after
// the last, and as many bytes came as it names.
func consume(ctx context.Context, s corpus.Source, path string, read func(r io.Reader, size int64) (int64, error)) (corpus.Fingerprint, error) {
	f, err := open(s, path)
	if err != nil {
		return corpus.Fingerprint{}, err
	}
	defer f.Close()
	hashedAt := time.Now().UnixNano()
	info, err := checkSize(f, path)
	if err != nil {
		return corpus.Fingerprint{}, err
	}
	n, err := read(contextReader{ctx, f}, info.Size())
	if err != nil {
		return corpus.Fingerprint{}, explain("read", path, err)
	}
	after, err := f.Stat()
	if err != nil {
		return corpus.Fingerprint{}, explain("stat", path, err)
	}
	fp := fingerprint(info)
	if fp != fingerprint(after) || n != fp.Size {
		return corpus.Fingerprint{}, fmt.Errorf("read %s: %w: changed while it was read", path, corpus.ErrBusy)
	}
	fp.HashedAt = hashedAt
	return fp, nil
}

// checkSize is check, and refuses files above the limit.
func checkSize(f *os.File, path string) (fs.FileInfo, error) {
	info, err := check(f, path)
	if err == nil && info.Size() > MaxFile {
		return nil, fmt.Errorf("read %s: %w", path, tooLarge(info.Size()))
	}
	return info, err
}

// check refuses what is not to be read: special files, which may block or
// never end, and placeholders of cloud storage.
func check(f *os.File, path string) (fs.FileInfo, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, explain("stat", path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: %w: not a regular file", path, corpus.ErrUnsupported)
	case isOffline(info):
		return nil, fmt.Errorf("read %s: %w: its content is in the cloud only", path, corpus.ErrUnavailable)
	}
	return info, nil
}

func tooLarge(size int64) error {
	return fmt.Errorf("%w: file of %d bytes, at most %d (256 MiB)", corpus.ErrLimit, size, MaxFile)
}

// open opens a document by its path below the root, which neither ".." nor
// links leave.
func open(s corpus.Source, path string) (*os.File, error) {
	var f *os.File
	err := below(s, path, func(root *os.Root, name string) (err error) {
		f, err = root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
		return err
	})
	if err != nil {
		return nil, explain("open", path, err)
	}
	return f, nil
}

func stat(s corpus.Source, path string) (info fs.FileInfo, err error) {
	err = below(s, path, func(root *os.Root, name string) error {
		info, err = root.Stat(name)
		return err
	})
	if err != nil {
		return nil, explain("stat", path, err)
	}
	return info, nil
}

// below calls fn with the folder that bounds a document and its name there.
func below(s corpus.Source, path string, fn func(root *os.Root, name string) error) error {
	name, err := filepath.Localize(path)
	switch {
	case err != nil || path == ".":
		return fmt.Errorf("%w: no document path", corpus.ErrInvalid)
	case !onDisk(s):
		return fmt.Errorf("%w: source %q is not on this machine's disks", corpus.ErrUnsupported, s.Name)
	}
	folder := s.Root
	if s.Kind == corpus.SourceFile {
		if path != filepath.Base(s.Root) {
			return fs.ErrNotExist
		}
		// The person named this file, so a link may lead anywhere.
		target, err := filepath.EvalSymlinks(s.Root)
		if err != nil {
			return rootError(err)
		}
		folder, name = filepath.Split(target)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return rootError(err)
	}
	defer root.Close()
	err = fn(root, name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch inner, gone := behindLinks(folder, name); {
	case gone:
		return fmt.Errorf("%w: links lead out of the source, or nowhere", fs.ErrNotExist)
	case inner != name:
		return fn(root, inner)
	}
	return err
}

// behindLinks is the name without links of the file that a name leads to; gone
// tells that it leads nowhere inside of the folder, as a walk finds. os.Root
// takes every absolute link for an escape, even one that leads back.
func behindLinks(folder, name string) (inner string, gone bool) {
	base, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return name, false
	}
	target, err := filepath.EvalSymlinks(filepath.Join(base, name))
	if err != nil {
		return name, !behindReach(err)
	}
	inner, err = filepath.Rel(base, target)
	return inner, err != nil || !filepath.IsLocal(inner)
}

// rootError says that a root cannot be reached. It does not wrap the cause: a
// root that does not exist says nothing about its documents.
func rootError(err error) error {
	return fmt.Errorf("%w: root: %v", corpus.ErrUnavailable, unwrapPath(err)) //nolint:errorlint // on purpose
}

// explain wraps an error of the system with what it means here.
func explain(verb, path string, err error) error {
	cause := unwrapPath(err)
	switch {
	case isNoFolder(cause): // a folder above became a file
		cause = fs.ErrNotExist
	case isBusy(cause):
		cause = fmt.Errorf("%w: %w", corpus.ErrBusy, cause)
	case isGone(cause):
		cause = fmt.Errorf("%w: %w", corpus.ErrUnavailable, cause)
	}
	return fmt.Errorf("%s %s: %w", verb, path, cause)
}

// unwrapPath drops the absolute path, which errors of this package do not
// repeat: a document is known by its path in the source.
func unwrapPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// contextReader ends with the context, between two reads.
type contextReader struct {
	ctx context.Context //nolint:containedctx // lives as long as one call
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p[:min(len(p), 1<<20)])
}
