package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// documentColumns are what scanDocument reads; m is the live generation's made row.
const documentColumns = `
	d.id, d.source, d.path, d.revision, d.content, d.fingerprint, d.type, d.title, d.language, d.metadata,
	d.state, d.error, d.recipe, d.report, d.indexed, coalesce(m.chunks, 0), coalesce(m.embedded, 0)`

func scanDocument(scan func(...any) error, more ...any) (corpus.Document, error) {
	var d corpus.Document
	var fingerprint, report string
	var metadata []byte
	var indexed int64
	dest := append([]any{
		&d.ID, &d.Source, &d.Path, &d.Revision, &d.Content, &fingerprint, &d.Type, &d.Title, &d.Language, &metadata,
		&d.State, &d.Error, &d.Recipe, &report, &indexed, &d.Chunks, &d.Embedded,
	}, more...)
	if err := scan(dest...); err != nil {
		return d, err
	}
	d.IndexedAt = timeOf(indexed)
	if err := json.Unmarshal([]byte(fingerprint), &d.Fingerprint); err != nil {
		return d, err
	}
	if err := json.Unmarshal([]byte(report), &d.Report); err != nil {
		return d, err
	}
	var err error
	d.Metadata, err = decodeMetadata(metadata)
	return d, err
}

// timeOf is the reverse of microseconds; the zero time stays zero.
func timeOf(micro int64) time.Time {
	if micro == zeroTime {
		return time.Time{}
	}
	return time.UnixMicro(micro).UTC()
}

var zeroTime = time.Time{}.UnixMicro()

// decodeMetadata reads what json.Marshal made of a corpus.Metadata: lists come
// back as []string.
func decodeMetadata(b []byte) (corpus.Metadata, error) {
	var m corpus.Metadata
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	for k, v := range m {
		list, ok := v.([]any)
		if !ok {
			continue
		}
		texts := make([]string, len(list))
		for i, x := range list {
			if texts[i], ok = x.(string); !ok {
				return nil, fmt.Errorf("metadata %q holds a %T", k, x)
			}
		}
		m[k] = texts
	}
	return m, nil
}

// page is how many documents are read at a time: a connection has one query
// open at a time, and the caller may use the reader meanwhile.
const page = 500

// Documents implements store.Reader.
func (r *reader) Documents(ctx context.Context, source corpus.ID) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		query := "SELECT" + documentColumns + ` FROM kb_embeddings_documents d
			LEFT JOIN kb_embeddings_made m ON m.tenant_id = d.tenant_id AND m.generation = $2 AND m.document = d.id
			WHERE d.tenant_id = $1 AND (d.source, d.path, d.id) > ($3, $4, $5)`
		if !source.IsZero() {
			query += " AND d.source = $7"
		}
		query += " ORDER BY d.source, d.path, d.id LIMIT $6"
		var last corpus.Document
		for {
			args := []any{r.db.tenant, r.generation(0).ID, last.Source, last.Path, last.ID, page}
			if !source.IsZero() {
				args = append(args, source)
			}
			list := make([]corpus.Document, 0, page)
			if err := r.ask(ctx, "read documents", query, args, func(scan func(...any) error) error {
				d, err := scanDocument(scan)
				list = append(list, d)
				return err
			}); err != nil {
				yield(corpus.Document{}, err)
				return
			}
			for _, d := range list {
				if !yield(d, nil) {
					return
				}
			}
			if len(list) < page {
				return
			}
			last = list[page-1]
		}
	}
}

// Find implements store.Reader. Each kind of condition is a query of its own,
// so that each has its index.
func (r *reader) Find(ctx context.Context, w store.Where) ([]corpus.Document, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	var list []corpus.Document
	seen := make(map[corpus.ID]bool)
	b := &batch{db: r.db}
	find := func(condition string, args ...any) {
		b.rows("SELECT"+documentColumns+` FROM kb_embeddings_documents d
			LEFT JOIN kb_embeddings_made m ON m.tenant_id = d.tenant_id AND m.generation = $2 AND m.document = d.id
			WHERE d.tenant_id = $1`+condition, append([]any{r.db.tenant, r.generation(0).ID}, args...), func(scan func(...any) error) error {
			d, err := scanDocument(scan)
			if err == nil && !seen[d.ID] {
				seen[d.ID] = true
				list = append(list, d)
			}
			return err
		})
	}
	if len(w.IDs) > 0 {
		find(" AND d.id = ANY($3)", w.IDs)
	}
	if len(w.Contents) > 0 {
		find(" AND d.content = ANY($3)", w.Contents)
	}
	for source, places := range w.Places {
		if slices.Contains(places, "") {
			find(" AND d.source = $3", source)
			continue
		}
		if len(places) > 0 {
			find(" AND d.source = $3 AND d.path = ANY($4)", source, places)
		}
		for _, p := range places {
			after, before := store.Below(p)
			find(" AND d.source = $3 AND d.path > $4 AND d.path < $5", source, after, before)
		}
	}
	if err := r.run(ctx, b); err != nil {
		return nil, wrap("find documents", err)
	}
	slices.SortFunc(list, store.ByPlace)
	return list, nil
}

// Document implements store.Reader.
func (r *reader) Document(ctx context.Context, document corpus.ID) (corpus.Document, error) {
	var d corpus.Document
	found := false
	err := r.ask(ctx, "read document", "SELECT"+documentColumns+` FROM kb_embeddings_documents d
		LEFT JOIN kb_embeddings_made m ON m.tenant_id = d.tenant_id AND m.generation = $2 AND m.document = d.id
		WHERE d.tenant_id = $1 AND d.id = $3`, []any{r.db.tenant, r.generation(0).ID, document}, func(scan func(...any) error) (err error) {
		found = true
		d, err = scanDocument(scan)
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("read document: %w: document %s", corpus.ErrNotFound, document)
	}
	return d, err
}
