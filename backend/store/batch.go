package store

import (
	"fmt"

	"ibid/backend/corpus"
)

// Batch is what one request changes, all of it or nothing.
type Batch struct {
	Source  *corpus.Source    // to put; nil: none
	Changes []Change          // as Commit takes them
	Records []corpus.Document // as Record takes them
	Removed []Ref             // as Remove takes them
	Events  []Event
}

// Validate checks a batch like the methods that take its parts one by one; in
// addition no document may be in two of them.
func (b *Batch) Validate() error {
	if b.Source != nil && b.Source.ID.IsZero() {
		return fmt.Errorf("put source %q: %w: no id", b.Source.Name, corpus.ErrInvalid)
	}
	if err := ValidateChanges(b.Changes); err != nil {
		return err
	}
	if err := ValidateDocuments(b.Records); err != nil {
		return err
	}
	seen := make(map[corpus.ID]bool, len(b.Changes)+len(b.Records)+len(b.Removed))
	twice := func(id corpus.ID) error {
		if seen[id] {
			return fmt.Errorf("validate document %s: %w: it is changed twice at once", id, corpus.ErrInvalid)
		}
		seen[id] = true
		return nil
	}
	for i := range b.Changes {
		if err := twice(b.Changes[i].Document.ID); err != nil {
			return err
		}
	}
	for i := range b.Records {
		if err := twice(b.Records[i].ID); err != nil {
			return err
		}
	}
	for _, r := range b.Removed {
		if err := twice(r.Document); err != nil {
			return err
		}
	}
	return ValidateEvents(b.Events)
}
