package corpus

import (
	"math"
	"time"
)

// SourceKind tells what a source is.
type SourceKind string

// Kinds of sources.
const (
	SourceFolder SourceKind = "folder"
	SourceFile   SourceKind = "file"
	SourceURL    SourceKind = "url"
	SourceInline SourceKind = "inline"
)

// Policy tells when a plan for a source may be applied without asking.
type Policy string

// Policies.
const (
	PolicyAsk    Policy = "ask"
	PolicyAuto   Policy = "auto"
	PolicyLimits Policy = "limits"
)

// Source is a folder, file or URL that the user added.
type Source struct {
	ID      ID         `json:"id"`
	Kind    SourceKind `json:"kind"`
	Name    string     `json:"name"`
	Root    string     `json:"root"` // absolute path or URL; the only place where it is kept
	Include []string   `json:"include,omitempty"`
	Exclude []string   `json:"exclude,omitempty"`
	// Chunking are rules for dividing its documents. The last one that matches a
	// path decides, as in a .gitignore; where none does, the settings do.
	Chunking []ChunkRule `json:"chunking,omitempty"`
	Policy   Policy      `json:"policy"`
	Paused   bool        `json:"paused,omitempty"`
	// Private lets the pages of a web source be on this machine or its private
	// networks.
	Private bool `json:"private,omitempty"`
	// Mark is what identified the root when it was last scanned (device and
	// inode, or a volume id; of an address whether it is a page, sitemap or list):
	// an exchanged root is unavailable, not emptied.
	Mark string `json:"mark,omitempty"`
	// FoldCase is set where the root proved case-insensitive.
	FoldCase  bool      `json:"fold_case,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// ChunkRule says how documents of a source are divided into passages.
type ChunkRule struct {
	Glob     string `json:"glob,omitempty"`     // as in Include; "": every document
	Strategy string `json:"strategy,omitempty"` // a strategy's name; "": the document decides
	Size     int    `json:"size,omitempty"`     // largest wanted passage; 0: the strategy's own
	Overlap  *int   `json:"overlap,omitempty"`  // nil: the strategy's own
}

// Fingerprint is the fast path of change detection. Equal fingerprints
// mean "unchanged" only when they are Settled; a difference means "hash again",
// never "embed again".
type Fingerprint struct {
	Size       int64  `json:"size"`
	ModTime    int64  `json:"mtime"` // nanoseconds since 1970 UTC, as are the next two
	ChangeTime int64  `json:"ctime,omitempty"`
	HashedAt   int64  `json:"hashed_at,omitempty"`
	Inode      uint64 `json:"inode,omitempty"`
	Device     uint64 `json:"device,omitempty"`
	// Of web pages: the entity tag (RFC 9110, section 8.8.3), and the address
	// that answered, where the document's redirects.
	ETag  string `json:"etag,omitempty"`
	Final string `json:"final,omitempty"`
}

// settling is how long before hashing a file or page must have been left alone
// for its fingerprint to prove anything: clocks of file systems are coarse, and
// servers' dates are whole seconds.
const settling = 2 * time.Second

// Settled reports whether an equal fingerprint proves an equal content. A
// modification time after the hashing was given to the file (by a camera, an
// archive): then the change time alone tells when it was written, where the
// file system has one. When the clock was set back, that lies ahead too.
func (f Fingerprint) Settled() bool {
	written := max(f.ModTime, f.ChangeTime)
	if f.ModTime > f.HashedAt && f.ChangeTime != 0 {
		written = f.ChangeTime
	}
	return f.HashedAt != 0 && f.HashedAt-settling.Nanoseconds() > written
}

// Proves reports whether a file that is seen like this has the content that was
// hashed.
func (f Fingerprint) Proves(seen Fingerprint) bool {
	seen.HashedAt = f.HashedAt
	return seen == f && f.Settled()
}

// Nanoseconds is t as a Fingerprint has it. Times that it cannot express (before
// 1678, after 2262) are the first or last that it can.
func Nanoseconds(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}
