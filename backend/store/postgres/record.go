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

// known is what a transaction reads of a document before it changes it.
type known struct {
	revision int64
	source   corpus.ID
}

// queryDocuments queues the reading of documents' revisions.
func queryDocuments(b *batch, ids []corpus.ID, into map[corpus.ID]known) {
	clear(into)
	b.rows("SELECT id, revision, source FROM kb_embeddings_documents WHERE tenant_id = $1 AND id = ANY($2)", []any{b.db.tenant, ids}, func(scan func(...any) error) error {
		var id corpus.ID
		var k known
		err := scan(&id, &k.revision, &k.source)
		into[id] = k
		return err
	})
}

// Record implements store.Writer.
func (r *role) Record(ctx context.Context, docs ...corpus.Document) error {
	if err := store.ValidateDocuments(docs); err != nil {
		return err
	}
	if len(docs) == 0 {
		return nil
	}
	ids := make([]corpus.ID, len(docs))
	for i := range docs {
		ids[i] = docs[i].ID
	}
	before := map[corpus.ID]known{}
	return r.write(ctx, "record documents", func(b *batch) { queryDocuments(b, ids, before) }, func(w *writeTx, b *batch) error {
		t := &documentTable{before: before}
		for i := range docs {
			if err := t.add(&docs[i], docs[i].Revision); err != nil {
				return err
			}
		}
		w.changed = true
		t.put(b)
		return nil
	})
}

// documentTable gathers records to write.
type documentTable struct {
	before                                                                                    map[corpus.ID]known
	ids, sources                                                                              []corpus.ID
	contents                                                                                  []corpus.Hash
	paths, types, titles, languages, states, fingerprints, recipes, errors, reports, metadata []string
	revisions, modified, indexed                                                              []int64
	moved                                                                                     []corpus.ID // to another source
}

// add takes a record of a document whose stored revision must be from.
func (t *documentTable) add(d *corpus.Document, from int64) error {
	k := t.before[d.ID]
	if k.revision != from {
		return fmt.Errorf("document %q: %w: revision %d, not %d", d.Path, corpus.ErrStale, k.revision, from)
	}
	c, err := codec.EncodeDocument(d)
	if err != nil {
		return fmt.Errorf("document %q: %w", d.Path, err)
	}
	if from > 0 && k.source != d.Source {
		t.moved = append(t.moved, d.ID)
	}
	t.fingerprints = append(t.fingerprints, string(c.Fingerprint))
	t.reports = append(t.reports, string(c.Report))
	t.metadata = append(t.metadata, string(c.Metadata))
	t.ids = append(t.ids, d.ID)
	t.sources = append(t.sources, d.Source)
	t.contents = append(t.contents, d.Content)
	t.paths = append(t.paths, d.Path)
	t.types = append(t.types, d.Type)
	t.titles = append(t.titles, d.Title)
	t.languages = append(t.languages, d.Language)
	t.states = append(t.states, string(d.State))
	t.recipes = append(t.recipes, d.Recipe)
	t.errors = append(t.errors, d.Error)
	t.revisions = append(t.revisions, from+1)
	t.modified = append(t.modified, codec.Modified(d.Fingerprint))
	t.indexed = append(t.indexed, c.IndexedAt)
	return nil
}

