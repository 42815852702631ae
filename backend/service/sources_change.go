package service

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// ChangeSource changes what is set of a source. The documents stay as they are
// until a plan is applied. With another path the mark of the root stays: a
// place where the source's files are not found again is unavailable, and
// nothing is removed there.
func (s *Service) ChangeSource(ctx context.Context, r api.ChangeSourceRequest) (api.Source, error) {
	out, err := s.changeSource(ctx, r)
	return out, s.audited(ctx, auditSourceChange, s.fault(ctx, "change the source", err))
}

func (s *Service) changeSource(ctx context.Context, r api.ChangeSourceRequest) (api.Source, error) {
	all, err := s.allSources(ctx)
	if err != nil {
		return api.Source{}, err
	}
	source, err := findSource(all, r.Source)
	if err != nil {
		return api.Source{}, err
	}
	others := slices.DeleteFunc(all, func(o corpus.Source) bool { return o.ID == source.ID })
	changed := source
	if r.Name != "" {
		if changed.Name, err = checkName(r.Name); err != nil {
			return api.Source{}, err
		}
	}
	if r.Policy != "" {
		if changed.Policy, err = checkPolicy(r.Policy); err != nil {
			return api.Source{}, err
		}
	}
	if r.Rules != nil {
		changed.Include, changed.Exclude = r.Rules.Include, r.Rules.Exclude
	}
	if r.Chunking != nil {
		if changed.Chunking, err = readChunkRules(r.Chunking.Rules); err != nil {
			return api.Source{}, err
		}
	}
	if r.Paused != nil {
		changed.Paused = *r.Paused
	}
	if r.Path != "" {
		if changed.Root, err = s.moved(source, r.Path); err != nil {
			return api.Source{}, err
		}
	}
	if r.AcceptRoot {
		changed.Mark = ""
	}
	if r.AcceptRoot || r.Path != "" {
		s.sights.forget(changed.ID.String()) // until the next plan
	}
	if err := taken(others, changed); err != nil {
		return api.Source{}, err
	}
	if err := s.Files.Check(changed); err != nil {
		return api.Source{}, err
	}
	if err := s.Store.ChangeSource(ctx, changed.ID, func(now *corpus.Source) error {
		requested(r, now, changed)
		changed = *now
		return nil
	}, s.event(ctx, auditSourceChange, changed.ID)); err != nil {
		return api.Source{}, err
	}
	s.watch.kick()
	s.hint()
	return s.sourceNow(ctx, changed)
}

// requested changes of a source what a request asks for; the rest stays as it
// is by now.
func requested(r api.ChangeSourceRequest, now *corpus.Source, to corpus.Source) {
	if r.Name != "" {
		now.Name = to.Name
	}
	if r.Policy != "" {
		now.Policy = to.Policy
	}
	if r.Rules != nil {
		now.Include, now.Exclude = to.Include, to.Exclude
	}
	if r.Chunking != nil {
		now.Chunking = to.Chunking
	}
	if r.Paused != nil {
		now.Paused = to.Paused
	}
	if r.Path != "" {
		now.Root = to.Root
	}
	if r.AcceptRoot {
		now.Mark = ""
	}
}

// moved returns the clean form of a source's new root, which is of the same kind.
func (s *Service) moved(source corpus.Source, path string) (string, error) {
	if source.Kind != corpus.SourceFolder && source.Kind != corpus.SourceFile {
		return "", fmt.Errorf("%w: the source %q is not on disk, it has no place to change", corpus.ErrUnsupported, source.Name)
	}
	kind, root, err := s.probe(path)
	switch {
	case err != nil:
		return "", err
	case kind != source.Kind:
		return "", invalid("%s is a %s, the source %q is a %s", root, kind, source.Name, source.Kind)
	}
	return root, nil
}

// checkName returns the clean form of a source's name.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if len(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return "", invalid("the name %q; use at most %d bytes and no control characters", name, maxName)
	}
	return name, nil
}

// checkPolicy reads a policy; "" is the default.
func checkPolicy(policy string) (corpus.Policy, error) {
	switch p := corpus.Policy(policy); p {
	case "":
		return corpus.PolicyAsk, nil
	case corpus.PolicyAsk, corpus.PolicyAuto, corpus.PolicyLimits:
		return p, nil
	}
	return "", invalid("policy %q; use ask, auto or limits", policy)
}

// taken reports a source whose name or place another one has.
func taken(others []corpus.Source, s corpus.Source) error {
	for _, o := range others {
		switch {
		case o.Root == s.Root:
			return invalid("%s is the source %q already", s.Root, o.Name)
		case o.Name == s.Name:
			return invalid("there is a source %q already (%s); choose another name", s.Name, o.Root)
		}
	}
	return nil
}

// Bounds of ProblemsRequest.
const (
	defaultProblems = 100
	maxProblemsList = 1000
)

// Problems lists a source's documents that cannot be read.
func (s *Service) Problems(ctx context.Context, r api.ProblemsRequest) (api.ProblemsResponse, error) {
	out, err := s.problems(ctx, r)
	return out, s.fault(ctx, "list the problems", err)
}

func (s *Service) problems(ctx context.Context, r api.ProblemsRequest) (api.ProblemsResponse, error) {
	out := api.ProblemsResponse{Problems: []api.Problem{}}
	if r.Limit < 0 || r.Limit > maxProblemsList {
		return out, invalid("limit is %d; use 1 to %d, or 0 for %d", r.Limit, maxProblemsList, defaultProblems)
	}
	limit := cmp.Or(r.Limit, defaultProblems)
	err := s.Store.View(ctx, func(v store.Reader) error {
		all, err := v.Sources(ctx)
		if err != nil {
			return err
		}
		source, err := findSource(all, r.Source)
		if err != nil {
			return err
		}
		for d, err := range v.Documents(ctx, source.ID) {
			switch {
			case err != nil:
				return err
			case d.State != corpus.DocumentFailed:
				continue
			case out.Total < limit:
				out.Problems = append(out.Problems, api.Problem{Source: source.ID.String(), Path: d.Path, Error: d.Error})
			}
			out.Total++
		}
		return nil
	})
	return out, err
}

// Folders completes the path of a folder.
func (s *Service) Folders(ctx context.Context, r api.FoldersRequest) (api.FoldersResponse, error) {
	list, err := s.Files.Complete(ctx, r.Prefix)
	return api.FoldersResponse{Folders: append([]string{}, list...)}, s.fault(ctx, "list folders", err)
}
