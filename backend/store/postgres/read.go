package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// reader is a snapshot of the tenant's library.
type reader struct {
	*tx
	library     corpus.ID
	revision    int64
	generations []generation // the live one first
}

var _ store.Reader = (*reader)(nil)

// View implements store.Store.
func (db *DB) View(ctx context.Context, fn func(store.Reader) error) error {
	leave, err := db.enter()
	if err != nil {
		return err
	}
	defer leave()
	r := &reader{}
	if err := db.patiently(ctx, func() (err error) {
		var minReader int
		r.tx, err = db.begin(ctx, reading, func(b *batch) {
			b.row(`SELECT f.min_reader, l.id, l.revision FROM kb_embeddings_libraries l, kb_embeddings_format f WHERE l.tenant_id = $1`,
				[]any{db.tenant}, &minReader, &r.library, &r.revision)
			queryGenerations(b, &r.generations)
		})
		if err != nil {
			return err
		}
		if err := checkFormat(minReader); err != nil {
			r.rollback(ctx)
			return err
		}
		return nil
	}); err != nil {
		return wrap("view library", err)
	}
	defer r.rollback(ctx)
	return fn(r)
}

// generation resolves 0 and refuses other tenants' generations; the zero value
// means none.
func (r *reader) generation(id int64) generation {
	for _, g := range r.generations {
		if g.ID == id || id == 0 && g.Live {
			return g
		}
	}
	return generation{}
}

// ask runs one query; fn scans each row.
func (r *reader) ask(ctx context.Context, doing, sql string, args []any, fn func(scan func(...any) error) error) error {
	return wrap(doing, r.each(ctx, sql, args, fn))
}

// Info implements store.Reader.
func (r *reader) Info(ctx context.Context) (store.Info, error) {
	info := store.Info{Library: r.library, Revision: r.revision}
	for _, g := range r.generations {
		info.Generations = append(info.Generations, g.Generation)
	}
	slices.SortFunc(info.Generations, func(a, b store.Generation) int { return int(a.ID - b.ID) })
	kept, err := r.kept(ctx, 0)
	info.Count(kept)
	return info, err
}

// Tally implements store.Reader.
func (r *reader) Tally(ctx context.Context, generation int64) (map[corpus.ID]store.Tally, error) {
	kept, err := r.kept(ctx, generation)
	return store.Tallies(kept), err
}

// kept reads the counts of the ledger and of a generation.
func (r *reader) kept(ctx context.Context, generation int64) (list []store.Kept, err error) {
	err = r.ask(ctx, "read counts", `SELECT source, language, CASE generation WHEN 0 THEN documents ELSE 0 END, failed, chunks, embedded
		FROM kb_embeddings_tallies WHERE tenant_id = $1 AND generation IN (0, $2)`, []any{r.db.tenant, r.generation(generation).ID},
		func(scan func(...any) error) error {
			var k store.Kept
			err := scan(&k.Source, &k.Language, &k.Documents, &k.Failed, &k.Chunks, &k.Embedded)
			list = append(list, k)
			return err
		})
	return list, err
}

// rowQueries count what store.RowNames names.
var rowQueries = map[string]string{
	"documents": "SELECT count(*) FROM kb_embeddings_documents WHERE tenant_id = $1",
	"texts":     "SELECT count(*) FROM kb_embeddings_texts WHERE tenant_id = $1",
	"chunks":    "SELECT count(*) FROM kb_embeddings WHERE tenant_id = $1",
	"terms":     "SELECT coalesce(sum(indexed), 0)::bigint FROM kb_embeddings_generations WHERE tenant_id = $1",
	"cached":    "SELECT count(*) FROM kb_embeddings_cache WHERE tenant_id = $1",
	"vectors": `SELECT count(*) FROM (SELECT DISTINCT g.space, e.hash FROM kb_embeddings e JOIN kb_embeddings_generations g ON g.tenant_id = e.tenant_id AND g.id = e.generation
		WHERE e.tenant_id = $1 AND e.dimensions IS NOT NULL) v`,
}