func (t *documentTable) put(b *batch) {
	b.exec(`INSERT INTO kb_embeddings_documents (tenant_id, id, source, content, path, type, title, language, state, fingerprint, recipe, error, report, metadata,
			revision, modified, indexed)
		SELECT $1, t.id, t.source, t.content, t.path, t.type, t.title, t.language, t.state, t.fingerprint, t.recipe, t.error, t.report, t.metadata::jsonb,
			t.revision, t.modified, t.indexed
		FROM unnest($2::uuid[], $3::uuid[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
			$13::text[], $14::text[], $15::bigint[], $16::bigint[], $17::bigint[])
			AS t (id, source, content, path, type, title, language, state, fingerprint, recipe, error, report, metadata, revision, modified, indexed)
		ON CONFLICT (tenant_id, id) DO UPDATE SET source = excluded.source, content = excluded.content, path = excluded.path, type = excluded.type,
			title = excluded.title, language = excluded.language, state = excluded.state, fingerprint = excluded.fingerprint, recipe = excluded.recipe,
			error = excluded.error, report = excluded.report, metadata = excluded.metadata, revision = excluded.revision, modified = excluded.modified,
			indexed = excluded.indexed`,
		b.db.tenant, t.ids, t.sources, t.contents, t.paths, t.types, t.titles, t.languages, t.states, t.fingerprints, t.recipes, t.errors, t.reports, t.metadata,
		t.revisions, t.modified, t.indexed)
	if len(t.moved) > 0 {
		b.exec(`UPDATE kb_embeddings e SET source = d.source FROM kb_embeddings_documents d, kb_embeddings_generations g
			WHERE g.tenant_id = $1 AND d.tenant_id = $1 AND d.id = ANY($2) AND e.tenant_id = $1 AND e.document = d.id AND e.generation = g.id`,
			b.db.tenant, t.moved)
	}
}

// Touch implements store.Writer.
func (r *role) Touch(ctx context.Context, fingerprints map[corpus.ID]corpus.Fingerprint) error {
	if len(fingerprints) == 0 {
		return nil
	}
	var ids []corpus.ID
	var records []string
	var times []int64
	for id, f := range fingerprints {
		j, err := json.Marshal(f)
		if err != nil {
			return fmt.Errorf("touch documents: %w", err)
		}
		ids, records, times = append(ids, id), append(records, string(j)), append(times, codec.Modified(f))
	}
	before := map[corpus.ID]known{}
	return r.write(ctx, "touch documents", func(b *batch) { queryDocuments(b, ids, before) }, func(w *writeTx, b *batch) error {
		w.changed = len(before) > 0
		b.exec(`UPDATE kb_embeddings_documents d SET fingerprint = t.fingerprint, modified = t.modified
			FROM unnest($2::uuid[], $3::text[], $4::bigint[]) AS t (id, fingerprint, modified) WHERE d.tenant_id = $1 AND d.id = t.id`,
			r.db.tenant, ids, records, times)
		return nil
	})
}

// Remove implements store.Writer.
func (r *role) Remove(ctx context.Context, refs ...store.Ref) error {
	if len(refs) == 0 {
		return nil
	}
	ids := make([]corpus.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.Document
	}
	before := map[corpus.ID]known{}
	return r.write(ctx, "remove documents", func(b *batch) { queryDocuments(b, ids, before) }, func(w *writeTx, b *batch) error {
		gone, err := removable(refs, before)
		w.removeDocuments(b, gone, false)
		return err
	})
}

// RemoveSource implements store.Writer.
func (r *role) RemoveSource(ctx context.Context, source corpus.ID, purge bool, events ...store.Event) error {
	if err := store.ValidateEvents(events); err != nil {
		return err
	}
	var ids []corpus.ID
	exists := false
	return r.write(ctx, "remove source", func(b *batch) {
		ids, exists = nil, false
		b.row("SELECT true FROM kb_embeddings_sources WHERE tenant_id = $1 AND id = $2", []any{r.db.tenant, source}, &exists)
		b.rows("SELECT id FROM kb_embeddings_documents WHERE tenant_id = $1 AND source = $2", []any{r.db.tenant, source}, func(scan func(...any) error) error {
			var id corpus.ID
			err := scan(&id)
			ids = append(ids, id)
			return err
		})
	}, func(w *writeTx, b *batch) error {
		w.removeDocuments(b, ids, purge)
		w.changed = w.changed || exists
		b.exec("DELETE FROM kb_embeddings_sources WHERE tenant_id = $1 AND id = $2", r.db.tenant, source)
		b.exec("DELETE FROM kb_embeddings_tallies WHERE tenant_id = $1 AND source = $2", r.db.tenant, source)
		return putEvents(b, events)
	})
}

