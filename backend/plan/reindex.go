package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ibid/backend/corpus"
)

// Kind is what happens to a document.
type Kind string

// Kinds. The first five are work; the others say why nothing happens.
const (
	Added       Kind = "added"
	Updated     Kind = "updated"
	Moved       Kind = "moved" // same content, new path: nothing is embedded
	Repair      Kind = "repair"
	Removed     Kind = "removed"
	Unchanged   Kind = "unchanged"
	Failed      Kind = "failed"      // stays as it is; Reason says what is wrong
	Unsupported Kind = "unsupported" // of a type that this program does not read
	Busy        Kind = "busy"        // try again soon
	Unavailable Kind = "unavailable" // nothing follows about its content
)

// Kinds are all kinds.
var Kinds = []Kind{Added, Updated, Moved, Repair, Removed, Unchanged, Failed, Unsupported, Busy, Unavailable}

// IsWork reports whether applying an action of this kind changes the library.
func (k Kind) IsWork() bool {
	switch k {
	case Added, Updated, Moved, Repair, Removed:
		return true
	}
	return false
}

// Reads reports whether applying needs the document's bytes.
func (k Kind) Reads() bool { return k == Added || k == Updated || k == Repair }

// Reindex is the document plan: what a run would do and why.
type Reindex struct {
	Base      Base
	CreatedAt time.Time
	// Model is the embedding space's key; "" for keywords only.
	Model    string
	Analyzer string
	// Build tells that the run makes a second generation beside the live one
	// and switches to it when it is complete.
	Build   bool
	Economy Economy
	Summary Summary
	Sources []Source
	Actions []Action // by source in the order of Sources, then by path
}

// Base is the state of the library that a plan was made from.
type Base struct {
	Library  corpus.ID
	Revision int64
}

// MarshalText writes "library@revision".
func (b Base) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s@%d", b.Library, b.Revision), nil
}

// UnmarshalText reads what MarshalText wrote.
func (b *Base) UnmarshalText(text []byte) error {
	id, rev, ok := strings.Cut(string(text), "@")
	if !ok {
		return fmt.Errorf("parse plan base %q: no revision", text)
	}
	library, err := corpus.ParseID(id)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(rev, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("parse plan base %q: not a revision", text)
	}
	*b = Base{Library: library, Revision: n}
	return nil
}

// States of a planned source.
const (
	SourceComplete = "complete"
	SourcePartial  = "partial" // not all of it was looked at or could be
	SourceMissing  = "unavailable"
)

// Source is one source's part of a plan.
type Source struct {
	ID     corpus.ID
	Name   string
	Path   string
	State  string
	Detail string // why it is not complete
	Files  int    // seen by the scan
	// Guard is set when the plan removes so much that it needs consent.
	Guard *Guard
	// Mark and FoldCase are what a complete scan found of the root; applying
	// keeps them with the source. Mark is "" where nothing new was found.
	Mark     string
	FoldCase bool
	// MarkBefore is the one that the source had: where it has another by then,
	// somebody said something newer of the root.
	MarkBefore string
}

// Action is what happens to one document.
type Action struct {
	Kind     Kind
	Source   corpus.ID
	Path     string
	Document corpus.ID // zero: not in the ledger, and not to come in
	// From is the path before; FromSource its source, where that is another.
	From       string
	FromSource corpus.ID
	Code       Code
	Reason     string // a sentence
	Bytes      int64
	Chunks     Counts
	// Revision of the ledger record and Content of the file that the action
	// was made from: it is stale when either has changed since.
	Revision int64
	Content  corpus.Hash
	// Missing says, in words, what of the document will not be found after the
	// action. It is known once the document was read; "" is all, or not known.
	Missing string
	// Fingerprint is the file's as scanned. On Unchanged it is set only where
	// the ledger's is outdated and is to be refreshed.
	Fingerprint corpus.Fingerprint
}

// Counts are a document's passages by fate.
type Counts struct {
	Total    int // after the action
	Embed    int // need a vector
	Reuse    int // have one already
	Relocate int
	Remove   int
	Tokens   int // to embed
	// Exact tells that the document was extracted and divided; else the counts
	// are estimates, for changed documents the most that can be needed.
	Exact bool
}

// WriteCount is the number of documents that applying changes.
func (p *Reindex) WriteCount() int {
	s := p.Summary
	return s.Added + s.Updated + s.Moved + s.Repair + s.Removed
}

// IsNoOp reports whether there is nothing to do: no document to change, no
// passage to embed, no generation to build. Outdated fingerprints are no work.
func (p *Reindex) IsNoOp() bool {
	return p.WriteCount() == 0 && p.Summary.ChunksToEmbed == 0 && !p.Build
}

// Select returns the plan cut down to the actions that keep approves, with
// totals and guards computed anew.
func (p *Reindex) Select(keep func(Action) bool) *Reindex {
	out := *p
	out.Actions = nil
	for _, a := range p.Actions {
		if keep(a) {
			out.Actions = append(out.Actions, a)
		}
	}
	out.Sources = append([]Source(nil), p.Sources...)
	out.tighten()
	out.Total()
	return &out
}
