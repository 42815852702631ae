package ingest

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/store"
)

// Inline is a document that a caller hands over: it is in no file.
type Inline struct {
	// ID is what the caller calls it, and its path in the source.
	ID string
	// Title is embedded with every passage; "": the text's own, else the id.
	Title string
	URI   string // where it is from; "" for nowhere
	Type  string // TypePlain or TypeMarkdown; "" is plain
	Text  string
	// Metadata are labels to filter by. They win over the front matter of Markdown.
	Metadata corpus.Metadata
}

// Bounds of what an inline document calls itself, in bytes.
const (
	maxInlineID    = 1_024
	maxInlineTitle = 2_048
	maxInlineURI   = 2_048
	maxLabel       = 256    // a key of metadata
	maxLabelValue  = 16_384 // a text in metadata
)

// CheckInline checks all that can be known of documents without reading or
// writing anything. Errors are corpus.ErrLimit or corpus.ErrInvalid and
// name the document and the limit.
func CheckInline(docs []Inline) error {
	switch {
	case len(docs) == 0:
		return fmt.Errorf("%w: no documents", corpus.ErrInvalid)
	case len(docs) > corpus.MaxIngestDocuments:
		return fmt.Errorf("%w: %d documents in one request, at most %d; divide them", corpus.ErrLimit, len(docs), corpus.MaxIngestDocuments)
	}
	at := make(map[string]int, len(docs))
	total := 0
	for i := range docs {
		d := &docs[i]
		if err := CheckInlineID(d.ID); err != nil {
			return fmt.Errorf("document %d: %w", i+1, err)
		}
		if first, twice := at[d.ID]; twice {
			return fmt.Errorf("document %q: %w: it stands twice, as documents %d and %d", d.ID, corpus.ErrInvalid, first+1, i+1)
		}
		at[d.ID] = i
		n, err := d.check()
		if err != nil {
			return fmt.Errorf("document %q: %w", d.ID, err)
		}
		if total += n; total > corpus.MaxIngestCharacters {
			return fmt.Errorf("document %q: %w: with it the request has more than %d characters; divide it", d.ID, corpus.ErrLimit, corpus.MaxIngestCharacters)
		}
	}
	return nil
}

// CheckInlineID checks an id: it is shown as a path and stands in saved plans.
func CheckInlineID(id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return fmt.Errorf("%w: it has no id", corpus.ErrInvalid)
	case len(id) > maxInlineID:
		return fmt.Errorf("%w: its id has %d bytes, at most %d", corpus.ErrLimit, len(id), maxInlineID)
	case !isLine(id) || strings.TrimSpace(id) != id:
		return fmt.Errorf("%w: its id %q has control characters, white space at an end, or is not UTF-8", corpus.ErrInvalid, id)
	case path.IsAbs(id) || id == ".." || strings.HasPrefix(path.Clean(id), "../"):
		return fmt.Errorf("%w: its id %q begins with / or leads out by ../", corpus.ErrInvalid, id)
	}
	return nil
}

// check checks one document and returns the characters of its text.
func (d *Inline) check() (int, error) {
	if !utf8.ValidString(d.Text) || strings.IndexByte(d.Text, 0) >= 0 {
		return 0, fmt.Errorf("%w: its text is not UTF-8 without NUL", corpus.ErrInvalid)
	}
	n := utf8.RuneCountInString(d.Text)
	switch {
	case strings.TrimSpace(d.Text) == "":
		return 0, fmt.Errorf("%w: its text is empty; to remove a document, delete it", corpus.ErrInvalid)
	case n > corpus.MaxTextCharacters:
		return 0, fmt.Errorf("%w: its text has %d characters, at most %d", corpus.ErrLimit, n, corpus.MaxTextCharacters)
	case len(d.Title) > maxInlineTitle:
		return 0, fmt.Errorf("%w: its title has %d bytes, at most %d", corpus.ErrLimit, len(d.Title), maxInlineTitle)
	case !isLine(d.Title):
		return 0, fmt.Errorf("%w: its title has control characters or is not UTF-8", corpus.ErrInvalid)
	case d.Type != "" && d.Type != extract.TypePlain && d.Type != extract.TypeMarkdown:
		return 0, fmt.Errorf("%w: its type %q; use %s or %s", corpus.ErrInvalid, d.Type, extract.TypePlain, extract.TypeMarkdown)
	}
	if err := checkURI(d.URI); err != nil {
		return 0, err
	}
	return n, checkLabels(d.Metadata)
}

