package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// generation is a store.Generation with what the tables know of it. The zero
// value is no generation.
type generation struct {
	store.Generation
	space  string // as the tables have it, "": keywords only
	chunks int    // statistics for BM25
	length int64
}

const generationColumns = " g.id, g.space, g.analyzer, g.live, g.created_at, g.chunks, g.length"

func scanGeneration(scan func(...any) error) (generation, error) {
	var g generation
	var created int64
	if err := scan(&g.ID, &g.space, &g.Analyzer, &g.Live, &created, &g.chunks, &g.length); err != nil {
		return g, err
	}
	g.CreatedAt = codec.Time(created)
	if g.space == "" {
		return g, nil
	}
	return g, json.Unmarshal([]byte(g.space), &g.Space)
}

// queryGenerations queues the reading of the tenant's generations, the live one first.
func queryGenerations(b *batch, into *[]generation) {
	*into = nil
	b.rows("SELECT"+generationColumns+" FROM kb_embeddings_generations g WHERE g.tenant_id = $1 ORDER BY g.live DESC, g.id",
		[]any{b.db.tenant}, func(scan func(...any) error) error {
			g, err := scanGeneration(scan)
			*into = append(*into, g)
			return err
		})
}

// Build implements store.Writer.
func (r *role) Build(ctx context.Context, space corpus.Space, analyzer string) (store.Generation, error) {
	if space.Dimensions < 0 || space.Dimensions > MaxDimensions {
		return store.Generation{}, fmt.Errorf("build generation: %w: space %q has %d dimensions, at most %d", corpus.ErrLimit, space, space.Dimensions, MaxDimensions)
	}
	if space != (corpus.Space{}) && space.Dimensions == 0 {
		return store.Generation{}, fmt.Errorf("build generation: %w: space %q has no dimensions", corpus.ErrInvalid, space)
	}
	var result store.Generation
	var empty bool
	err := r.write(ctx, "build generation", func(b *batch) {
		b.row("SELECT NOT EXISTS (SELECT FROM kb_embeddings_documents WHERE tenant_id = $1)", []any{r.db.tenant}, &empty)
	}, func(w *writeTx, b *batch) error {
		result = store.Generation{}
		live := false
		for _, g := range w.generations { // the live one first
			switch {
			case result.ID == 0 && g.Space == space && g.Analyzer == analyzer:
				result = g.Generation
				live = live || g.Live
			case !g.Live || empty:
				w.dropGeneration(b, g)
			default:
				live = true
			}
		}
		if result.ID != 0 {
			return nil
		}
		w.changed = true
		result = store.Generation{Space: space, Analyzer: analyzer, Live: !live, CreatedAt: codec.Time(w.now)}
		b.row("INSERT INTO kb_embeddings_generations (tenant_id, space, analyzer, live, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING id",
			[]any{r.db.tenant, codec.SpaceKey(space), analyzer, result.Live, w.now}, &result.ID)
		return w.flush(ctx, b) // the number must be known before the commit
	})
	if err != nil {
		return store.Generation{}, err
	}
	if space.Dimensions > 0 {
		r.db.ensureIndex(ctx, space.Dimensions)
	}
	return result, nil
}

// Switch implements store.Writer.
func (r *role) Switch(ctx context.Context, id int64) error {
	return r.write(ctx, "switch generation", nil, func(w *writeTx, b *batch) error {
		next, err := w.generation(id)
		if err != nil || next.Live {
			return err
		}
		for _, g := range w.generations {
			if g.Live {
				w.dropGeneration(b, g)
			}
		}
		w.changed = true
		b.exec("UPDATE kb_embeddings_generations SET live = true WHERE tenant_id = $1 AND id = $2", r.db.tenant, id)
		return nil
	})
}

// generation returns the tenant's generation or corpus.ErrNotFound.
func (w *writeTx) generation(id int64) (generation, error) {
	for _, g := range w.generations {
		if g.ID == id {
			return g, nil
		}
	}
	return generation{}, fmt.Errorf("%w: generation %d", corpus.ErrNotFound, id)
}

