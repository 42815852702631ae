package sqlite

import (
	"bytes"
	"context"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// Record implements store.Writer.
func (r *role) Record(ctx context.Context, docs ...corpus.Document) error {
	if err := store.ValidateDocuments(docs); err != nil {
		return err
	}
	if len(docs) == 0 {
		return nil
	}
	return r.write(ctx, "record documents", func(w *writeTx) error { return w.recordAll(ctx, docs) })
}

func (w *writeTx) recordAll(ctx context.Context, docs []corpus.Document) error {
	for i := range docs {
		if _, err := w.putDocument(ctx, &docs[i], docs[i].Revision); err != nil {
			return fmt.Errorf("document %q: %w", docs[i].Path, err)
		}
	}
	return nil
}

// putDocument writes the record of a document whose stored revision is from
// and returns its row; the revision grows by one.
func (w *writeTx) putDocument(ctx context.Context, d *corpus.Document, from int64) (int64, error) {
	var num, revision int64
	var before []byte
	found, err := w.row(ctx, "SELECT num, revision, metadata FROM documents WHERE tenant = ? AND id = ?",
		[]any{w.tenant, d.ID[:]}, &num, &revision, &before)
	if err != nil {
		return 0, err
	}
	if revision != from {
		return 0, fmt.Errorf("%w: it is at revision %d, not %d", corpus.ErrStale, revision, from)
	}
	c, err := codec.EncodeDocument(d)
	if err != nil {
		return 0, err
	}
	w.changed = true
	values := []any{
		d.Source[:], d.Path, from + 1, d.Type, d.Title, d.Language, string(d.State), codec.Modified(d.Fingerprint), c.IndexedAt,
		d.Content[:], string(c.Fingerprint), d.Recipe, d.Error, string(c.Report), string(c.Metadata),
	}
	if found {
		_, err = w.exec(ctx, `UPDATE documents SET source = ?, path = ?, revision = ?, type = ?, title = ?, language = ?, state = ?, modified = ?, indexed_at = ?,
			content = ?, fingerprint = ?, recipe = ?, error = ?, report = ?, metadata = ? WHERE num = ?`, append(values, num)...)
	} else {
		num, err = w.insert(ctx, `INSERT INTO documents (source, path, revision, type, title, language, state, modified, indexed_at,
			content, fingerprint, recipe, error, report, metadata, tenant, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			append(values, w.tenant, d.ID[:])...)
	}
	if err != nil || bytes.Equal(before, c.Metadata) {
		return num, err
	}
	return num, w.putFields(ctx, num, d.Metadata)
}

// putFields replaces a document's metadata for filters.
func (w *writeTx) putFields(ctx context.Context, document int64, m corpus.Metadata) error {
	if _, err := w.exec(ctx, "DELETE FROM fields WHERE document = ?", document); err != nil {
		return err
	}
	var err error
	eachField(m, func(key string, value any) {
		if err == nil {
			_, err = w.exec(ctx, "INSERT OR IGNORE INTO fields (tenant, key, value, document) VALUES (?, ?, ?, ?)", w.tenant, key, value, document)
		}
	})
	return err
}

// eachField calls fn for every value as the table "fields" has it.
func eachField(m corpus.Metadata, fn func(key string, value any)) {
	for _, k := range m.Keys() {
		if list, ok := m[k].([]string); ok {
			for _, v := range list {
				fn(k, v)
			}
			continue
		}
		fn(k, fieldValue(m[k]))
	}
}

// fieldValue is a metadata value as the table "fields" holds it.
func fieldValue(v any) any {
	if b, ok := v.(bool); ok {
		if b {
			return []byte{1}
		}
		return []byte{0}
	}
	return v
}
