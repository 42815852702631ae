package postgres

import (
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
	d.state, d.error, d.recipe, d.report, d.indexed, coalesce(m.chunks, 0), coalesce(m.embedded, 0)`

func scanDocument(scan func(...any) error, more ...any) (corpus.Document, error) {
	var d corpus.Document
	var c codec.Document
	dest := append([]any{
		&d.ID, &d.Source, &d.Path, &d.Revision, &d.Content, &c.Fingerprint, &d.Type, &d.Title, &d.Language, &c.Metadata,
		&d.State, &d.Error, &d.Recipe, &c.Report, &c.IndexedAt, &d.Chunks, &d.Embedded,
	}, more...)
	if err := scan(dest...); err != nil {
		return d, err
	}
	c.Decode(&d)
	return d, nil
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

// Paths implements store.Reader.
func (r *reader) Paths(ctx context.Context, source corpus.ID, fn func(path string) error) error {
	return r.ask(ctx, "list paths", "SELECT path FROM kb_embeddings_documents WHERE tenant_id = $1 AND source = $2 ORDER BY path", []any{r.db.tenant, source}, func(scan func(...any) error) error {
		var path string
		if err := scan(&path); err != nil {
			return err
		}
		return fn(path)
	})
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
