// Package archive reads the parts of a zip archive that holds a document,
// within bounds: whatever an archive declares or contains, reading it ends
// early with an error that names the limit.
package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"ibid/backend/corpus"
)

// Limits of an archive.
const (
	MaxEntries = 20_000
	MaxPart    = 64 << 20  // bytes of one part, uncompressed
	MaxTotal   = 256 << 20 // bytes of all parts that are read
	MaxRatio   = 100       // of a part's sizes, beyond the first MiB
	ratioFree  = 1 << 20
)

// ErrPassword: the document is encrypted and its password is not known.
var ErrPassword = fmt.Errorf("password needed: encrypted documents are %w", corpus.ErrUnsupported)

// Archive is an open archive.
type Archive struct {
	ctx   context.Context //nolint:containedctx // an Archive lives for one call of Extract
	parts map[string]*zip.File
	names []string
	left  int64 // of MaxTotal
	// Twins is how many entries have the name of an earlier one; only the first
	// is read.
	Twins int
}

// Open reads the directory of an archive. ctx bounds all later reading.
func Open(ctx context.Context, data []byte) (*Archive, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("read zip directory (the file is damaged or cut off): %w", err)
	}
	if len(r.File) > MaxEntries {
		return nil, fmt.Errorf("%w: %d entries in the archive, at most %d", corpus.ErrLimit, len(r.File), MaxEntries)
	}
	a := &Archive{ctx: ctx, parts: make(map[string]*zip.File, len(r.File)), left: MaxTotal}
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		key := partKey(f.Name)
		if a.parts[key] != nil {
			a.Twins++
			continue
		}
		a.parts[key] = f
		a.names = append(a.names, clean(f.Name))
	}
	return a, nil
}

// clean makes a name of slashes without a leading one.
func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}

// partKey folds a name: office formats compare part names without case.
func partKey(name string) string { return strings.ToLower(clean(name)) }

// Names lists the parts in the order of the directory.
func (a *Archive) Names() []string { return a.names }

// Has reports whether there is such a part.
func (a *Archive) Has(name string) bool { return a.parts[partKey(name)] != nil }

// ErrNoPart: the archive lacks a part.
var ErrNoPart = errors.New("part is missing")

// Part opens a part. The reader fails with corpus.ErrLimit, ErrPassword, the
// context's error, or that of damaged data; closing it is not needed to free
// anything but is good manners.
func (a *Archive) Part(name string) (io.ReadCloser, error) {
	f := a.parts[partKey(name)]
	switch {
	case f == nil:
		return nil, fmt.Errorf("read %s: %w", clean(name), ErrNoPart)
	case f.Flags&1 != 0:
		return nil, ErrPassword
	case f.UncompressedSize64 > MaxPart:
		return nil, tooLarge(name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", clean(name), err)
	}
	return &part{archive: a, file: f, r: r}, nil
}

// Read returns a whole part.
func (a *Archive) Read(name string) (data []byte, err error) {
	r, err := a.Part(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return io.ReadAll(r)
}

// Check fails if reading every part would break a limit, by the sizes that the
// archive declares; the zip reader holds a part to its declared size.
func (a *Archive) Check() error {
	var total uint64
	for _, f := range a.parts {
		size := f.UncompressedSize64
		total += size
		switch {
		case f.Flags&1 != 0:
			return ErrPassword
		case size > MaxPart:
			return tooLarge(f.Name)
		case size > ratioFree && size > MaxRatio*f.CompressedSize64:
			return tooDense(f.Name)
		case total > MaxTotal:
			return errTotal()
		}
	}
	return nil
}

// part is a bounded reader.
type part struct {
	archive *Archive
	file    *zip.File
	r       io.ReadCloser
	n       int64
}

func (p *part) Read(b []byte) (int, error) {
	if err := p.archive.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	p.n += int64(n)
	p.archive.left -= int64(n)
	switch {
	case p.n > MaxPart:
		return 0, tooLarge(p.file.Name)
	case p.n > ratioFree && p.n/MaxRatio > int64(p.file.CompressedSize64):
		return 0, tooDense(p.file.Name)
	case p.archive.left < 0:
		return 0, errTotal()
	case err != nil && !errors.Is(err, io.EOF):
		return n, fmt.Errorf("read %s: %w", clean(p.file.Name), err)
	}
	return n, err
}

func (p *part) Close() error { return p.r.Close() }

func tooLarge(name string) error {
	return fmt.Errorf("%w: %s holds more than %d MiB", corpus.ErrLimit, clean(name), MaxPart>>20)
}

func tooDense(name string) error {
	return fmt.Errorf("%w: %s is compressed more than %d to 1", corpus.ErrLimit, clean(name), MaxRatio)
}

func errTotal() error {
	return fmt.Errorf("%w: the archive holds more than %d MiB", corpus.ErrLimit, MaxTotal>>20)
}