// sameSpace returns the generations whose vectors are of one space.
func (w *writeTx) sameSpace(space string) (ids []int64) {
	for _, g := range w.generations {
		if g.space == space && space != "" {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// dropGeneration deletes a generation and all that is only of it. Its vectors
// go into the cache.
func (w *writeTx) dropGeneration(b *batch, g generation) {
	w.changed = true
	tenant := b.db.tenant
	b.exec(`INSERT INTO kb_embeddings_cache (tenant_id, space, hash, embedding)
		SELECT DISTINCT ON (e.hash) $1::uuid, $2, e.hash, e.embedding FROM kb_embeddings e
		WHERE e.tenant_id = $1 AND e.generation = $3 AND e.embedding IS NOT NULL AND NOT EXISTS (
			SELECT FROM kb_embeddings o WHERE o.tenant_id = $1 AND o.hash = e.hash AND o.generation = ANY($4) AND o.generation <> $3 AND o.embedding IS NOT NULL)
		ON CONFLICT DO NOTHING`, tenant, g.space, g.ID, w.sameSpace(g.space))
	b.exec("SELECT set_config('ibid.query', $1, true)", newLexicon(g.ID).all())
	b.exec("DELETE FROM kb_embeddings_lexemes WHERE tenant_id = $1 AND generation = $2", tenant, g.ID)
	for _, table := range []string{"kb_embeddings", "kb_embeddings_frequencies", "kb_embeddings_made", "kb_embeddings_tallies"} {
		b.exec("DELETE FROM "+table+" WHERE tenant_id = $1 AND generation = $2", tenant, g.ID)
	}
	b.exec("DELETE FROM kb_embeddings_generations WHERE tenant_id = $1 AND id = $2", tenant, g.ID)
	b.exec(`DELETE FROM kb_embeddings_texts t WHERE t.tenant_id = $1 AND NOT EXISTS (
		SELECT FROM kb_embeddings_made m WHERE m.tenant_id = $1 AND m.document = t.document AND m.revision = t.revision)`, tenant)
}

// Index returns the statement that makes the HNSW index for vectors of so many
// dimensions, "" if pgvector has none for them.
func Index(table string, dimensions int) string {
	kind := indexType(dimensions)
	if kind == "" {
		return ""
	}
	n := strconv.Itoa(dimensions)
	return "CREATE INDEX IF NOT EXISTS " + table + "_hnsw_" + n + " ON " + table + " USING hnsw ((embedding::" + kind + "(" + n + ")) " + kind +
		"_cosine_ops) WITH (m = 16, ef_construction = 64) WHERE dimensions = " + n
}

// indexType is the type that vectors of so many dimensions are indexed as.
func indexType(dimensions int) string {
	switch {
	case dimensions <= 2000:
		return typeVector
	case dimensions <= 4000:
		return "halfvec"
	}
	return ""
}

// ensureIndex makes the HNSW index for so many dimensions. Without it vector
// searches are exact scans: slower, not wrong; so failures are only told.
func (db *DB) ensureIndex(ctx context.Context, dimensions int) {
	if _, done := db.indexed.Load(dimensions); done || !db.vectors {
		return
	}
	statement := Index(db.table, dimensions)
	if statement == "" {
		db.log.Warn("there is no index for so many dimensions: every vector search reads all vectors", "dimensions", dimensions)
		db.indexed.Store(dimensions, true)
		return
	}
	exists := false
	name := db.table + "_hnsw_" + strconv.Itoa(dimensions)
	err := db.read(ctx, func(b *batch) { b.row("SELECT to_regclass($1) IS NOT NULL", []any{name}, &exists) })
	if err == nil && !exists && !db.manages {
		db.log.Warn("vector index is missing", "statement", statement)
	}
	if err == nil && !exists && db.manages {
		err = db.transact(ctx, func(b *batch) {
			b.exec("SELECT pg_advisory_xact_lock(hashtext($1))", name) // IF NOT EXISTS alone is a race
			b.exec(statement)
		})
	}
	if err != nil {
		db.log.Warn("vector index was not made", "dimensions", dimensions, "error", err)
		return
	}
	db.indexed.Store(dimensions, true)
}
