package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/source"
	"ibid/backend/store"
)

// maxName bounds a source's name.
const maxName = 200

// AddSource adds a folder, a file or a web address. Nothing of it is read before
// a plan.
func (s *Service) AddSource(ctx context.Context, r api.AddSourceRequest) (api.Source, error) {
	out, err := s.addSource(ctx, r)
	return out, s.audited(ctx, auditSourceAdd, s.fault(ctx, "add the source", err))
}

func (s *Service) addSource(ctx context.Context, r api.AddSourceRequest) (api.Source, error) {
	policy, err := checkPolicy(r.Policy)
	if err != nil {
		return api.Source{}, err
	}
	name, err := checkName(r.Name)
	if err != nil {
		return api.Source{}, err
	}
	chunking, err := readChunkRules(r.Chunking)
	if err != nil {
		return api.Source{}, err
	}
	kind, root, err := s.probe(r.Path)
	switch {
	case err != nil:
		return api.Source{}, err
	case r.List && kind == corpus.SourceFile:
		kind = corpus.SourceURL
	case r.List && kind == corpus.SourceFolder:
		return api.Source{}, invalid("%s is a folder; a list is a file with a web address a line", root)
	case r.Private && kind != corpus.SourceURL:
		return api.Source{}, invalid("private is about web addresses, and %s is none", root)
	}
	all, err := s.allSources(ctx)
	if err != nil {
		return api.Source{}, err
	}
	if name == "" {
		name = freeName(all, ownName(root))
	}
	added := corpus.Source{
		ID: corpus.NewID(), Kind: kind, Name: name, Root: root,
		Include: r.Include, Exclude: r.Exclude, Chunking: chunking, Policy: policy,
		Private: r.Private, CreatedAt: now(),
	}
	if err := taken(all, added); err != nil {
		return api.Source{}, err
	}
	if err := s.Files.Check(added); err != nil {
		return api.Source{}, err
	}
	if err := s.Store.PutSource(ctx, added, s.event(ctx, auditSourceAdd, added.ID)); err != nil {
		return api.Source{}, err
	}
	s.watch.kick()
	s.hint()
	out := wireSource(added)
	out.State, out.Detail = sourceEmpty, overlap(all, root)
	return out, nil
}

// ownName is what a source is called after its root.
func ownName(root string) string {
	if _, rest, ok := strings.Cut(root, "://"); ok {
		rest = strings.Trim(rest, "/")
		for len(rest) > maxName || !utf8.ValidString(rest) {
			rest = rest[:min(len(rest)-1, maxName)]
		}
		return rest
	}
	return filepath.Base(root)
}

// probe finds out what a person named. Of an address it asks nobody.
func (s *Service) probe(path string) (corpus.SourceKind, string, error) {
	switch {
	case strings.TrimSpace(path) == "":
		return "", "", invalid("no path")
	case !filepath.IsAbs(path) && !strings.Contains(path, "://"):
		return "", "", invalid("%q is not an absolute path", path)
	}
	kind, root, err := s.Files.Probe(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: there is nothing at %s", corpus.ErrNotFound, path)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w: %s cannot be read: permission denied", corpus.ErrUnavailable, path)
	}
	return kind, root, err
}

// States of a source.
const (
	sourceReady       = "ready"
	sourceEmpty       = "empty"
	sourceUnavailable = "unavailable"
)

// Sources lists the sources with their state.
func (s *Service) Sources(ctx context.Context, _ api.SourcesRequest) (api.SourcesResponse, error) {
	out, err := s.sources(ctx)
	return out, s.fault(ctx, "list the sources", err)
}

func (s *Service) sources(ctx context.Context) (api.SourcesResponse, error) {
	out := api.SourcesResponse{Sources: []api.Source{}}
	var roots []string
	err := s.Store.View(ctx, func(v store.Reader) error {
		list, err := v.Sources(ctx)
		if err != nil {
			return err
		}
		at := map[corpus.ID]int{}
		for i, src := range list {
			at[src.ID] = i
			out.Sources = append(out.Sources, wireSource(src))
			roots = append(roots, src.Root)
		}
		tally, err := v.Tally(ctx, 0)
		for id, t := range tally {
			if i, ok := at[id]; ok {
				count(&out.Sources[i], t)
			}
		}
		return err
	})
	if err != nil {
		return api.SourcesResponse{}, err
	}
	for i, root := range roots {
		src := &out.Sources[i]
		if src.Kind == string(corpus.SourceInline) { // it is nowhere but in the library
			if src.Documents == 0 {
				src.State = sourceEmpty
			}
			continue
		}
		web := src.Kind == string(corpus.SourceURL) // which only a plan asks for
		if _, _, err := s.probe(root); err != nil {
			src.State, src.Detail = sourceUnavailable, Fault(ctx, s.Log, "look at the source", err).Message
			src.LastSeen = s.sights.last(src.ID)
		} else if why := s.sights.verdict(src.ID); why != "" {
			src.State, src.Detail, src.Exchanged = sourceUnavailable, why, source.Exchanged(why)
		} else {
			if !web {
				s.sights.seen(src.ID, now())
			}
			if src.Documents == 0 {
				src.State = sourceEmpty
			}
		}
		seen := s.watch.source(src.ID)
		src.Watch, src.WatchDetail, src.Waiting = seen.mode, seen.detail, seen.waiting
		if web && src.Detail == "" {
			src.Detail = "looked at by every plan, and once an hour while ibid watches"
		}
	}
	return out, nil
}

func count(s *api.Source, t store.Tally) {
	s.Documents, s.Failed, s.Chunks, s.Embedded = t.Documents, t.Failed, t.Chunks, t.Embedded
}

// RemoveSource removes a source and its documents from the library.
func (s *Service) RemoveSource(ctx context.Context, r api.RemoveSourceRequest) (api.RemoveSourceResponse, error) {
	out, err := s.removeSource(ctx, r)
	return out, s.audited(ctx, auditSourceRemove, s.fault(ctx, "remove the source", err))
}

func (s *Service) removeSource(ctx context.Context, r api.RemoveSourceRequest) (out api.RemoveSourceResponse, err error) {
	all, err := s.allSources(ctx)
	if err != nil {
		return out, err
	}
	source, err := findSource(all, r.Source)
	if err != nil {
		return out, err
	}
	out.Source = wireSource(source)
	err = s.asWriter(ctx, "remove", func(w store.Writer) error {
		err := s.Store.View(ctx, func(v store.Reader) error { // with the role: nobody else changes it
			tally, err := v.Tally(ctx, 0)
			count(&out.Source, tally[source.ID])
			return err
		})
		if err != nil {
			return err
		}
		out.Documents = out.Source.Documents
		e := s.event(ctx, auditSourceRemove, source.ID)
		e.Counts = map[string]int{"documents": out.Documents}
		if err := w.RemoveSource(ctx, source.ID, r.Purge, e); err != nil {
			return err
		}
		return s.Store.DropRequest(ctx, consentKind(source.ID))
	})
	s.hint()
	return out, err
}

func wireSource(s corpus.Source) api.Source {
	return api.Source{
		ID: s.ID.String(), Name: s.Name, Kind: string(s.Kind), Path: s.Root,
		Include: append([]string{}, s.Include...), Exclude: append([]string{}, s.Exclude...),
		Chunking: wireChunkRules(s.Chunking),
		Policy:   string(s.Policy), Paused: s.Paused, Private: s.Private, CreatedAt: timestamp(s.CreatedAt), State: sourceReady,
	}
}
