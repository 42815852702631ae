package source

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// Web looks at sources that are web addresses; package source/web does. The
// methods are those of Files.
type Web interface {
	Probe(address string) (corpus.SourceKind, string, error)
	Check(s corpus.Source) error
	Scan(ctx context.Context, s corpus.Source, places []string) (plan.Scan, error)
	Read(ctx context.Context, s corpus.Source, path string) ([]byte, corpus.Fingerprint, error)
	Hash(ctx context.Context, s corpus.Source, path string) (corpus.Hash, corpus.Fingerprint, error)
	Exists(ctx context.Context, s corpus.Source, path string) (bool, error)
	Path(s corpus.Source, path string) (string, error)
}

// Places hands each source to what knows its kind: web addresses to Web, all
// others to Inside.
type Places struct {
	*Inside
	Web Web
}

// Probe implements what Files.Probe does, for addresses as well.
func (p Places) Probe(path string) (corpus.SourceKind, string, error) {
	if strings.Contains(path, "://") {
		return p.Web.Probe(path)
	}
	return p.Inside.Probe(path)
}

// Check implements what Files.Check does.
func (p Places) Check(s corpus.Source) error {
	if s.Kind == corpus.SourceURL {
		return p.Web.Check(s)
	}
	return p.Inside.Check(s)
}

// Scan implements what Files.Scan does.
func (p Places) Scan(ctx context.Context, s corpus.Source, places []string) (plan.Scan, error) {
	if s.Kind == corpus.SourceURL {
		return p.Web.Scan(ctx, s, places)
	}
	return p.Inside.Scan(ctx, s, places)
}

// Read implements what Files.Read does.
func (p Places) Read(ctx context.Context, s corpus.Source, path string) ([]byte, corpus.Fingerprint, error) {
	if s.Kind == corpus.SourceURL {
		return p.Web.Read(ctx, s, path)
	}
	return p.Inside.Read(ctx, s, path)
}

// Hash implements what Files.Hash does.
func (p Places) Hash(ctx context.Context, s corpus.Source, path string) (corpus.Hash, corpus.Fingerprint, error) {
	if s.Kind == corpus.SourceURL {
		return p.Web.Hash(ctx, s, path)
	}
	return p.Inside.Hash(ctx, s, path)
}

// Exists implements what Files.Exists does.
func (p Places) Exists(ctx context.Context, s corpus.Source, path string) (bool, error) {
	if s.Kind == corpus.SourceURL {
		return p.Web.Exists(ctx, s, path)
	}
	return p.Inside.Exists(ctx, s, path)
}

// Path implements what Files.Path does; of a page it is the address.
func (p Places) Path(s corpus.Source, path string) (string, error) {
	if s.Kind == corpus.SourceURL {
		return p.Web.Path(s, path)
	}
	return p.Inside.Path(s, path)
}

// View implements what Files.View does; of a page, and of what is inside of a
// file, it holds the bytes.
func (p Places) View(ctx context.Context, s corpus.Source, path string) (io.ReadSeekCloser, time.Time, error) {
	if s.Kind != corpus.SourceURL && p.container(s, path) == "" {
		return p.Files.View(ctx, s, path)
	}
	data, _, err := p.Read(ctx, s, path)
	if err != nil {
		return nil, time.Time{}, err
	}
	return held{bytes.NewReader(data)}, time.Time{}, nil
}

// held are bytes with nothing to close.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }
