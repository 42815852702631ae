package plan

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"ibid/backend/corpus"
)

// Validate checks that every action can be understood. It does not know the
// library; apply checks each action against it.
func (p *Reindex) Validate() error {
	if p.Base.Library.IsZero() {
		return fmt.Errorf("%w: plan of no library", corpus.ErrInvalid)
	}
	documents := make(map[corpus.ID]string)
	places := make(map[string]bool)
	for i := range p.Actions {
		a := &p.Actions[i]
		if err := a.validate(); err != nil {
			return fmt.Errorf("%w: action %d (%q): %w", corpus.ErrInvalid, i, a.Path, err)
		}
		place := a.Source.String() + "\x00" + a.Path
		if places[place] {
			return fmt.Errorf("%w: action %d: %q stands twice", corpus.ErrInvalid, i, a.Path)
		}
		places[place] = true
		if a.Document.IsZero() {
			continue
		}
		if other, twice := documents[a.Document]; twice {
			return fmt.Errorf("%w: action %d: %q and %q are one document", corpus.ErrInvalid, i, other, a.Path)
		}
		documents[a.Document] = a.Path
	}
	return nil
}

func (a *Action) validate() error {
	switch {
	case !slices.Contains(Kinds, a.Kind):
		return fmt.Errorf("unknown action %q", a.Kind)
	case a.Source.IsZero():
		return errors.New("no source")
	case !validPath(a.Path) || a.From != "" && !validPath(a.From):
		return errors.New("not a path below a source")
	case a.Kind.IsWork() && a.Document.IsZero():
		return errors.New("no document")
	case a.Kind.IsWork() && a.Kind != Removed && a.Content.IsZero():
		return errors.New("no content hash")
	case a.Revision < 0 || a.Kind.IsWork() && (a.Kind == Added || a.Code == RecordLost) != (a.Revision == 0):
		return fmt.Errorf("revision %d", a.Revision)
	case a.Bytes < 0 || a.Chunks.negative():
		return errors.New("negative count")
	}
	return nil
}

func (c Counts) negative() bool {
	return min(c.Total, c.Embed, c.Reuse, c.Relocate, c.Remove, c.Tokens) < 0
}

// validPath reports whether p is slash separated and stays below its root. A
// URL source's document may be the root itself: its path is the URL's.
func validPath(p string) bool {
	return p != "" && !strings.ContainsRune(p, 0) && !path.IsAbs(p) &&
		p != ".." && !strings.HasPrefix(path.Clean(p), "../")
}
