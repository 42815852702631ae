package store

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"ibid/backend/corpus"
)

// ValidateChanges checks the input of Commit as far as that is possible without
// looking into the library, so that every store refuses the same. Errors
// wrap corpus.ErrInvalid or corpus.ErrLimit and name the document.
func ValidateChanges(changes []Change) error {
	seen := make(map[corpus.ID]bool, len(changes))
	for i := range changes {
		c := &changes[i]
		if err := c.validate(); err != nil {
			return fmt.Errorf("validate document %q: %w", c.Document.Path, err)
		}
		if seen[c.Document.ID] {
			return fmt.Errorf("validate document %q: %w: it is changed twice at once", c.Document.Path, corpus.ErrInvalid)
		}
		seen[c.Document.ID] = true
	}
	return nil
}

// ValidateDocuments checks the input of Record like ValidateChanges.
func ValidateDocuments(docs []corpus.Document) error {
	seen := make(map[corpus.ID]bool, len(docs))
	for i := range docs {
		d := &docs[i]
		if err := validateDocument(d); err != nil {
			return fmt.Errorf("validate document %q: %w", d.Path, err)
		}
		if seen[d.ID] {
			return fmt.Errorf("validate document %q: %w: it is recorded twice at once", d.Path, corpus.ErrInvalid)
		}
		seen[d.ID] = true
	}
	return nil
}

// Validate checks a request: it has a kind, and its texts can be stored
// anywhere. Errors wrap corpus.ErrInvalid.
func (r Request) Validate() error {
	if r.Kind == "" {
		return fmt.Errorf("validate request: %w: no kind", corpus.ErrInvalid)
	}
	if err := validText("a text", r.Kind, r.Run, r.By); err != nil {
		return fmt.Errorf("validate request %q: %w", r.Kind, err)
	}
	return nil
}

// ValidateVectors checks the input of PutVectors: a space with dimensions, at
// most limit of them, and vectors that pass ValidateVector.
func ValidateVectors(space corpus.Space, limit int, vectors map[corpus.Hash][]float32) error {
	if space.Dimensions <= 0 {
		return fmt.Errorf("%w: space %q has no dimensions", corpus.ErrInvalid, space)
	}
	if space.Dimensions > limit {
		return fmt.Errorf("%w: space %q has %d dimensions, at most %d", corpus.ErrLimit, space, space.Dimensions, limit)
	}
	for h, v := range vectors {
		if err := ValidateVector(v, space.Dimensions); err != nil {
			return fmt.Errorf("validate vector of input %s: %w", h, err)
		}
	}
	return nil
}

// ValidateVector refuses vectors of another length, with components that are
// not finite, and the zero vector, which has no direction.
func ValidateVector(v []float32, dimensions int) error {
	if len(v) != dimensions {
		return fmt.Errorf("%w: vector of %d dimensions, want %d", corpus.ErrInvalid, len(v), dimensions)
	}
	var sum float64
	for i, x := range v {
		sum += float64(x) * float64(x)
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("%w: vector component %d is not finite", corpus.ErrInvalid, i)
		}
	}
	if sum < 1e-30 {
		return fmt.Errorf("%w: vector without direction", corpus.ErrInvalid)
	}
	return nil
}

// Validate checks a query as far as that is possible without knowing the
// generation; the vector's dimensions are the store's to check.
func (q *Query) Validate() error {
	if err := q.Filter.Validate(); err != nil {
		return err
	}
	if l := q.Lexical; l != nil && (l.Budget <= 0 || l.Limit <= 0) {
		return fmt.Errorf("%w: lexical budget %d and limit %d must be positive", corpus.ErrInvalid, l.Budget, l.Limit)
	}
	if v := q.Vector; v != nil {
		if v.Limit <= 0 {
			return fmt.Errorf("%w: vector limit %d must be positive", corpus.ErrInvalid, v.Limit)
		}
		return ValidateVector(v.Query, len(v.Query))
	}
	return nil
}

func (c *Change) validate() error {
	if err := validateDocument(&c.Document); err != nil {
		return err
	}
	if c.Generation <= 0 || c.From < 0 {
		return fmt.Errorf("%w: generation %d, revision %d", corpus.ErrInvalid, c.Generation, c.From)
	}
	if err := validText("text", c.Text); err != nil {
		return err
	}
	seen := make(map[corpus.ID]bool, len(c.Entries))
	for i := range c.Entries {
		e := &c.Entries[i]
		if err := e.validate(c.Document.ID, i, len(c.Text)); err != nil {
			return fmt.Errorf("passage %d: %w", i, err)
		}
		if seen[e.Chunk.ID] {
			return fmt.Errorf("passage %d: %w: id given twice", i, corpus.ErrInvalid)
		}
		seen[e.Chunk.ID] = true
	}
	return nil
}

func (e *Entry) validate(document corpus.ID, index, size int) error {
	c := &e.Chunk
	if c.Index != index {
		return fmt.Errorf("%w: index is %d", corpus.ErrInvalid, c.Index)
	}
	if strings.TrimSpace(c.Content) == "" {
		return fmt.Errorf("%w: blank content", corpus.ErrInvalid)
	}
	if c.Hash != c.InputHash() || c.ID != corpus.ChunkID(document, c.Hash, c.Occurrence) {
		return fmt.Errorf("%w: not identified", corpus.ErrInvalid)
	}
	l := c.Location
	if l.Start < 0 || l.End < l.Start || l.End > size {
		return fmt.Errorf("%w: location %d–%d in a text of %d bytes", corpus.ErrInvalid, l.Start, l.End, size)
	}
	if c.Tokens < 0 || e.Length < 0 {
		return fmt.Errorf("%w: negative size", corpus.ErrInvalid)
	}
	return errors.Join(validText("content", c.Content), validText("title", c.Title), validText("header", c.Header),
		validText("breadcrumb", c.Breadcrumb...), validText("term", e.Whole...), validText("term", e.Parts...))
}

func validateDocument(d *corpus.Document) error {
	if d.ID.IsZero() || d.Source.IsZero() || d.Path == "" {
		return fmt.Errorf("%w: id, source and path are needed", corpus.ErrInvalid)
	}
	if d.State != corpus.DocumentIndexed && d.State != corpus.DocumentFailed {
		return fmt.Errorf("%w: unknown state %q", corpus.ErrInvalid, d.State)
	}
	if err := d.Metadata.Validate(); err != nil {
		return err
	}
	for _, k := range d.Metadata.Keys() {
		var err error
		switch v := d.Metadata[k].(type) {
		case string:
			err = validText("metadata", k, v)
		case []string:
			err = errors.Join(validText("metadata", k), validText("metadata", v...))
		default:
			err = validText("metadata", k)
		}
		if err != nil {
			return err
		}
	}
	return validText("record", d.Path, d.Title, d.Type, d.Language, d.Error, d.Recipe)
}

// validText refuses what a database cannot hold as text: bytes that are not
// UTF-8, and NUL, which PostgreSQL has no place for.
func validText(what string, texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return fmt.Errorf("%w: %s is not UTF-8 without NUL", corpus.ErrInvalid, what)
		}
	}
	return nil
}