// checkURI checks an address. It is shown and may be opened, so that it must
// not be a program, nor hold a password.
func checkURI(uri string) error {
	if uri == "" {
		return nil
	}
	if len(uri) > maxInlineURI {
		return fmt.Errorf("%w: its uri has %d bytes, at most %d", corpus.ErrLimit, len(uri), maxInlineURI)
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil || !isLine(uri) || u.Scheme == "":
		return fmt.Errorf("%w: its uri is none; it needs a scheme, as in https://example.org", corpus.ErrInvalid)
	case slices.Contains([]string{"javascript", "vbscript", "data"}, u.Scheme): // Parse makes it lower case
		return fmt.Errorf("%w: its uri is of the kind %s:, which is not opened", corpus.ErrInvalid, u.Scheme)
	case u.User != nil:
		if _, secret := u.User.Password(); secret {
			return fmt.Errorf("%w: its uri holds a password", corpus.ErrInvalid)
		}
	}
	return nil
}

// reservedLabels are keys that say what a document is, beside the names of its
// record's fields: a label of that name would pretend to be it, or never be
// found by a filter.
var reservedLabels = []string{"tenant_id", "document_id", "source_id", "id", "text", corpus.MetadataURI}

// checkLabels checks what a caller gives as metadata.
func checkLabels(m corpus.Metadata) error {
	if len(m) > corpus.MaxMetadataFields {
		return fmt.Errorf("%w: %d metadata fields, at most %d", corpus.ErrLimit, len(m), corpus.MaxMetadataFields)
	}
	for _, k := range m.Keys() {
		name := strings.ToLower(k)
		switch {
		case !isLine(k) || strings.TrimSpace(k) != k || k == "":
			return fmt.Errorf("%w: the metadata key %q is empty, has control characters or white space at an end", corpus.ErrInvalid, k)
		case len(k) > maxLabel:
			return fmt.Errorf("%w: a metadata key has %d bytes, at most %d", corpus.ErrLimit, len(k), maxLabel)
		case slices.Contains(corpus.ReservedMetadata, name) || slices.Contains(reservedLabels, name) || store.IsRecordField(name):
			return fmt.Errorf("%w: the metadata key %q is reserved", corpus.ErrInvalid, k)
		}
		var texts []string
		switch v := m[k].(type) {
		case string:
			texts = []string{v}
		case []string:
			texts = v
		}
		for _, v := range texts {
			if len(v) > maxLabelValue {
				return fmt.Errorf("%w: metadata %q has a text of %d bytes, at most %d", corpus.ErrLimit, k, len(v), maxLabelValue)
			}
			if !utf8.ValidString(v) || strings.IndexByte(v, 0) >= 0 {
				return fmt.Errorf("%w: metadata %q is not UTF-8 without NUL", corpus.ErrInvalid, k)
			}
		}
	}
	return m.Validate()
}

// isLine reports text that can stand in a line.
func isLine(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

// mediaType is the document's type.
func (d *Inline) mediaType() string {
	if d.Type == "" {
		return extract.TypePlain
	}
	return d.Type
}

// title is what the caller calls it; the id is no title.
func (d *Inline) title() string {
	if title := strings.Join(strings.Fields(d.Title), " "); title != d.ID {
		return title
	}
	return ""
}

// content is the digest of all that the passages are made of.
func (d *Inline) content() corpus.Hash {
	return corpus.HashParts("inline", d.mediaType(), d.title(), d.Text)
}

// labels are the document's metadata: its own over those of its front matter.
func (d *Inline) labels(front corpus.Metadata) corpus.Metadata {
	m := corpus.Metadata{}
	maps.Copy(m, front)
	delete(m, corpus.MetadataURI)
	maps.Copy(m, d.Metadata)
	if d.URI != "" {
		m[corpus.MetadataURI] = d.URI
	}
	if len(m) == 0 {
		return nil
	}
	return m
}
