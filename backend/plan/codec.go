package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"ibid/backend/corpus"
)

// FormatVersion is the version of a saved plan.
const FormatVersion = 1

// Encode writes the plan as JSON.
func Encode(w io.Writer, p *Reindex) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	if err := enc.Encode(p); err != nil {
		return fmt.Errorf("encode plan: %w", err)
	}
	return nil
}

// Decode reads a saved plan and validates it: a plan may have been edited by
// hand. Errors are corpus.ErrInvalid, or corpus.ErrTooNew for a format of a
// later version.
func Decode(r io.Reader) (*Reindex, error) {
	var p Reindex
	if err := json.NewDecoder(r).Decode(&p); err != nil {
		return nil, fmt.Errorf("decode plan: %w: %w", corpus.ErrInvalid, err)
	}
	if p.FormatVersion > FormatVersion {
		return nil, fmt.Errorf("decode plan: %w: format %d, known up to %d", corpus.ErrTooNew, p.FormatVersion, FormatVersion)
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("decode plan: %w", err)
	}
	p.Total()
	return &p, nil
}

// Validate checks that every action can be understood. It does not know the
// library; apply checks each action against it.
func (p *Reindex) Validate() error {
	if p.FormatVersion != FormatVersion {
		return fmt.Errorf("%w: plan format %d", corpus.ErrInvalid, p.FormatVersion)
	}
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
	case a.Revision < 0 || a.Kind.IsWork() && (a.Kind == Added) != (a.Revision == 0):
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
