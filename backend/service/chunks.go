package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ibid/backend/api"
	"ibid/backend/chunk"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/store"
)

// Chunks shows how a file is divided into passages. Nothing is stored.
func (s *Service) Chunks(ctx context.Context, r api.ChunksRequest) (api.Chunks, error) {
	out, err := s.chunks(ctx, r)
	return out, s.fault(ctx, "divide the document", err)
}

func (s *Service) chunks(ctx context.Context, r api.ChunksRequest) (api.Chunks, error) {
	var other *chunk.Rules
	if r.Strategy != "" || r.Size != 0 || r.Overlap != nil {
		other = &chunk.Rules{Strategy: r.Strategy, Target: r.Size, Overlap: r.Overlap}
		if err := other.Validate(); err != nil {
			return api.Chunks{}, err
		}
	}
	at, err := s.locate(ctx, fileRef{source: r.Source, path: r.Path, document: r.Document})
	if err != nil {
		return api.Chunks{}, err
	}
	set := s.Config.Settings()
	in, err := s.ingester(ctx, set)
	if err != nil {
		return api.Chunks{}, err
	}
	var known *corpus.Document
	if !at.document.ID.IsZero() {
		known = &at.document
	}
	p, err := in.Passages(ctx, at.source, at.path, known, other)
	if err != nil {
		return api.Chunks{}, unreadable(at.path, err)
	}
	out := wireChunks(p)
	out.Path, out.SourceName, out.State = at.path, at.source.Name, "new"
	if in.Embedder != nil {
		out.Counted = set.Embeddings
	}
	if other == nil {
		if _, where := newDividing(set.Chunking, []corpus.Source{at.source}).find(at.source.ID, at.path, p.Type); where != "" {
			out.Reason = where
		}
	} else if r.Strategy != "" && r.Strategy != chunk.Auto {
		out.Reason = "asked for"
	}
	if known != nil {
		out.Document = at.document.ID.String()
		out.State = "changed"
		if slices.EqualFunc(at.chunks, p.Chunks, func(a, b corpus.Chunk) bool { return a.Hash == b.Hash }) {
			out.State = "indexed"
		}
	}
	return out, nil
}

// fileRef is what a request calls a file.
type fileRef struct{ source, path, document string }

// located is a file, and what the library has of it: a document without id
// stands for nothing.
type located struct {
	source   corpus.Source
	path     string
	document corpus.Document
	chunks   []corpus.Chunk
}

// locate finds the file that a request names. A file that is in no source is
// taken for one of its own.
func (s *Service) locate(ctx context.Context, w fileRef) (at located, err error) {
	err = s.Store.View(ctx, func(v store.Reader) (err error) {
		if w.document != "" {
			if at.document, at.source, err = named(ctx, v, w.document); err != nil {
				return err
			}
			at.path = at.document.Path
		} else {
			sources, err := v.Sources(ctx)
			if err != nil {
				return err
			}
			if at.source, at.path, err = locateFile(sources, w.source, w.path); err != nil || at.source.ID.IsZero() {
				return err
			}
			found, err := v.Find(ctx, store.Where{Places: map[corpus.ID][]string{at.source.ID: {at.path}}})
			if err != nil {
				return err
			}
			for _, d := range found {
				if d.Path == at.path {
					at.document = d
				}
			}
		}
		if !at.document.ID.IsZero() {
			at.chunks, err = v.Chunks(ctx, 0, at.document.ID)
		}
		return err
	})
	if err != nil || !at.source.ID.IsZero() {
		return at, err
	}
	kind, root, err := s.probe(at.path)
	if err == nil && kind != corpus.SourceFile {
		err = invalid("%s is a folder; name a file", root)
	}
	at.source = corpus.Source{Kind: corpus.SourceFile, Root: root}
	at.path = filepath.Base(root)
	return at, err
}

// locateFile finds the source and the path in it. The zero source stands for a
// file outside of all sources, whose absolute path is returned.
func locateFile(sources []corpus.Source, ref, path string) (corpus.Source, string, error) {
	if path == "" {
		return corpus.Source{}, "", invalid("no path")
	}
	if ref != "" {
		source, err := findSource(sources, ref)
		return source, path, err
	}
	if !filepath.IsAbs(path) {
		return corpus.Source{}, "", invalid("%q is not an absolute path; name its source, too", path)
	}
	path = filepath.Clean(path)
	var best corpus.Source
	rel := path
	for _, src := range sources {
		switch {
		case src.Kind == corpus.SourceFile && src.Root == path:
			return src, filepath.Base(path), nil
		case src.Kind == corpus.SourceFolder && inside(path, src.Root) && path != src.Root && len(src.Root) > len(best.Root):
			best = src
			if below, err := filepath.Rel(src.Root, path); err == nil {
				rel = filepath.ToSlash(below)
			}
		}
	}
	return best, rel, nil
}

// unreadable names the file that an error is about. What an extractor says is
// for people, whatever it wraps.
func unreadable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: there is no file %s", corpus.ErrNotFound, path)
	case errors.Is(err, context.Canceled):
		return err
	case known(err):
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%w: %s: %w", corpus.ErrUnsupported, path, err)
}

func wireChunks(p *ingest.Passages) api.Chunks {
	opt := p.How.Options
	out := api.Chunks{
		Title: p.Title, Type: p.Type, Strategy: p.How.Strategy.Name(), Reason: p.How.Reason,
		Size: opt.Target, Overlap: opt.Overlap, Unit: "tokens", Limit: opt.Limit, Counted: "estimate",
		Passages: []api.ChunkView{}, Reading: reading(p.Report),
	}
	if p.How.Strategy.Characters() {
		out.Unit = "characters"
	} else if opt.Limit > 0 {
		out.Size = min(out.Size, opt.Limit)
	}
	out.Reading.RowsKept = rowsOf(p.Chunks)
	for i := range p.Chunks {
		c := &p.Chunks[i]
		own := p.Text[c.Location.Start:c.Location.End]
		repeated := strings.TrimPrefix(strings.TrimSuffix(c.Content, strings.TrimSpace(own)), c.Header)
		view := api.ChunkView{
			N: i + 1, Title: c.Title, Breadcrumb: c.Breadcrumb, Header: c.Header, Overlap: repeated, Text: own,
			Tokens: c.Tokens, Location: location(c.Location), End: string(p.Ends[i]), Embedded: p.Have[c.Hash],
		}
		out.Tokens += c.Tokens
		if view.Embedded {
			out.Embedded++
		}
		out.Passages = append(out.Passages, view)
	}
	return out
}
