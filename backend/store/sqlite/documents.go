package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// documentColumns are what scanDocument reads; m is the live generation's made row.
const documentColumns = `
	d.id, d.source, d.path, d.revision, d.content, d.fingerprint, d.type, d.title, d.language, d.metadata,
	d.state, d.error, d.recipe, d.report, d.indexed_at, coalesce(m.chunks, 0), coalesce(m.embedded, 0)`

func scanDocument(scan func(...any) error, more ...any) (corpus.Document, error) {
	var d corpus.Document
	var c codec.Document
	dest := append([]any{
		id(&d.ID), id(&d.Source), &d.Path, &d.Revision, hash(&d.Content), &c.Fingerprint, &d.Type, &d.Title, &d.Language, &c.Metadata,
		&d.State, &d.Error, &d.Recipe, &c.Report, &c.IndexedAt, &d.Chunks, &d.Embedded,
	}, more...)
	if err := scan(dest...); err != nil {
		return d, err
	}
	c.Decode(&d)
	return d, nil
}

// document reads a document. Metadata that cannot be read is what filters have
// of it: an inline document brings it from nowhere else when it is repaired.
func (r *reader) document(ctx context.Context, scan func(...any) error) (corpus.Document, error) {
	d, err := scanDocument(scan)
	if err != nil || !d.Damaged || d.Metadata != nil {
		return d, err
	}
	return d, r.each(ctx, "SELECT f.key, f.value FROM documents d JOIN fields f ON f.document = d.num WHERE d.tenant = ? AND d.id = ? ORDER BY f.key, f.value",
		[]any{r.db.tenant[:], d.ID[:]}, func(scan func(...any) error) error {
			var key string
			var value any
			if err := scan(&key, &value); err != nil {
				return err
			}
			if d.Metadata == nil {
				d.Metadata = corpus.Metadata{}
			}
			addField(d.Metadata, key, value)
			return nil
		})
}

// addField is the reverse of eachField. A list of one text comes back as the
// text, and the order of a list is lost: filters see no difference.
func addField(m corpus.Metadata, key string, value any) {
	switch v := value.(type) {
	case []byte:
		m[key] = bytes.Equal(v, []byte{1})
	case int64:
		m[key] = float64(v)
	case string:
		switch before := m[key].(type) {
		case string:
			m[key] = []string{before, v}
		case []string:
			m[key] = append(before, v)
		default:
			m[key] = v
		}
	default:
		m[key] = v
	}
}

// Documents implements store.Reader.
func (r *reader) Documents(ctx context.Context, source corpus.ID) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		query := "SELECT" + documentColumns + `
			FROM documents d LEFT JOIN made m ON m.generation = ? AND m.document = d.num
			WHERE d.tenant = ?`
		args := []any{r.live, r.db.tenant[:]}
		if !source.IsZero() {
			query += " AND d.source = ?"
			args = append(args, source[:])
		}
		// Not a prepared statement: the caller may use the reader meanwhile.
		rows, err := r.conn.QueryContext(ctx, query+" ORDER BY d.source, d.path, d.num", args...)
		if err != nil {
			yield(corpus.Document{}, wrap("read documents", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			d, err := r.document(ctx, rows.Scan)
			if err != nil {
				yield(corpus.Document{}, wrap("read documents", err))
				return
			}
			if !yield(d, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(corpus.Document{}, wrap("read documents", err))
		}
	}
}

// Paths implements store.Reader: it reads an index alone.
func (r *reader) Paths(ctx context.Context, source corpus.ID, fn func(path string) error) error {
	return wrap("list paths", r.each(ctx, "SELECT path FROM documents WHERE tenant = ? AND source = ? ORDER BY path", []any{r.db.tenant[:], source[:]}, func(scan func(...any) error) error {
		var path string
		if err := scan(&path); err != nil {
			return err
		}
		return fn(path)
	}))
}

// Find implements store.Reader.
func (r *reader) Find(ctx context.Context, w store.Where) ([]corpus.Document, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	var list []corpus.Document
	seen := make(map[corpus.ID]bool)
	find := func(condition string, args ...any) error {
		return r.each(ctx, "SELECT"+documentColumns+`
			FROM documents d LEFT JOIN made m ON m.generation = ? AND m.document = d.num
			WHERE d.tenant = ?`+condition, append([]any{r.live, r.db.tenant[:]}, args...), func(scan func(...any) error) error {
			d, err := r.document(ctx, scan)
			if err == nil && !seen[d.ID] {
				seen[d.ID] = true
				list = append(list, d)
			}
			return err
		})
	}
	for _, document := range w.IDs {
		if err := find(" AND d.id = ?", document[:]); err != nil {
			return nil, wrap("find documents", err)
		}
	}
	for _, content := range w.Contents {
		if err := find(" AND d.content = ?", content[:]); err != nil {
			return nil, wrap("find documents", err)
		}
	}
	for source, places := range w.Places {
		for _, p := range places {
			after, before := store.Below(p)
			var err error
			if p == "" {
				err = find(" AND d.source = ?", source[:])
			} else if err = find(" AND d.source = ? AND d.path = ?", source[:], p); err == nil {
				err = find(" AND d.source = ? AND d.path > ? AND d.path < ?", source[:], after, before)
			}
			if err != nil {
				return nil, wrap("find documents", err)
			}
		}
	}
	slices.SortFunc(list, store.ByPlace)
	return list, nil
}

// Document implements store.Reader.
func (r *reader) Document(ctx context.Context, document corpus.ID) (corpus.Document, error) {
	var d corpus.Document
	found := false
	err := r.each(ctx, "SELECT"+documentColumns+`
		FROM documents d LEFT JOIN made m ON m.generation = ? AND m.document = d.num
		WHERE d.tenant = ? AND d.id = ?`, []any{r.live, r.db.tenant[:], document[:]}, func(scan func(...any) error) (err error) {
		found = true
		d, err = r.document(ctx, scan)
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("%w: document %s", corpus.ErrNotFound, document)
	}
	return d, wrap("read document", err)
}
