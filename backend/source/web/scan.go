package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// scanRequests go out at a time, to all hosts together.
const scanRequests = 8

// Scan asks for the pages at the places of a source ("" is all of it, other
// places are addresses). Entries carry the hash of their content, but for pages
// whose server says that nothing changed; these carry the fingerprint that is
// known.
//
// A root that does not answer, or is no longer the sitemap or list that its
// mark says, makes the scan unavailable; a part of a sitemap that does not
// answer is a hole that nothing follows about. Errors are ctx's, those of the
// library, and corpus.ErrInvalid for a place or glob that is none.
func (p *Pages) Scan(ctx context.Context, s corpus.Source, places []string) (plan.Scan, error) {
	l := &look{Pages: p, source: s, scan: plan.Scan{Source: s}}
	whole := slices.Contains(places, "")
	if whole {
		places = []string{""}
	}
	l.scan.Coverage.Places = places
	var err error
	if l.private, err = p.reach(s); err != nil {
		l.scan.Unavailable = words(err)
		return l.scan, nil
	}
	if l.known, err = p.Library.Fingerprints(ctx, s.ID); err != nil {
		return plan.Scan{Source: s}, err
	}
	addresses := slices.Clone(places)
	for known := range l.known { // a place is looked at with all below it
		if covered, _ := l.scan.Coverage.Covers(known); covered {
			addresses = append(addresses, known)
		}
	}
	if whole {
		addresses, err = l.root(ctx)
	}
	if err == nil {
		addresses, err = l.own(ctx, addresses)
	}
	if err == nil {
		err = l.pages(ctx, addresses)
	}
	if err != nil {
		return plan.Scan{Source: s}, err
	}
	if l.scan.Unavailable != "" {
		l.scan.Source, l.scan.Entries = s, nil
	}
	slices.SortFunc(l.scan.Entries, func(a, b plan.Entry) int { return strings.Compare(a.Path, b.Path) })
	return l.scan, nil
}

// look is one look at a source.
type look struct {
	*Pages
	source  corpus.Source
	scan    plan.Scan
	private bool
	known   map[string]corpus.Fingerprint
}

// root finds the addresses that the root names.
func (l *look) root(ctx context.Context) ([]string, error) {
	s := l.source
	if filepath.IsAbs(s.Root) {
		text, err := readList(s.Root)
		var list []string
		if err == nil {
			list, err = parseList(text)
		}
		if err != nil {
			l.scan.Unavailable = words(err)
			return nil, nil
		}
		l.scan.Source.Mark = string(shapeList)
		return list, nil
	}
	if shape(s.Mark) == shapePage {
		return []string{s.Root}, nil
	}
	got, err := l.fetch(ctx, s.Root, l.private, corpus.Fingerprint{})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		l.scan.Unavailable = words(err)
		return nil, nil
	}
	data, err := unzipped(got.body)
	is := shapePage
	if err == nil {
		is = shapeOf(data)
	}
	if s.Mark != "" && s.Mark != string(is) {
		l.scan.Unavailable = "it is no longer the " + s.Mark + " that it was"
		return nil, nil
	}
	l.scan.Source.Mark = string(is)
	switch is {
	case shapeList:
		return parseList(string(data))
	case shapeSitemap:
		return l.sitemap(ctx, data)
	}
	return []string{s.Root}, nil
}

func unzipped(body []byte) ([]byte, error) {
	if isGzip(body) {
		return decode("gzip", body, standardLimits.decoded)
	}
	return body, nil
}

// sitemap reads a sitemap, and those that an index names. One of these that
// cannot be read leaves unknown which pages it would have named.
func (l *look) sitemap(ctx context.Context, data []byte) ([]string, error) {
	list, err := parseSitemap(data)
	if err != nil {
		l.scan.Unavailable = words(err)
		return nil, nil
	}
	pages := list.pages
	for _, address := range list.sitemaps {
		part, err := l.part(ctx, address)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			l.hole("sitemap " + address + ": " + words(err))
			continue
		}
		if pages = append(pages, part...); len(pages) > maxAddresses {
			l.hole(fmt.Sprintf("only the first %d pages are looked at", maxAddresses))
			return pages[:maxAddresses], nil
		}
	}
	l.scan.Empty = len(pages) == 0 && l.scan.Coverage.Holes == nil
	return pages, nil
}

func (l *look) part(ctx context.Context, address string) ([]string, error) {
	got, err := l.get(ctx, address, l.private, corpus.Fingerprint{})
	if err != nil {
		return nil, err
	}
	data, err := unzipped(got.body)
	if err != nil {
		return nil, err
	}
	if rootElement(data[:min(len(data), 4096)]) != "urlset" {
		return nil, errors.New("it is no sitemap of pages")
	}
	list, err := parseSitemap(data)
	return list.pages, err
}

// hole says that not all of the source is known.
func (l *look) hole(reason string) {
	if l.scan.Coverage.Holes == nil {
		l.scan.Coverage.Holes = map[string]string{"": reason}
	}
}

// pages asks for all of them.
func (l *look) pages(ctx context.Context, addresses []string) error {
	entries := make([]*plan.Entry, len(addresses))
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(scanRequests)
	for i, address := range addresses {
		if within.Err() != nil {
			break
		}
		g.Go(func() (err error) {
			entries[i], err = l.page(within, address)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, e := range entries {
		if e != nil {
			l.scan.Entries = append(l.scan.Entries, *e)
		}
	}
	return ctx.Err()
}

// page asks for one; nil says that it is gone. The error is ctx's.
func (l *look) page(ctx context.Context, address string) (*plan.Entry, error) {
	known := l.known[address]
	if !known.Settled() {
		known.ETag, known.ModTime = "", 0 // its date proves nothing
	}
	e := plan.Entry{Path: address}
	got, err := l.recent(ctx, address, known)
	switch {
	case err == nil && got.unchanged:
		e.Fingerprint = known
	case err == nil:
		e.Fingerprint, e.Content = got.fingerprint, corpus.HashBytes(got.body)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // documented
	case errors.Is(err, corpus.ErrBusy):
		e.Problem, e.Detail = plan.ProblemBusy, words(err)
	case errors.Is(err, corpus.ErrUnavailable):
		e.Problem, e.Detail = plan.ProblemOffline, words(err)
	default:
		e.Problem, e.Detail = plan.ProblemFailed, words(err)
	}
	return &e, nil
}

// recent is fetch, but the root was fetched just now.
func (l *look) recent(ctx context.Context, address string, known corpus.Fingerprint) (page, error) {
	if address == l.source.Root && shape(l.source.Mark) != shapePage {
		if got, ok := l.kept.get(key(l.private, address), l.clock.now()); ok {
			return got, nil
		}
	}
	return l.fetch(ctx, address, l.private, known)
}

// words say an error without the sentinels, whose meaning the plan says.
func words(err error) string {
	s := err.Error()
	for _, sentinel := range []error{corpus.ErrBusy, corpus.ErrUnavailable, corpus.ErrInvalid, corpus.ErrUnsupported} {
		s = strings.Replace(s, sentinel.Error()+": ", "", 1)
	}
	return s
}
