package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/plan"
)

// Diff compares one document's stored passages with those of its file.
func (s *Service) Diff(ctx context.Context, r api.DiffRequest) (api.Diff, error) {
	d, err := s.diff(ctx, r)
	return d, s.fault(ctx, "compare the document", err)
}

func (s *Service) diff(ctx context.Context, r api.DiffRequest) (api.Diff, error) {
	if r.Path == "" {
		return api.Diff{}, invalid("no path of a document")
	}
	all, err := s.allSources(ctx)
	if err != nil {
		return api.Diff{}, err
	}
	set := s.Config.Settings()
	in, err := s.ingester(ctx, set)
	if err != nil {
		return api.Diff{}, err
	}
	a, err := s.find(ctx, in, all, r)
	if err != nil {
		return api.Diff{}, err
	}
	c, err := in.Diff(ctx, a)
	if err != nil {
		return api.Diff{}, err
	}
	return wireDiff(c, in.Economy.Price, set.Embeddings), nil
}

// find returns what a plan does with the document that a request names.
func (s *Service) find(ctx context.Context, in *ingest.Ingester, all []corpus.Source, r api.DiffRequest) (plan.Action, error) {
	if r.Source != "" {
		source, err := findSource(all, r.Source)
		if err != nil {
			return plan.Action{}, err
		}
		if a, ok := s.plans.action(source.ID, r.Path); ok {
			return a, nil
		}
		return planOne(ctx, in, place{source.ID, r.Path})
	}
	places := placesOf(all, r.Path)
	found, err := planEach(ctx, in, places)
	if err == nil && len(found) == 0 {
		found, err = planEach(ctx, in, shownPlaces(all, r.Path))
	}
	switch {
	case err != nil:
		return plan.Action{}, err
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := make([]string, len(found))
		for i, a := range found {
			j := slices.IndexFunc(all, func(s corpus.Source) bool { return s.ID == a.Source })
			names[i] = all[j].Name
		}
		return plan.Action{}, invalid("%q is a document of %s; name its file by the whole path", r.Path, strings.Join(names, " and of "))
	case len(places) == 0:
		return plan.Action{}, fmt.Errorf("%w: %q lies in no source; there are %s", corpus.ErrNotFound, r.Path, rootsInWords(all))
	}
	return plan.Action{}, noDocument(r.Path)
}

// planEach plans those of the places that have a document.
func planEach(ctx context.Context, in *ingest.Ingester, places []place) (found []plan.Action, err error) {
	for _, p := range places {
		a, err := planOne(ctx, in, p)
		switch {
		case errors.Is(err, corpus.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			found = append(found, a)
		}
	}
	return found, nil
}

// shownPlaces lists where a document is whose path was copied from a hit or a
// citation: the source's name stands before it.
func shownPlaces(all []corpus.Source, path string) (places []place) {
	for _, s := range all {
		if rest, ok := strings.CutPrefix(filepath.ToSlash(path), s.Name+"/"); ok && rest != "" {
			places = append(places, place{s.ID, rest})
		}
	}
	return places
}

// placesOf lists where a document that a person names may be: an absolute path
// in the sources that contain it, the innermost first, an address in those that
// are no folders, and any other path in each.
func placesOf(all []corpus.Source, path string) (places []place) {
	absolute := filepath.IsAbs(path) || strings.Contains(path, "://")
	for _, s := range all {
		switch {
		case !absolute:
			places = append(places, place{s.ID, filepath.ToSlash(path)})
		case strings.Contains(path, "://"):
			if s.Kind != corpus.SourceFolder && s.Kind != corpus.SourceFile {
				places = append(places, place{s.ID, path})
			}
		case path == s.Root && s.Kind == corpus.SourceFile:
			places = append(places, place{s.ID, filepath.Base(s.Root)})
		case s.Kind == corpus.SourceFolder && inside(path, s.Root):
			if rel, err := filepath.Rel(s.Root, path); err == nil && rel != "." {
				places = append(places, place{s.ID, filepath.ToSlash(rel)})
			}
		}
	}
	if absolute {
		slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(len(a.path), len(b.path)) })
	}
	return places
}

func rootsInWords(all []corpus.Source) string {
	if len(all) == 0 {
		return "none yet"
	}
	roots := make([]string, len(all))
	for i, s := range all {
		roots[i] = s.Root
	}
	return strings.Join(roots, ", ")
}

func noDocument(path string) error {
	return fmt.Errorf("%w: %q is neither a file that its source lists nor in the library", corpus.ErrNotFound, path)
}

// planOne plans a single document, where no plan is at hand that has it. One
// that came or went may have moved, which only a look at all sources tells.
func planOne(ctx context.Context, in *ingest.Ingester, at place) (plan.Action, error) {
	p, err := in.Plan(ctx, ingest.PlanOptions{
		Sources: []corpus.ID{at.source}, Places: map[corpus.ID][]string{at.source: {at.path}},
	})
	if err != nil {
		return plan.Action{}, err
	}
	a, ok := actionAt(p, at)
	if !ok {
		return a, noDocument(at.path)
	}
	if a.Kind != plan.Added && a.Kind != plan.Removed {
		return a, nil
	}
	if p, err = in.Plan(ctx, ingest.PlanOptions{}); err != nil {
		return plan.Action{}, err
	}
	if whole, ok := actionAt(p, at); ok {
		a = whole
	}
	return a, nil
}

// actionAt returns the action on the document that is or was at a place.
func actionAt(p *plan.Reindex, at place) (plan.Action, bool) {
	was := -1
	for i, a := range p.Actions {
		if a.Path == at.path && a.Source == at.source {
			return a, true
		}
		from := a.FromSource
		if from.IsZero() {
			from = a.Source
		}
		if a.From == at.path && from == at.source {
			was = i
		}
	}
	if was >= 0 {
		return p.Actions[was], true
	}
	return plan.Action{}, false
}
