package codec

import (
	"encoding/json"
	"fmt"

	"ibid/backend/corpus"
)

// Document is what a ledger keeps of a document beside its plain columns.
type Document struct {
	Fingerprint, Report, Metadata []byte // JSON
	IndexedAt                     int64  // microseconds
}

// EncodeDocument takes it from a document.
func EncodeDocument(d *corpus.Document) (Document, error) {
	out := Document{IndexedAt: d.IndexedAt.UnixMicro()}
	for _, part := range []struct {
		into  *[]byte
		name  string
		value any
	}{{&out.Fingerprint, "fingerprint", d.Fingerprint}, {&out.Report, "report", d.Report}, {&out.Metadata, "metadata", d.Metadata}} {
		b, err := json.Marshal(part.value)
		if err != nil {
			return Document{}, fmt.Errorf("encode %s: %w", part.name, err)
		}
		*part.into = b
	}
	return out, nil
}

// Decode puts it into a document. A part that cannot be read is empty and makes
// the document Damaged: one row must not keep all others from being planned,
// verified and repaired.
func (c *Document) Decode(d *corpus.Document) {
	d.IndexedAt = Time(c.IndexedAt)
	if json.Unmarshal(c.Fingerprint, &d.Fingerprint) != nil {
		d.Fingerprint, d.Damaged = corpus.Fingerprint{}, true
	}
	if json.Unmarshal(c.Report, &d.Report) != nil {
		d.Report, d.Damaged = corpus.Report{}, true
	}
	m, err := DecodeMetadata(c.Metadata)
	d.Metadata, d.Damaged = m, d.Damaged || err != nil
}

// Damaged reports whether a part of it cannot be read.
func (c *Document) Damaged() bool {
	var d corpus.Document
	c.Decode(&d)
	return d.Damaged
}

// DecodeMetadata reads what json.Marshal made of a corpus.Metadata: lists come
// back as []string.
func DecodeMetadata(b []byte) (corpus.Metadata, error) {
	var m corpus.Metadata
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("decode metadata: %w", err)
	}
	for k, v := range m {
		list, ok := v.([]any)
		if !ok {
			continue
		}
		texts := make([]string, len(list))
		for i, x := range list {
			if texts[i], ok = x.(string); !ok {
				return nil, fmt.Errorf("decode metadata: %q holds a %T", k, x)
			}
		}
		m[k] = texts
	}
	return m, nil
}
