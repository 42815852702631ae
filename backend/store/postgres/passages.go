package postgres

import (
	"context"
	"encoding/json"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// placement is the part of corpus.Chunk that no query asks for.
type placement struct {
	Title      string          `json:"title,omitempty"`
	Breadcrumb []string        `json:"breadcrumb,omitempty"`
	Header     string          `json:"header,omitempty"`
	Occurrence int             `json:"occurrence,omitempty"`
	Location   corpus.Location `json:"location"`
	Tokens     int             `json:"tokens"`
}

func encodePlacement(p placement) (string, error) {
	b, err := json.Marshal(p)
	return string(b), err
}

func placementOf(c *corpus.Chunk) placement {
	return placement{Title: c.Title, Breadcrumb: c.Breadcrumb, Header: c.Header, Occurrence: c.Occurrence, Location: c.Location, Tokens: c.Tokens}
}

// chunkColumns are what scanChunk reads.
const chunkColumns = " e.id, e.chunk_index, e.hash, e.metadata, e.content"

// scanChunk reads a passage; one whose record cannot be read is store.Unreadable.
func scanChunk(scan func(...any) error, more ...any) (corpus.Chunk, error) {
	var c corpus.Chunk
	var metadata []byte
	if err := scan(append([]any{&c.ID, &c.Index, &c.Hash, &metadata, &c.Content}, more...)...); err != nil {
		return c, err
	}
	var p placement
	if json.Unmarshal(metadata, &p) != nil {
		p = placement{Occurrence: store.Unreadable}
	}
	c.Title, c.Breadcrumb, c.Header, c.Occurrence, c.Location, c.Tokens = p.Title, p.Breadcrumb, p.Header, p.Occurrence, p.Location, p.Tokens
	return c, nil
}

// Chunks implements store.Reader.
func (r *reader) Chunks(ctx context.Context, generation int64, document corpus.ID) ([]corpus.Chunk, error) {
	var list []corpus.Chunk
	err := r.ask(ctx, "read passages", "SELECT"+chunkColumns+" FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND e.document = $3 ORDER BY e.chunk_index",
		[]any{r.db.tenant, r.generation(generation).ID, document}, func(scan func(...any) error) error {
			c, err := scanChunk(scan)
			list = append(list, c)
			return err
		})
	return list, err
}

// Fetch implements store.Reader.
func (r *reader) Fetch(ctx context.Context, ids []corpus.ID) ([]store.Passage, error) {
	list := make([]store.Passage, 0, len(ids))
	if len(ids) == 0 {
		return list, nil
	}
	found := make(map[corpus.ID]store.Passage, len(ids))
	documents := map[corpus.ID]store.Passage{} // without the chunk
	b := &batch{db: r.db}
	args := []any{r.db.tenant, r.generation(0).ID, ids}
	b.rows("SELECT"+chunkColumns+", e.document FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND e.id = ANY($3)",
		args, func(scan func(...any) error) (err error) {
			var p store.Passage
			p.Chunk, err = scanChunk(scan, &p.Document.ID)
			found[p.ID] = p
			return err
		})
	b.rows("SELECT"+documentColumns+`, m.revision FROM kb_embeddings_documents d
		JOIN kb_embeddings_made m ON m.tenant_id = d.tenant_id AND m.generation = $2 AND m.document = d.id
		WHERE d.tenant_id = $1 AND d.id IN (SELECT e.document FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND e.id = ANY($3))`,
		args, func(scan func(...any) error) (err error) {
			var p store.Passage
			p.Document, err = scanDocument(scan, &p.Revision)
			documents[p.Document.ID] = p
			return err
		})
	if err := r.run(ctx, b); err != nil {
		return nil, wrap("fetch passages", err)
	}
	for _, id := range ids {
		if p, ok := found[id]; ok {
			d := documents[p.Document.ID]
			p.Document, p.Revision = d.Document, d.Revision
			list = append(list, p)
		}
	}
	return list, nil
}

// HaveVectors implements store.Reader.
func (r *reader) HaveVectors(ctx context.Context, space corpus.Space, hashes []corpus.Hash) (map[corpus.Hash]bool, error) {
	have := make(map[corpus.Hash]bool)
	if len(hashes) == 0 || space == (corpus.Space{}) {
		return have, nil
	}
	b := &batch{db: r.db}
	queryVectors(b, codec.SpaceKey(space), hashes, have)
	return have, wrap("look for vectors", r.run(ctx, b))
}

// queryVectors queues the question which inputs have a vector in the space.
func queryVectors(b *batch, space string, hashes []corpus.Hash, have map[corpus.Hash]bool) {
	clear(have)
	b.rows(`SELECT c.hash FROM kb_embeddings_cache c WHERE c.tenant_id = $1 AND c.space = $2 AND c.hash = ANY($3)
		UNION ALL SELECT e.hash FROM kb_embeddings e JOIN kb_embeddings_generations g ON g.tenant_id = e.tenant_id AND g.id = e.generation
			WHERE e.tenant_id = $1 AND g.space = $2 AND e.hash = ANY($3) AND e.dimensions IS NOT NULL`,
		[]any{b.db.tenant, space, hashes}, func(scan func(...any) error) error {
			var h corpus.Hash
			err := scan(&h)
			have[h] = true
			return err
		})
}

// Pending implements store.Reader.
func (r *reader) Pending(ctx context.Context, generation int64, limit int) ([]store.Pending, error) {
	return r.waiting(ctx, generation, limit, "", "m.changed DESC, m.document")
}

// PendingOf implements store.Reader.
func (r *reader) PendingOf(ctx context.Context, generation int64, documents []corpus.ID, limit int) ([]store.Pending, error) {
	if len(documents) == 0 {
		return nil, nil
	}
	return r.waiting(ctx, generation, limit, " AND m.document = ANY($4)", "array_position($4, m.document)", documents)
}

// waiting reads passages that wait for their vectors, one an input.
func (r *reader) waiting(ctx context.Context, generation int64, limit int, condition, order string, more ...any) ([]store.Pending, error) {
	g := r.generation(generation)
	if g.space == "" || limit <= 0 {
		return nil, nil
	}
	// Passages may share an input, so some more are read than are wanted.
	for n := limit + limit/4 + 16; ; n *= 4 {
		list := make([]store.Pending, 0, limit)
		seen := make(map[corpus.Hash]bool, limit)
		read := 0
		if err := r.ask(ctx, "read waiting passages", "SELECT"+chunkColumns+`, m.document FROM kb_embeddings_made m
			JOIN kb_embeddings e ON e.tenant_id = m.tenant_id AND e.generation = m.generation AND e.document = m.document
			WHERE m.tenant_id = $1 AND m.generation = $2 AND m.embedded < m.chunks AND e.dimensions IS NULL`+condition+`
			ORDER BY `+order+", e.chunk_index LIMIT $3", append([]any{r.db.tenant, g.ID, n}, more...), func(scan func(...any) error) error {
			read++
			var p store.Pending
			c, err := scanChunk(scan, &p.Document)
			if err != nil || seen[c.Hash] || len(list) == limit {
				return err
			}
			seen[c.Hash] = true
			p.Hash, p.Input, p.Tokens = c.Hash, c.Input(), c.Tokens
			list = append(list, p)
			return nil
		}); err != nil {
			return nil, err
		}
		if len(list) == limit || read < n {
			return list, nil
		}
	}
}

// Orphans implements store.Reader.
func (r *reader) Orphans(ctx context.Context) ([]corpus.Chunk, error) {
	var list []corpus.Chunk
	err := r.ask(ctx, "look for passages without a document", "SELECT DISTINCT ON (e.document)"+chunkColumns+` FROM kb_embeddings e WHERE e.tenant_id = $1 AND NOT EXISTS (
		SELECT FROM kb_embeddings_documents d WHERE d.tenant_id = $1 AND d.id = e.document) ORDER BY e.document`, []any{r.db.tenant}, func(scan func(...any) error) error {
		c, err := scanChunk(scan)
		list = append(list, c)
		return err
	})
	return list, err
}
