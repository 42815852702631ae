package corpus

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"time"
)

// DocumentState tells what the library knows of a document.
type DocumentState string

// States of a document.
const (
	DocumentIndexed DocumentState = "indexed"
	// DocumentFailed: it could not be read; Error says why. It may still have
	// the chunks of an earlier revision.
	DocumentFailed DocumentState = "failed"
)

// Document is the ledger's record of one document.
type Document struct {
	ID     ID `json:"id"`
	Source ID `json:"source"`
	// Path is relative to the source's root, slash separated, as listed; of a web
	// page it is the normalised address.
	Path string `json:"path"`
	// Revision counts the commits of this document from 1; 0 is "not stored".
	Revision    int64         `json:"revision"`
	Content     Hash          `json:"content"` // of the file's bytes, as last read
	Fingerprint Fingerprint   `json:"fingerprint"`
	Type        string        `json:"type"`  // media type, e.g. text/markdown
	Title       string        `json:"title"` // derived from the content, else the file's name
	Language    string        `json:"language,omitempty"`
	Metadata    Metadata      `json:"metadata,omitempty"`
	State       DocumentState `json:"state"`
	Error       string        `json:"error,omitempty"`
	// Recipe names the extractor version, the chunking rules and the size
	// limits that made the stored chunks. Another recipe is an update.
	Recipe    string    `json:"recipe"`
	Report    Report    `json:"report"`
	IndexedAt time.Time `json:"indexed_at"`
	// Chunks and Embedded count the stored chunks and those with a vector in
	// the live generation; stores fill them in when reading.
	Chunks   int `json:"chunks"`
	Embedded int `json:"embedded"`
	// Damaged tells that a part of the stored record could not be read and is
	// empty here; stores say so when reading. Making the document anew mends it.
	Damaged bool `json:"damaged,omitempty"`
}

// Metadata is flat: values are string, float64, bool or []string.
type Metadata map[string]any

// ReservedMetadata cannot be set by documents or callers.
var ReservedMetadata = []string{"tenant", "document", "source"}

// MetadataURI is the key of an inline document's address, which stands beside
// the labels and does not count among them.
const MetadataURI = "uri"

// Validate checks bounds, types and reserved keys.
func (m Metadata) Validate() error {
	n := len(m)
	if _, has := m[MetadataURI]; has {
		n--
	}
	if n > MaxMetadataFields {
		return fmt.Errorf("%w: %d metadata fields, at most %d", ErrLimit, n, MaxMetadataFields)
	}
	for _, k := range m.Keys() {
		if k == "" || slices.Contains(ReservedMetadata, k) {
			return fmt.Errorf("%w: metadata key %q is reserved", ErrInvalid, k)
		}
		switch v := m[k].(type) {
		case string, bool:
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%w: metadata %q is not a finite number", ErrInvalid, k)
			}
		case []string:
			if len(v) > MaxMetadataValues {
				return fmt.Errorf("%w: metadata %q has %d values, at most %d", ErrLimit, k, len(v), MaxMetadataValues)
			}
		default:
			return fmt.Errorf("%w: metadata %q is a %T; use text, number, boolean or a list of texts", ErrInvalid, k, v)
		}
	}
	return nil
}

// Keys returns the keys in order.
func (m Metadata) Keys() []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Report tells how well a document could be read. The zero value is "no
// complaint".
type Report struct {
	Encoding    string   `json:"encoding,omitempty"`      // as found, when not UTF-8
	Pages       int      `json:"pages,omitempty"`         // of paged formats
	NoTextPages []int    `json:"no_text_pages,omitempty"` // need OCR
	Garble      float64  `json:"garble,omitempty"`        // 0 clean … 1 unreadable
	Rows        int      `json:"rows,omitempty"`          // of sheets
	Attachments int      `json:"attachments,omitempty"`   // documents inside, which have records of their own
	Hidden      int      `json:"hidden,omitempty"`        // characters of hidden text dropped
	Notes       []string `json:"notes,omitempty"`         // truncations and fallbacks, in words
}
