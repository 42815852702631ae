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

// Decode puts it into a document.
func (c *Document) Decode(d *corpus.Document) error {
	d.IndexedAt = Time(c.IndexedAt)
	if err := json.Unmarshal(c.Fingerprint, &d.Fingerprint); err != nil {
		return fmt.Errorf("decode fingerprint: %w", err)
	}
	if err := json.Unmarshal(c.Report, &d.Report); err != nil {
		return fmt.Errorf("decode report: %w", err)
	}
	var err error
	d.Metadata, err = DecodeMetadata(c.Metadata)
	return err
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