// removed bounds the documents that one statement removes.
const removed = 1000

// removeDocuments deletes documents with all that is derived from them; purge
// also their cached vectors.
func (w *writeTx) removeDocuments(b *batch, ids []corpus.ID, purge bool) {
	tenant := b.db.tenant
	for part := range slices.Chunk(ids, removed) {
		w.changed = true
		for _, g := range w.generations {
			w.removeTerms(b, g, newLexicon(g.ID).documents(part), nil)
			if !purge {
				w.keepVectors(b, g, "e.document = ANY($5)", part)
			}
			b.exec(`UPDATE kb_embeddings_generations g SET chunks = g.chunks - s.chunks, length = g.length - s.length
				FROM (SELECT count(*) AS chunks, coalesce(sum(length), 0) AS length FROM kb_embeddings WHERE tenant_id = $1 AND generation = $2 AND document = ANY($3)) s
				WHERE g.tenant_id = $1 AND g.id = $2`, tenant, g.ID, part)
			if purge {
				b.exec(`DELETE FROM kb_embeddings_cache c USING kb_embeddings e
					WHERE c.tenant_id = $1 AND c.hash = e.hash AND e.tenant_id = $1 AND e.generation = $2 AND e.document = ANY($3)`, tenant, g.ID, part)
			}
			b.exec("DELETE FROM kb_embeddings WHERE tenant_id = $1 AND generation = $2 AND document = ANY($3)", tenant, g.ID, part)
		}
		b.exec("DELETE FROM kb_embeddings_documents WHERE tenant_id = $1 AND id = ANY($2)", tenant, part) // with texts and made
	}
}

// removeTerms deletes the rows of kb_embeddings_lexemes that the query finds,
// of these only the passages given if any are, and counts their terms out.
func (w *writeTx) removeTerms(b *batch, g generation, query string, passages []corpus.ID) {
	x := newLexicon(g.ID)
	b.exec("SELECT set_config('ibid.query', $1, true)", query)
	b.exec(`WITH gone AS (
			DELETE FROM kb_embeddings_lexemes WHERE tenant_id = $1 AND generation = $2 AND ($3::uuid[] IS NULL OR id = ANY($3)) RETURNING lexemes
		), counted AS (
			UPDATE kb_embeddings_generations SET indexed = indexed - (SELECT count(*) FROM gone) WHERE tenant_id = $1 AND id = $2
		)
		INSERT INTO kb_embeddings_frequencies AS f (tenant_id, generation, term, n)
		SELECT $1, $2, substr(l, $4), -count(*) FROM gone, unnest(tsvector_to_array(lexemes)) l WHERE substr(l, $4, 1) IN ('.', ':') GROUP BY 3
		ON CONFLICT (tenant_id, generation, term) DO UPDATE SET n = f.n + excluded.n`, b.db.tenant, g.ID, passages, len(x.prefix)+1)
}

// keepVectors puts the vectors of passages that are about to be deleted into
// the cache, unless another passage has them. which is a condition on e, $5.
func (w *writeTx) keepVectors(b *batch, g generation, which string, ids []corpus.ID) {
	if g.space == "" {
		return
	}
	b.exec(`INSERT INTO kb_embeddings_cache (tenant_id, space, hash, embedding)
		SELECT DISTINCT ON (e.hash) $1::uuid, $2, e.hash, e.embedding FROM kb_embeddings e
		WHERE e.tenant_id = $1 AND e.generation = $3 AND e.dimensions IS NOT NULL AND `+which+` AND NOT EXISTS (
			SELECT FROM kb_embeddings o WHERE o.tenant_id = $1 AND o.hash = e.hash AND o.generation = ANY($4) AND o.dimensions IS NOT NULL
				AND NOT (o.generation = $3 AND `+"o"+which[1:]+`))
		ON CONFLICT (tenant_id, space, hash) DO UPDATE SET used_at = excluded.used_at`,
		b.db.tenant, g.space, g.ID, w.sameSpace(g.space), ids)
}
