package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strconv"

	"ibid/backend/corpus"
	"ibid/backend/source"
)

// Library is what this package asks of the library.
type Library interface {
	// Sources lists all sources, so that a page in two of them is one document.
	Sources(ctx context.Context) ([]corpus.Source, error)
	// Fingerprints returns what is known of a source's documents, by path.
	Fingerprints(ctx context.Context, source corpus.ID) (map[string]corpus.Fingerprint, error)
}

// Options say how to fetch.
type Options struct {
	Library Library
	// Private lets sources that ask for it (corpus.Source.Private) reach this
	// machine and its networks. A server leaves it off: whoever may add sources
	// there would see through its eyes.
	Private bool
	Version string // of the program, for servers to see
}

// Pages looks at sources that are web addresses. Its methods may be called
// from several goroutines at once.
type Pages struct {
	Options
	identity string
	public   *http.Transport
	private  *http.Transport
	hosts    hosts
	kept     cache
	clock    clock
	limits   limits
}

// New returns Pages; Close gives its connections back.
func New(o Options) *Pages {
	return &Pages{
		Options: o, identity: agent + "/" + o.Version + " (personal knowledge library; reads the pages its user names; obeys robots.txt)",
		public: newTransport(false), private: newTransport(true), clock: systemClock, limits: standardLimits,
	}
}

// Close closes idle connections.
func (p *Pages) Close() {
	p.public.CloseIdleConnections()
	p.private.CloseIdleConnections()
}

// transport for one of the two dialers. They share no connections.
func (p *Pages) transport(private bool) *http.Transport {
	if private {
		return p.private
	}
	return p.public
}

// Probe returns the root of a source that a person names by its address. It
// asks nobody.
func (*Pages) Probe(address string) (corpus.SourceKind, string, error) {
	root, err := Normalize(address)
	return corpus.SourceURL, root, err
}

// Check validates a source before it is stored: corpus.ErrInvalid for a root or
// glob that is none, corpus.ErrUnsupported where it may reach private addresses
// and this process serves others.
func (p *Pages) Check(s corpus.Source) error {
	if s.Private && !p.Private {
		return fmt.Errorf("%w: a server does not reach into private networks for web pages; add the source from a terminal", corpus.ErrUnsupported)
	}
	if _, err := source.NewGlobs(s); err != nil {
		return err
	}
	if filepath.IsAbs(s.Root) {
		return nil // a file with a list
	}
	root, err := Normalize(s.Root)
	if err == nil && root != s.Root {
		err = fmt.Errorf("%w: the address %q is not in its one form, %q", corpus.ErrInvalid, s.Root, root)
	}
	return err
}

// Read returns a page's bytes, as they were when it was last looked at if that
// was a short time ago, and the fingerprint that they had. Errors wrap
// fs.ErrNotExist if the page is gone, corpus.ErrBusy if its server asks to wait,
// corpus.ErrUnavailable if it does not answer, corpus.ErrLimit if it is too
// large; corpus.ErrInvalid for what is no address.
func (p *Pages) Read(ctx context.Context, s corpus.Source, address string) ([]byte, corpus.Fingerprint, error) {
	private, err := p.reach(s)
	if err != nil {
		return nil, corpus.Fingerprint{}, err
	}
	if got, ok := p.kept.get(key(private, address), p.clock.now()); ok {
		return got.body, got.fingerprint, nil
	}
	got, err := p.fetch(ctx, address, private, corpus.Fingerprint{})
	if err != nil {
		return nil, corpus.Fingerprint{}, fmt.Errorf("read %s: %w", address, err)
	}
	return got.body, got.fingerprint, nil
}

// Hash is Read without returning the bytes.
func (p *Pages) Hash(ctx context.Context, s corpus.Source, address string) (corpus.Hash, corpus.Fingerprint, error) {
	body, fp, err := p.Read(ctx, s, address)
	if err != nil {
		return corpus.Hash{}, fp, err
	}
	return corpus.HashBytes(body), fp, nil
}

// Exists asks whether a page is there now. It fails where that cannot be known.
func (p *Pages) Exists(ctx context.Context, s corpus.Source, address string) (bool, error) {
	private, err := p.reach(s)
	if err != nil {
		return false, err
	}
	_, err = p.fetch(ctx, address, private, corpus.Fingerprint{})
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, fmt.Errorf("look at %s: %w", address, err)
}

// Path returns the page's address, for programs that open it.
func (*Pages) Path(_ corpus.Source, address string) (string, error) { return Normalize(address) }

// reach says which addresses a source may reach now.
func (p *Pages) reach(s corpus.Source) (private bool, err error) {
	if s.Private && !p.Private {
		return false, fmt.Errorf("%w: the source may reach private networks, which a server refuses", corpus.ErrUnavailable)
	}
	return s.Private, nil
}

// fetch is get, and keeps the page.
func (p *Pages) fetch(ctx context.Context, address string, private bool, known corpus.Fingerprint) (page, error) {
	got, err := p.get(ctx, address, private, known)
	if err == nil && !got.unchanged {
		p.kept.put(key(private, address), got, p.clock.now())
	}
	return got, err
}

func key(private bool, address string) string { return strconv.FormatBool(private) + " " + address }
