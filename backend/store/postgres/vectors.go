package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// PutVectors implements store.Writer.
func (r *role) PutVectors(ctx context.Context, space corpus.Space, vectors map[corpus.Hash][]float32) error {
	if len(vectors) == 0 {
		return nil
	}
	if err := store.ValidateVectors(space, MaxDimensions, vectors); err != nil {
		return fmt.Errorf("put vectors: %w", err)
	}
	hashes := make([]corpus.Hash, 0, len(vectors))
	texts := make([]string, 0, len(vectors))
	for h, v := range vectors {
		hashes, texts = append(hashes, h), append(texts, r.db.vectorText(v))
	}
	tenant, name := r.db.tenant, codec.SpaceKey(space)
	used := map[corpus.Hash]bool{}
	waiting := map[corpus.ID]map[int64]int{} // passages by document and generation
	return r.write(ctx, "put vectors", func(b *batch) {
		clear(used)
		clear(waiting)
		b.rows(`SELECT e.hash, e.document, e.generation, count(*) FILTER (WHERE e.dimensions IS NULL)
			FROM kb_embeddings e JOIN kb_embeddings_generations g ON g.tenant_id = e.tenant_id AND g.id = e.generation
			WHERE e.tenant_id = $1 AND g.space = $2 AND e.hash = ANY($3) GROUP BY 1, 2, 3`, []any{tenant, name, hashes}, func(scan func(...any) error) error {
			var h corpus.Hash
			var document corpus.ID
			var generation int64
			var n int
			err := scan(&h, &document, &generation, &n)
			used[h] = true
			if waiting[document] == nil {
				waiting[document] = map[int64]int{}
			}
			waiting[document][generation] += n
			return err
		})
	}, func(w *writeTx, b *batch) error {
		// A vector is with its passages or, if there are none, in the cache.
		if len(used) > 0 {
			w.changed = true
			b.exec(`UPDATE kb_embeddings e SET embedding = t.embedding::`+r.db.vectorType()+`, dimensions = $3
				FROM unnest($4::bytea[], $5::text[]) AS t (hash, embedding), unnest($2::bigint[]) AS g (id)
				WHERE e.tenant_id = $1 AND e.generation = g.id AND e.hash = t.hash`, tenant, w.sameSpace(name), space.Dimensions, hashes, texts)
			var documents []corpus.ID
			var generations []int64
			var counts []int
			for document, list := range waiting {
				for generation, n := range list {
					documents, generations, counts = append(documents, document), append(generations, generation), append(counts, n)
				}
			}
			b.exec(`UPDATE kb_embeddings_made m SET embedded = m.embedded + t.n
				FROM unnest($2::uuid[], $3::bigint[], $4::int[]) AS t (document, generation, n)
				WHERE m.tenant_id = $1 AND m.generation = t.generation AND m.document = t.document AND t.n > 0`, tenant, documents, generations, counts)
		}
		var freeHashes []corpus.Hash
		var freeTexts []string
		for i, h := range hashes {
			if !used[h] {
				freeHashes, freeTexts = append(freeHashes, h), append(freeTexts, texts[i])
			}
		}
		if len(freeHashes) > 0 {
			b.exec(`INSERT INTO kb_embeddings_cache (tenant_id, space, hash, embedding)
				SELECT $1, $2, t.hash, t.embedding::`+r.db.vectorType()+` FROM unnest($3::bytea[], $4::text[]) AS t (hash, embedding)
				ON CONFLICT (tenant_id, space, hash) DO UPDATE SET embedding = excluded.embedding, used_at = excluded.used_at`,
				tenant, name, freeHashes, freeTexts)
		}
		return nil
	})
}

// Sweep implements store.Writer.
func (r *role) Sweep(ctx context.Context, before time.Time) (int64, error) {
	var deleted int64
	err := r.write(ctx, "sweep library", nil, func(w *writeTx, b *batch) error {
		b.row(`WITH gone AS (DELETE FROM kb_embeddings_cache WHERE tenant_id = $1 AND used_at < $2 RETURNING 1) SELECT count(*) FROM gone`,
			[]any{r.db.tenant, before}, &deleted)
		b.exec("DELETE FROM kb_embeddings_frequencies WHERE tenant_id = $1 AND n = 0", r.db.tenant)
		return w.flush(ctx, b) // the number must be known before the commit
	})
	return deleted, err
}

func (db *DB) vectorType() string {
	if db.vectors {
		return typeVector
	}
	return typeArray
}

// vectorText is a vector as the column's type reads it; every float32 comes
// back as it was.
func (db *DB) vectorText(v []float32) string {
	open, end := byte('['), byte(']')
	if !db.vectors {
		open, end = '{', '}'
	}
	b := make([]byte, 0, 12*len(v))
	for i, x := range v {
		b = append(b, ","...)
		if i == 0 {
			b[0] = open
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, end))
}

// Vectors implements store.Reader.
func (r *reader) Vectors(ctx context.Context, space corpus.Space, hashes []corpus.Hash) (map[corpus.Hash][]float32, error) {
	vectors := make(map[corpus.Hash][]float32, len(hashes))
	if len(hashes) == 0 || space == (corpus.Space{}) {
		return vectors, nil
	}
	var same []int64
	for _, g := range r.generations {
		if g.Space == space {
			same = append(same, g.ID)
		}
	}
	// A row's text is small; the binary form differs between the two types.
	err := r.ask(ctx, "read vectors", `SELECT DISTINCT ON (v.hash) v.hash, v.embedding::real[] FROM (
			SELECT c.hash, c.embedding FROM kb_embeddings_cache c WHERE c.tenant_id = $1 AND c.space = $2 AND c.hash = ANY($3)
			UNION ALL SELECT e.hash, e.embedding FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.hash = ANY($3) AND e.generation = ANY($4) AND e.embedding IS NOT NULL) v`,
		[]any{r.db.tenant, codec.SpaceKey(space), hashes, slices.Concat([]int64{}, same)}, func(scan func(...any) error) error {
			var h corpus.Hash
			var v []float32
			err := scan(&h, &v)
			vectors[h] = v
			return err
		})
	return vectors, err
}
