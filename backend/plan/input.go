package plan

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"ibid/backend/corpus"
)

// Input is all that [Documents] looks at.
type Input struct {
	Tenant    corpus.ID
	Base      Base
	CreatedAt time.Time
	// Wanted is what the library is to be made with; Live what it answers with
	// now. HasLive is false in a library that was never written to.
	Wanted, Live Target
	HasLive      bool
	// Known are the ledger records that matter: all that the scans cover, and of
	// the others, also in sources that were not scanned, those with the content
	// of a file that is new at its place, or with an id that such a file would
	// get. More do no harm and better the estimates.
	Known []Known
	// Owned tells how many documents each source has; nil: those that are known.
	Owned map[corpus.ID]int
	Scans []Scan
	// Recipe returns how a document of this path and type would be made now.
	Recipe func(source corpus.ID, path, mediaType string) string
	// Orphan reports whether the library has passages of a document that is not
	// in the ledger; nil: of none.
	Orphan func(document corpus.ID) bool
	// Retry tries documents again that failed and have not changed.
	Retry   bool
	Economy Economy
}

// Target is what makes a generation.
type Target struct {
	Space    corpus.Space
	Analyzer string
}

// Known is a ledger record with its passages in the wanted generation.
type Known struct {
	corpus.Document
	// Made is nil where the wanted generation has no passages of it.
	Made *Made
}

// Made is what a document's passages were made of.
type Made struct {
	Recipe   string
	Chunks   int
	Embedded int
}

// Scan is what a look at one source saw.
type Scan struct {
	// Source is the source with the mark and case folding that a look at all of
	// it found.
	Source corpus.Source
	// Mark is the one that the source had before.
	Mark string
	// Unavailable says why the root could not be looked at; nothing follows
	// about its documents.
	Unavailable string
	// Empty tells that the root as a whole lists nothing at all, not even
	// files that are ignored.
	Empty    bool
	Coverage Coverage
	Entries  []Entry
	// Key folds a path where the root is case-insensitive; nil: paths are keys.
	Key func(path string) string
}

// KeyOf returns what identifies a path in the source.
func (s *Scan) KeyOf(path string) string {
	if s.Key == nil {
		return path
	}
	return s.Key(path)
}

// Coverage tells what a scan has completely seen. Only there can a
// document be missing.
type Coverage struct {
	// Places are the folders and files that were looked at, with all below
	// them; "" is the root.
	Places []string
	// Holes are places inside that could not be looked at, with the reason.
	Holes map[string]string
}

// Entry is a file that a scan saw.
type Entry struct {
	Path        string
	Fingerprint corpus.Fingerprint
	// Content is zero if the fingerprint proves that the content is the one
	// the ledger knows. It is set for every file that the ledger does not know.
	Content corpus.Hash
	Problem Problem
	Detail  string // of the problem; of an unsupported file, what it is
}

// Problem keeps a file from being compared.
type Problem string

// Problems.
const (
	NoProblem     Problem = ""
	ProblemBusy   Problem = "busy"   // being written, locked or gone while read
	ProblemFailed Problem = "failed" // cannot be opened or read
	// ProblemUnsupported: of a type that nothing here reads. The content is not
	// looked at; where the fingerprint is the ledger's it has not changed.
	ProblemUnsupported Problem = "unsupported"
	ProblemOffline     Problem = "offline" // a cloud placeholder, which is never read; or its disk is away
)

// within reports whether path is place or lies below it.
func within(path, place string) bool {
	return place == "" || path == place ||
		len(path) > len(place) && path[len(place)] == '/' && strings.HasPrefix(path, place)
}

// looksAt reports whether path is in one of the places.
func (c Coverage) looksAt(path string) bool {
	return slices.ContainsFunc(c.Places, func(place string) bool { return within(path, place) })
}

// Covers reports whether path was completely looked at; hole is the reason if
// it lies in a hole.
func (c Coverage) Covers(path string) (ok bool, hole string) {
	if !c.looksAt(path) {
		return false, ""
	}
	for p := path; len(c.Holes) > 0; {
		if reason, is := c.Holes[p]; is {
			return false, reason
		}
		if p == "" {
			break
		}
		p = p[:max(0, strings.LastIndexByte(p, '/'))]
	}
	return true, ""
}

// whole reports whether the root was looked at without a hole.
func (c Coverage) whole() bool { return c.looksAt("") && len(c.Holes) == 0 }

// DocumentID returns the id of the n-th document first seen at a path: UUIDv5
// of tenant, source, path and counter. An id is given once and then kept with
// the document wherever it moves, so the counter grows where a document that
// was first seen here lives on elsewhere.
func DocumentID(tenant, source corpus.ID, path string, n int) corpus.ID {
	return corpus.DeriveID(tenant, "document", source.String(), path, strconv.Itoa(n))
}