// Rows implements store.Reader.
func (r *reader) Rows(ctx context.Context, names ...string) (map[string]int64, error) {
	names = store.Named(names)
	counts := make([]int64, len(names))
	b := &batch{db: r.db}
	for i, name := range names {
		query, ok := rowQueries[name]
		if !ok {
			return nil, fmt.Errorf("count rows: %w: there are no %q", corpus.ErrInvalid, name)
		}
		b.row(query, []any{r.db.tenant}, &counts[i])
	}
	if err := r.run(ctx, b); err != nil {
		return nil, wrap("count rows", err)
	}
	rows := make(map[string]int64)
	for i, name := range names {
		rows[name] = counts[i]
	}
	return rows, nil
}

// Sources implements store.Reader.
func (r *reader) Sources(ctx context.Context) ([]corpus.Source, error) {
	var list []corpus.Source
	err := r.ask(ctx, "read sources", "SELECT record FROM kb_embeddings_sources WHERE tenant_id = $1 ORDER BY created_at, id", []any{r.db.tenant},
		func(scan func(...any) error) error {
			var record string
			if err := scan(&record); err != nil {
				return err
			}
			var s corpus.Source
			err := json.Unmarshal([]byte(record), &s)
			list = append(list, s)
			return err
		})
	return list, err
}

// Text implements store.Reader.
func (r *reader) Text(ctx context.Context, generation int64, document corpus.ID) (text string, revision int64, err error) {
	err = r.ask(ctx, "read text", `SELECT t.text, t.revision FROM kb_embeddings_made m
		JOIN kb_embeddings_texts t ON t.tenant_id = m.tenant_id AND t.document = m.document AND t.revision = m.revision
		WHERE m.tenant_id = $1 AND m.generation = $2 AND m.document = $3`,
		[]any{r.db.tenant, r.generation(generation).ID, document}, func(scan func(...any) error) error { return scan(&text, &revision) })
	if err == nil && revision == 0 {
		err = fmt.Errorf("read text: %w: document %s has none", corpus.ErrNotFound, document)
	}
	return text, revision, err
}

// Recipes implements store.Reader.
func (r *reader) Recipes(ctx context.Context, generation int64) (map[corpus.ID]store.Made, error) {
	return r.recipes(ctx, recipeQuery, r.generation(generation).ID)
}

// RecipesOf implements store.Reader.
func (r *reader) RecipesOf(ctx context.Context, generation int64, documents []corpus.ID) (map[corpus.ID]store.Made, error) {
	if len(documents) == 0 {
		return map[corpus.ID]store.Made{}, nil
	}
	return r.recipes(ctx, recipeQuery+" AND document = ANY($3)", r.generation(generation).ID, documents)
}

const recipeQuery = "SELECT document, revision, recipe, chunks, embedded FROM kb_embeddings_made WHERE tenant_id = $1 AND generation = $2"

func (r *reader) recipes(ctx context.Context, query string, args ...any) (map[corpus.ID]store.Made, error) {
	recipes := make(map[corpus.ID]store.Made)
	err := r.ask(ctx, "read recipes", query, append([]any{r.db.tenant}, args...), func(scan func(...any) error) error {
		var document corpus.ID
		var m store.Made
		err := scan(&document, &m.Revision, &m.Recipe, &m.Chunks, &m.Embedded)
		recipes[document] = m
		return err
	})
	return recipes, err
}

// Runs implements store.Reader.
func (r *reader) Runs(ctx context.Context, limit int) ([]store.Run, error) {
	var list []store.Run
	err := r.ask(ctx, "read runs", `SELECT id, kind, state, started_at, finished_at, summary FROM kb_embeddings_runs
		WHERE tenant_id = $1 ORDER BY started_at DESC, id LIMIT $2`, []any{r.db.tenant, max(0, limit)}, func(scan func(...any) error) error {
		var run store.Run
		var started int64
		var finished *int64
		err := scan(&run.ID, &run.Kind, &run.State, &started, &finished, &run.Summary)
		run.StartedAt, run.FinishedAt = codec.Time(started), codec.MaybeTime(finished)
		list = append(list, run)
		return err
	})
	return list, err
}
