package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// Commit implements store.Writer.
func (r *role) Commit(ctx context.Context, changes ...store.Change) ([]store.Committed, error) {
	if err := store.ValidateChanges(changes); err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return nil, nil
	}
	before := newSnapshot(changes)
	var done []store.Committed
	err := r.write(ctx, "commit documents", before.query, func(w *writeTx, b *batch) (err error) {
		done, err = w.commitAll(b, before, &documentTable{before: before.documents})
		return err
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// commitAll queues the snapshot's changes, and what documents has already.
func (w *writeTx) commitAll(b *batch, before *snapshot, documents *documentTable) ([]store.Committed, error) {
	done := make([]store.Committed, 0, len(before.changes))
	parts := map[int64]*commit{}
	for i := range before.changes {
		c := &before.changes[i]
		x := parts[c.Generation]
		if x == nil {
			g, err := w.generation(c.Generation)
			if err != nil {
				return nil, err
			}
			x = &commit{writeTx: w, generation: g, lexicon: newLexicon(g.ID), have: before.vectors[g.ID], frequencies: map[string]int64{}}
			parts[g.ID] = x
		}
		if err := documents.add(&c.Document, c.From); err != nil {
			return nil, err
		}
		result, err := x.change(c, before.chunks[c.Document.ID])
		if err != nil {
			return nil, fmt.Errorf("document %q: %w", c.Document.Path, err)
		}
		done = append(done, result)
	}
	if len(documents.ids) > 0 {
		w.changed = true
		documents.put(b)
	}
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		parts[id].put(b)
	}
	return done, nil
}

// snapshot is what a commit reads before it decides.
type snapshot struct {
	changes   []store.Change
	ids       []corpus.ID
	hashes    map[int64][]corpus.Hash // by generation
	documents map[corpus.ID]known
	chunks    map[corpus.ID]map[corpus.ID]*stored // by document and passage
	vectors   map[int64]map[corpus.Hash]bool      // by generation: inputs with a vector
}

// stored is a passage as it is before the change.
type stored struct {
	id        corpus.ID
	position  int
	embedded  bool
	length    int
	entry     []byte
	placement []byte
	kept      bool
}

func newSnapshot(changes []store.Change) *snapshot {
	s := &snapshot{
		changes: changes, hashes: map[int64][]corpus.Hash{}, documents: map[corpus.ID]known{},
		chunks: map[corpus.ID]map[corpus.ID]*stored{}, vectors: map[int64]map[corpus.Hash]bool{},
	}
	for i := range changes {
		c := &changes[i]
		s.ids = append(s.ids, c.Document.ID)
		s.vectors[c.Generation] = map[corpus.Hash]bool{}
		for k := range c.Entries {
			s.hashes[c.Generation] = append(s.hashes[c.Generation], c.Entries[k].Chunk.Hash)
		}
	}
	return s
}

func (s *snapshot) query(b *batch) {
	queryDocuments(b, s.ids, s.documents)
	clear(s.chunks)
	documents := map[int64][]corpus.ID{}
	for i := range s.changes {
		documents[s.changes[i].Generation] = append(documents[s.changes[i].Generation], s.changes[i].Document.ID)
	}
	for generation, ids := range documents {
		b.rows("SELECT document, id, chunk_index, dimensions IS NOT NULL, length, entry, metadata FROM kb_embeddings WHERE tenant_id = $1 AND generation = $2 AND document = ANY($3)",
			[]any{b.db.tenant, generation, ids}, func(scan func(...any) error) error {
				var document corpus.ID
				c := &stored{}
				if err := scan(&document, &c.id, &c.position, &c.embedded, &c.length, &c.entry, &c.placement); err != nil {
					return err
				}
				if s.chunks[document] == nil {
					s.chunks[document] = map[corpus.ID]*stored{}
				}
				s.chunks[document][c.id] = c
				return nil
			})
	}
	for generation, hashes := range s.hashes {
		have := s.vectors[generation]
		clear(have)
		b.rows(`SELECT h.hash FROM unnest($3::bytea[]) AS h (hash), kb_embeddings_generations g
			WHERE g.tenant_id = $1 AND g.id = $2 AND g.space <> '' AND (
				EXISTS (SELECT FROM kb_embeddings_cache c WHERE c.tenant_id = $1 AND c.space = g.space AND c.hash = h.hash)
				OR EXISTS (SELECT FROM kb_embeddings e JOIN kb_embeddings_generations o ON o.tenant_id = e.tenant_id AND o.id = e.generation
					WHERE e.tenant_id = $1 AND e.hash = h.hash AND e.dimensions IS NOT NULL AND o.space = g.space))`,
			[]any{b.db.tenant, generation, hashes}, func(scan func(...any) error) error {
				var h corpus.Hash
				err := scan(&h)
				have[h] = true
				return err
			})
	}
}

// commit gathers what a transaction does to one generation.
type commit struct {
	*writeTx
	generation
	lexicon     lexicon
	have        map[corpus.Hash]bool
	frequencies map[string]int64 // growth by term
	chunks      int              // growth of the statistics
	lengths     int64            // growth of the statistics

	added     passageTable
	reindexed passageTable
	moved     passageTable
	terms     termTable

	removed  []corpus.ID // passages
	unterms  []corpus.ID // passages whose terms go
	affected []corpus.ID // documents of these
	made     madeTable
}

// passageTable gathers passages to write.
type passageTable struct {
	ids, documents, sources []corpus.ID
	hashes                  []corpus.Hash
	positions, lengths      []int
	entries, terms          [][]byte
	placements, contents    []string
}

func (t *passageTable) add(d *corpus.Document, e *store.Entry, placement string, digest []byte) {
	t.ids = append(t.ids, e.Chunk.ID)
	t.documents = append(t.documents, d.ID)
	t.sources = append(t.sources, d.Source)
	t.hashes = append(t.hashes, e.Chunk.Hash)
	t.positions = append(t.positions, e.Chunk.Index)
	t.lengths = append(t.lengths, e.Length)
	t.entries = append(t.entries, digest)
	t.terms = append(t.terms, append([]byte{}, e.Terms...))
	t.placements = append(t.placements, placement)
	t.contents = append(t.contents, e.Chunk.Content)
}

// termTable gathers rows of kb_embeddings_lexemes.
type termTable struct {
	ids, documents  []corpus.ID
	lexemes, wholes []string
}

// madeTable gathers what documents are made of.
type madeTable struct {
	documents         []corpus.ID
	revisions         []int64
	recipes, texts    []string
	chunks, embeddeds []int
}

// change replaces the passages of one document: add and update, relocate,
// then remove.
func (x *commit) change(c *store.Change, before map[corpus.ID]*stored) (store.Committed, error) {
	result := store.Committed{Document: c.Document.ID, Revision: c.From + 1}
	embedded := 0
	for i := range c.Entries {
		e := &c.Entries[i]
		placement, err := encodePlacement(placementOf(&e.Chunk))
		if err != nil {
			return result, err
		}
		digest := codec.EntryDigest(e)
		if old := before[e.Chunk.ID]; old != nil {
			old.kept = true
			relocated, err := x.keep(c, old, e, placement, digest)
			if err != nil {
				return result, err
			}
			if relocated {
				result.Relocated++
			} else {
				result.Kept++
			}
			if old.embedded {
				embedded++
			}
			continue
		}
		x.added.add(&c.Document, e, placement, digest)
		if err := x.addTerms(c.Document.ID, e); err != nil {
			return result, err
		}
		x.chunks++
		x.lengths += int64(e.Length)
		result.Added++
		if x.have[e.Chunk.Hash] {
			embedded++
		}
	}
	if x.space != "" {
		result.Missing = len(c.Entries) - embedded
	}
	if c.Strict && result.Missing > 0 {
		return result, fmt.Errorf("%w: %d of %d", store.ErrMissingVectors, result.Missing, len(c.Entries))
	}
	for _, old := range before {
		if old.kept {
			continue
		}
		x.removed = append(x.removed, old.id)
		x.removeTerms(c.Document.ID, old.id)
		x.chunks--
		x.lengths -= int64(old.length)
		result.Removed++
	}
	m := &x.made
	m.documents = append(m.documents, c.Document.ID)
	m.revisions = append(m.revisions, c.From+1)
	m.recipes = append(m.recipes, c.Document.Recipe)
	m.texts = append(m.texts, c.Text)
	m.chunks = append(m.chunks, len(c.Entries))
	m.embeddeds = append(m.embeddeds, embedded)
	return result, nil
}

// keep brings a passage that the document still has up to date and reports
// whether its location changed.
func (x *commit) keep(c *store.Change, old *stored, e *store.Entry, placed string, digest []byte) (relocated bool, err error) {
	var was placement
	if json.Unmarshal(old.placement, &was) != nil {
		was = placement{Occurrence: store.Unreadable}
	}
	before, err := encodePlacement(was)
	if err != nil {
		return false, err
	}
	if placed != before {
		relocated = !reflect.DeepEqual(was.Location, e.Chunk.Location)
	}
	switch {
	case !slices.Equal(digest, old.entry):
		// Same text, other terms: the document's language changed.
		x.reindexed.add(&c.Document, e, placed, digest)
		x.removeTerms(c.Document.ID, old.id)
		x.lengths += int64(e.Length - old.length)
		return relocated, x.addTerms(c.Document.ID, e)
	case placed != before || e.Chunk.Index != old.position:
		x.moved.add(&c.Document, e, placed, digest)
	}
	return relocated, nil
}

func (x *commit) addTerms(document corpus.ID, e *store.Entry) error {
	lexemes, whole, keys, err := x.lexicon.entry(document, e)
	if err != nil {
		return fmt.Errorf("passage %d: %w", e.Chunk.Index, err)
	}
	t := &x.terms
	t.ids = append(t.ids, e.Chunk.ID)
	t.documents = append(t.documents, document)
	t.lexemes = append(t.lexemes, lexemes)
	t.wholes = append(t.wholes, whole)
	for _, k := range keys {
		x.frequencies[k]++
	}
	return nil
}

func (x *commit) removeTerms(document, passage corpus.ID) {
	x.unterms = append(x.unterms, passage)
	if n := len(x.affected); n == 0 || x.affected[n-1] != document {
		x.affected = append(x.affected, document)
	}
}

// put queues the statements.
func (x *commit) put(b *batch) {
	tenant, g := b.db.tenant, x.generation
	if t := &x.moved; len(t.ids) > 0 {
		b.exec(`UPDATE kb_embeddings e SET chunk_index = t.position, metadata = t.placement::jsonb
			FROM unnest($3::uuid[], $4::int[], $5::text[]) AS t (id, position, placement)
			WHERE e.tenant_id = $1 AND e.generation = $2 AND e.id = t.id`, tenant, g.ID, t.ids, t.positions, t.placements)
	}
	if t := &x.reindexed; len(t.ids) > 0 {
		b.exec(`UPDATE kb_embeddings e SET chunk_index = t.position, metadata = t.placement::jsonb, length = t.length, entry = t.entry, terms = t.terms
			FROM unnest($3::uuid[], $4::int[], $5::text[], $6::int[], $7::bytea[], $8::bytea[]) AS t (id, position, placement, length, entry, terms)
			WHERE e.tenant_id = $1 AND e.generation = $2 AND e.id = t.id`, tenant, g.ID, t.ids, t.positions, t.placements, t.lengths, t.entries, t.terms)
	}
	if len(x.unterms) > 0 {
		x.writeTx.removeTerms(b, g, x.lexicon.documents(x.affected), x.unterms)
	}
	if t := &x.added; len(t.ids) > 0 {
		b.exec(`INSERT INTO kb_embeddings (tenant_id, generation, id, document, source, hash, chunk_index, length, entry, terms, metadata, content, embedding, dimensions)
			SELECT $1, $2, t.id, t.document, t.source, t.hash, t.position, t.length, t.entry, t.terms, t.placement::jsonb, t.content,
				v.embedding, CASE WHEN v.embedding IS NOT NULL THEN $3::int END
			FROM unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::bytea[], $8::int[], $9::int[], $10::bytea[], $11::bytea[], $12::text[], $13::text[])
				AS t (id, document, source, hash, position, length, entry, terms, placement, content)
			LEFT JOIN LATERAL (
				(SELECT c.embedding FROM kb_embeddings_cache c WHERE c.tenant_id = $1 AND c.space = $14 AND c.hash = t.hash)
				UNION ALL
				(SELECT e.embedding FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.hash = t.hash AND e.generation = ANY($15) AND e.dimensions IS NOT NULL)
				LIMIT 1) v ON true`,
			tenant, g.ID, g.Space.Dimensions, t.ids, t.documents, t.sources, t.hashes, t.positions, t.lengths, t.entries, t.terms, t.placements, t.contents,
			g.space, x.sameSpace(g.space))
		if len(x.have) > 0 {
			b.exec("DELETE FROM kb_embeddings_cache WHERE tenant_id = $1 AND space = $2 AND hash = ANY($3)", tenant, g.space, slices.Collect(maps.Keys(x.have)))
		}
	}
	x.putTerms(b)
	if len(x.removed) > 0 {
		x.keepVectors(b, g, "e.id = ANY($5)", x.removed)
		b.exec("DELETE FROM kb_embeddings WHERE tenant_id = $1 AND generation = $2 AND id = ANY($3)", tenant, g.ID, x.removed)
	}
	m := &x.made
	b.exec(`INSERT INTO kb_embeddings_texts (tenant_id, document, revision, text)
		SELECT $1, t.document, t.revision, t.text FROM unnest($2::uuid[], $3::bigint[], $4::text[]) AS t (document, revision, text)`,
		tenant, m.documents, m.revisions, m.texts)
	b.exec(`INSERT INTO kb_embeddings_made (tenant_id, generation, document, revision, recipe, chunks, embedded, changed)
		SELECT $1, $2, t.document, t.revision, t.recipe, t.chunks, t.embedded, $3
		FROM unnest($4::uuid[], $5::bigint[], $6::text[], $7::int[], $8::int[]) AS t (document, revision, recipe, chunks, embedded)
		ON CONFLICT (tenant_id, generation, document) DO UPDATE SET revision = excluded.revision, recipe = excluded.recipe,
			chunks = excluded.chunks, embedded = excluded.embedded, changed = excluded.changed`,
		tenant, g.ID, x.revision, m.documents, m.revisions, m.recipes, m.chunks, m.embeddeds)
	b.exec(`DELETE FROM kb_embeddings_texts t WHERE t.tenant_id = $1 AND t.document = ANY($2) AND NOT EXISTS (
		SELECT FROM kb_embeddings_made m WHERE m.tenant_id = $1 AND m.document = t.document AND m.revision = t.revision)`, tenant, m.documents)
}

// putTerms queues the index rows and the statistics.
func (x *commit) putTerms(b *batch) {
	tenant, g, t := b.db.tenant, x.generation, &x.terms
	if len(t.ids) > 0 {
		b.exec(`INSERT INTO kb_embeddings_lexemes (tenant_id, generation, id, document, lexemes, whole)
			SELECT $1, $2, t.id, t.document, t.lexemes::tsvector, nullif(t.whole, '')
			FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]) AS t (id, document, lexemes, whole)`,
			tenant, g.ID, t.ids, t.documents, t.lexemes, t.wholes)
		terms := slices.Sorted(maps.Keys(x.frequencies))
		counts := make([]int64, len(terms))
		for i, term := range terms {
			counts[i] = x.frequencies[term]
		}
		b.exec(`INSERT INTO kb_embeddings_frequencies AS f (tenant_id, generation, term, n)
			SELECT $1, $2, t.term, t.n FROM unnest($3::text[], $4::bigint[]) AS t (term, n)
			ON CONFLICT (tenant_id, generation, term) DO UPDATE SET n = f.n + excluded.n`, tenant, g.ID, terms, counts)
	}
	b.exec("UPDATE kb_embeddings_generations SET chunks = chunks + $3, length = length + $4, indexed = indexed + $5 WHERE tenant_id = $1 AND id = $2",
		tenant, g.ID, x.chunks, x.lengths, len(t.ids))
}
