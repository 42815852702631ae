package service

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

func sourcesByID(ctx context.Context, v store.Reader) (map[corpus.ID]corpus.Source, error) {
	list, err := v.Sources(ctx)
	if err != nil {
		return nil, err
	}
	byID := make(map[corpus.ID]corpus.Source, len(list))
	for _, s := range list {
		byID[s.ID] = s
	}
	return byID, nil
}

// findSource resolves what a person calls a source: its id, else its name,
// else its path.
func findSource(list []corpus.Source, ref string) (corpus.Source, error) {
	same := []func(corpus.Source) bool{
		func(s corpus.Source) bool { return s.ID.String() == ref },
		func(s corpus.Source) bool { return s.Name == ref },
		func(s corpus.Source) bool { return filepath.Clean(s.Root) == filepath.Clean(ref) },
	}
	for _, is := range same {
		for _, s := range list {
			if is(s) {
				return s, nil
			}
		}
	}
	if len(list) == 0 {
		return corpus.Source{}, fmt.Errorf("%w: no source %q: there are no sources yet", corpus.ErrNotFound, ref)
	}
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
		if s.Kind == corpus.SourceFolder && filepath.IsAbs(ref) && inside(ref, s.Root) {
			return corpus.Source{}, fmt.Errorf("%w: %q is no source; it lies inside the source %q", corpus.ErrNotFound, ref, s.Name)
		}
	}
	return corpus.Source{}, fmt.Errorf("%w: no source %q; sources are %s", corpus.ErrNotFound, ref, strings.Join(names, ", "))
}

// findSources resolves several references; none means all sources. Naming a
// source twice names it once.
func findSources(list []corpus.Source, refs []string) ([]corpus.Source, error) {
	if len(refs) == 0 {
		return list, nil
	}
	var found []corpus.Source
	seen := map[corpus.ID]bool{}
	for _, ref := range refs {
		s, err := findSource(list, ref)
		if err != nil {
			return nil, err
		}
		if !seen[s.ID] {
			seen[s.ID] = true
			found = append(found, s)
		}
	}
	return found, nil
}

// freeName returns name, or name with the first number that is not taken.
func freeName(list []corpus.Source, name string) string {
	taken := map[string]bool{}
	for _, s := range list {
		taken[s.Name] = true
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

// inside reports whether path is folder or lies below it.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// overlap says in words how a new root shares files with existing sources; ""
// if it does not.
func overlap(list []corpus.Source, root string) string {
	for _, s := range list {
		switch {
		case s.Kind != corpus.SourceFolder && s.Kind != corpus.SourceFile:
		case inside(root, s.Root):
			return fmt.Sprintf("lies inside the source %q; files in both stay documents of that one", s.Name)
		case inside(s.Root, root):
			return fmt.Sprintf("contains the source %q; files in both stay documents of that one", s.Name)
		}
	}
	return ""
}
