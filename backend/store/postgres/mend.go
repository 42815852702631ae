package postgres

import (
	"context"
	"fmt"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// Distrust implements store.Writer.
func (r *role) Distrust(ctx context.Context, recipes map[corpus.ID]string) error {
	if len(recipes) == 0 {
		return nil
	}
	var ids []corpus.ID
	var texts []string
	for id, recipe := range recipes {
		ids, texts = append(ids, id), append(texts, recipe)
	}
	return r.write(ctx, "distrust documents", nil, func(w *writeTx, b *batch) error {
		w.changed = true
		b.exec(`UPDATE kb_embeddings_made m SET recipe = t.recipe FROM unnest($2::uuid[], $3::text[]) AS t (id, recipe)
			WHERE m.tenant_id = $1 AND m.document = t.id`, r.db.tenant, ids, texts)
		return nil
	})
}

// Mend implements store.Writer. It is one transaction, so that readers see the
// library as it was until all is right.
func (r *role) Mend(ctx context.Context, a store.Audit, forget ...corpus.ID) error {
	return r.write(ctx, "mend library", nil, func(w *writeTx, b *batch) error {
		w.changed = true
		x := &mending{writeTx: w, audit: &audit{tx: w.tx, Audit: a, generations: w.generations, report: func(store.Finding) {}}}
		return x.run(ctx, b, forget)
	})
}

// MendFile implements store.Writer: the files are the server's.
func (r *role) MendFile(context.Context) error { return nil }

// mending repairs what an audit finds in the state of its transaction.
type mending struct {
	*writeTx
	audit *audit
}

func (x *mending) run(ctx context.Context, b *batch, forget []corpus.ID) error {
	tenant := x.db.tenant
	var unowned []corpus.ID
	if err := x.each(ctx, sourceless, []any{tenant}, func(scan func(...any) error) error {
		var id corpus.ID
		err := scan(&id)
		unowned = append(unowned, id)
		return err
	}); err != nil {
		return err
	}
	if err := x.do(ctx, func(b *batch) {
		b.exec("SELECT set_config('enable_seqscan', 'off', true)")
		x.dropPassages(b, orphaned)
		x.dropPassages(b, stray[0].where)
		for _, s := range stray[1:] {
			b.exec("DELETE FROM "+s.table+" t WHERE "+s.where, tenant)
		}
		x.forget(b, forget)
	}); err != nil {
		return err
	}
	for _, g := range x.generations {
		if err := x.generation(ctx, g); err != nil {
			return fmt.Errorf("generation %d: %w", g.ID, err)
		}
	}
	if err := x.do(ctx, func(b *batch) {
		b.exec("DELETE FROM kb_embeddings_tallies WHERE tenant_id = $1", tenant)
		b.exec("INSERT INTO kb_embeddings_tallies (tenant_id, generation, source, language, documents, failed, chunks, embedded) "+retally, tenant)
	}); err != nil {
		return err
	}
	x.removeDocuments(b, unowned, false) // last, since it relies on all that was mended
	return nil
}

// dropPassages deletes passages t; their vectors go into the cache.
func (x *mending) dropPassages(b *batch, where string, more ...any) {
	args := append([]any{x.db.tenant}, more...)
	b.exec(`INSERT INTO kb_embeddings_cache (tenant_id, space, hash, embedding)
		SELECT DISTINCT ON (g.space, t.hash) $1::uuid, g.space, t.hash, t.embedding FROM kb_embeddings t
		JOIN kb_embeddings_generations g ON g.tenant_id = $1 AND g.id = t.generation AND g.space <> ''
		WHERE t.embedding IS NOT NULL AND `+where+" ON CONFLICT DO NOTHING", args...)
	b.exec("DELETE FROM kb_embeddings t WHERE "+where, args...)
}

// forget deletes the vectors of documents' passages. It is done with all
// generations before any of them settles who has a vector: one's passages have
// theirs by the inputs of another.
func (x *mending) forget(b *batch, documents []corpus.ID) {
	if len(documents) == 0 {
		return
	}
	tenant := x.db.tenant
	const hashes = "(SELECT f.hash FROM kb_embeddings f WHERE f.tenant_id = $1 AND f.generation = $2 AND f.document = ANY($3))"
	for _, g := range x.generations {
		b.exec("DELETE FROM kb_embeddings_cache WHERE tenant_id = $1 AND space = $4 AND hash IN "+hashes, tenant, g.ID, documents, g.space)
		b.exec("UPDATE kb_embeddings SET embedding = NULL, dimensions = NULL WHERE tenant_id = $1 AND generation = ANY($4) AND hash IN "+hashes,
			tenant, g.ID, documents, x.audit.sameSpace(g))
	}
}

func (x *mending) generation(ctx context.Context, g generation) error {
	tenant := x.db.tenant
	parts, err := x.audit.made(ctx, g)
	if err != nil {
		return err
	}
	altered, err := x.audit.index(ctx, g, parts)
	if err != nil {
		return err
	}
	if err := x.do(ctx, func(b *batch) {
		if len(altered) > 0 {
			x.dropPassages(b, "t.tenant_id = $1 AND t.generation = $2 AND t.id = ANY($3)", g.ID, altered)
		}
		x.settleVectors(b, g)
	}); err != nil {
		return err
	}
	if err := x.reindex(ctx, g, parts); err != nil {
		return err
	}
	lexicon := newLexicon(g.ID)
	return x.do(ctx, func(b *batch) {
		b.exec("SELECT set_config('ibid.query', $1, true)", lexicon.all())
		b.exec("DELETE FROM kb_embeddings_frequencies WHERE tenant_id = $1 AND generation = $2", tenant, g.ID)
		b.exec("INSERT INTO kb_embeddings_frequencies (tenant_id, generation, term, n) SELECT $1, $2, a.term, a.n FROM ("+recount+") a", tenant, g.ID, len(lexicon.prefix)+1)
		b.exec(`UPDATE kb_embeddings_generations SET
				(chunks, length) = (SELECT count(*), coalesce(sum(length), 0) FROM kb_embeddings WHERE tenant_id = $1 AND generation = $2),
				indexed = (SELECT count(*) FROM kb_embeddings_lexemes WHERE tenant_id = $1 AND generation = $2)
			WHERE tenant_id = $1 AND id = $2`, tenant, g.ID)
	})
}

// settleVectors makes passages and vectors agree on who has one.
func (x *mending) settleVectors(b *batch, g generation) {
	tenant, same := x.db.tenant, x.audit.sameSpace(g)
	if g.space != "" {
		b.exec("UPDATE kb_embeddings e SET dimensions = $3 WHERE e.tenant_id = $1 AND e.generation = $2 AND e.dimensions IS DISTINCT FROM $3 AND cardinality(e.embedding::real[]) = $3",
			tenant, g.ID, g.Space.Dimensions)
	}
	b.exec("UPDATE kb_embeddings e SET embedding = NULL, dimensions = NULL WHERE e.tenant_id = $1 AND e.generation = $2 AND ("+vectorWrong+")", tenant, g.ID, g.Space.Dimensions)
	if g.space != "" {
		b.exec(`UPDATE kb_embeddings e SET embedding = v.embedding, dimensions = $3 FROM (
				SELECT DISTINCT ON (a.hash) a.hash, a.embedding FROM (
					SELECT c.hash, c.embedding FROM kb_embeddings_cache c WHERE c.tenant_id = $1 AND c.space = $4 AND cardinality(c.embedding::real[]) = $3
					UNION ALL SELECT o.hash, o.embedding FROM kb_embeddings o WHERE o.tenant_id = $1 AND o.generation = ANY($5) AND o.dimensions IS NOT NULL) a) v
			WHERE e.tenant_id = $1 AND e.generation = $2 AND e.dimensions IS NULL AND v.hash = e.hash`, tenant, g.ID, g.Space.Dimensions, g.space, same)
		b.exec(`DELETE FROM kb_embeddings_cache c WHERE c.tenant_id = $1 AND c.space = $2 AND (cardinality(c.embedding::real[]) <> $4 OR EXISTS (
			SELECT FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.hash = c.hash AND e.generation = ANY($3) AND e.dimensions IS NOT NULL))`, tenant, g.space, same, g.Space.Dimensions)
	}
	b.exec(`UPDATE kb_embeddings_made m SET embedded = (SELECT count(e.dimensions) FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND e.document = m.document)
		WHERE m.tenant_id = $1 AND m.generation = $2`, tenant, g.ID)
}

// reindex gives passages that are indexed wrongly the terms that they have.
// Where the generation's analyzer is another, they can be given none: they go,
// and Commit brings them back.
func (x *mending) reindex(ctx context.Context, g generation, parts []part) error {
	tenant := x.db.tenant
	lexicon := newLexicon(g.ID)
	if err := x.do(ctx, func(b *batch) {
		b.exec("SELECT set_config('ibid.query', $1, true)", lexicon.all())
		b.exec(`DELETE FROM kb_embeddings_lexemes l WHERE l.tenant_id = $1 AND l.generation = $2 AND NOT EXISTS (
			SELECT FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND e.id = l.id)`, tenant, g.ID)
	}); err != nil {
		return err
	}
	return x.audit.pages(ctx, g, parts, func(page []auditChunk) error {
		var ids, documents []corpus.ID
		var lexemes, wholes []string
		var lengths []int
		var entries, terms [][]byte
		for i := range page {
			c := &page[i]
			if c.wrong == "" {
				continue
			}
			ids = append(ids, c.ID)
			if !slices.Contains(documents, c.document) {
				documents = append(documents, c.document)
			}
			text, whole, _, err := lexicon.entry(c.document, &c.want)
			if err != nil {
				return err
			}
			lexemes, wholes = append(lexemes, text), append(wholes, whole)
			lengths, entries = append(lengths, c.want.Length), append(entries, codec.EntryDigest(&c.want))
			terms = append(terms, append([]byte{}, c.want.Terms...))
		}
		if len(ids) == 0 {
			return nil
		}
		return x.do(ctx, func(b *batch) {
			b.exec("SELECT set_config('ibid.query', $1, true)", lexicon.documents(documents))
			b.exec("DELETE FROM kb_embeddings_lexemes WHERE tenant_id = $1 AND generation = $2 AND id = ANY($3)", tenant, g.ID, ids)
			if !x.audit.Terms(g.Generation) {
				x.dropPassages(b, "t.tenant_id = $1 AND t.generation = $2 AND t.id = ANY($3)", g.ID, ids)
				return
			}
			b.exec(`INSERT INTO kb_embeddings_lexemes (tenant_id, generation, id, document, lexemes, whole)
				SELECT $1, $2, t.id, e.document, t.lexemes::tsvector, nullif(t.whole, '')
				FROM unnest($3::uuid[], $4::text[], $5::text[]) AS t (id, lexemes, whole)
				JOIN kb_embeddings e ON e.tenant_id = $1 AND e.generation = $2 AND e.id = t.id`, tenant, g.ID, ids, lexemes, wholes)
			b.exec(`UPDATE kb_embeddings e SET length = t.length, entry = t.entry, terms = t.terms
				FROM unnest($3::uuid[], $4::int[], $5::bytea[], $6::bytea[]) AS t (id, length, entry, terms)
				WHERE e.tenant_id = $1 AND e.generation = $2 AND e.id = t.id`, tenant, g.ID, ids, lengths, entries, terms)
		})
	})
}
