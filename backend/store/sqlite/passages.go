package sqlite

import (
	"context"
	"encoding/json"
	"errors"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// chunkRecord is the part of corpus.Chunk that no query asks for.
type chunkRecord struct {
	Title      string          `json:"title,omitempty"`
	Breadcrumb []string        `json:"breadcrumb,omitempty"`
	Header     string          `json:"header,omitempty"`
	Occurrence int             `json:"occurrence,omitempty"`
	Location   corpus.Location `json:"location"`
	Tokens     int             `json:"tokens"`
}

func encodeChunk(c *corpus.Chunk) (string, error) {
	b, err := json.Marshal(chunkRecord{Title: c.Title, Breadcrumb: c.Breadcrumb, Header: c.Header, Occurrence: c.Occurrence, Location: c.Location, Tokens: c.Tokens})
	return string(b), err
}

// chunkColumns are what scanChunk reads.
const chunkColumns = " c.id, c.position, c.hash, c.record, c.content"

// scanChunk reads a passage; one whose record cannot be read is store.Unreadable.
func scanChunk(scan func(...any) error, more ...any) (corpus.Chunk, error) {
	var c corpus.Chunk
	var record []byte
	if err := scan(append([]any{id(&c.ID), &c.Index, hash(&c.Hash), &record, &c.Content}, more...)...); err != nil {
		return c, err
	}
	var r chunkRecord
	if json.Unmarshal(record, &r) != nil {
		r = chunkRecord{Occurrence: store.Unreadable}
	}
	c.Title, c.Breadcrumb, c.Header, c.Occurrence, c.Location, c.Tokens = r.Title, r.Breadcrumb, r.Header, r.Occurrence, r.Location, r.Tokens
	return c, nil
}

// Chunks implements store.Reader.
func (r *reader) Chunks(ctx context.Context, generation int64, document corpus.ID) ([]corpus.Chunk, error) {
	g, err := r.generation(ctx, generation)
	if err != nil {
		return nil, wrap("read passages", err)
	}
	var list []corpus.Chunk
	err = r.each(ctx, "SELECT"+chunkColumns+`
		FROM documents d JOIN chunks c ON c.document = d.num AND c.generation = ?
		WHERE d.tenant = ? AND d.id = ? ORDER BY c.position`, []any{g.num, r.db.tenant[:], document[:]}, func(scan func(...any) error) error {
		c, err := scanChunk(scan)
		list = append(list, c)
		return err
	})
	return list, wrap("read passages", err)
}

// Fetch implements store.Reader.
func (r *reader) Fetch(ctx context.Context, ids []corpus.ID) ([]store.Passage, error) {
	t := r.tx
	list := make([]store.Passage, 0, len(ids))
	documents := make(map[int64]store.Passage) // without the chunk
	for _, want := range ids {
		var p store.Passage
		var document int64
		found := false
		err := t.each(ctx, "SELECT"+chunkColumns+", c.document FROM chunks c WHERE c.generation = ? AND c.id = ?",
			[]any{r.live, want[:]}, func(scan func(...any) error) (err error) {
				found = true
				p.Chunk, err = scanChunk(scan, &document)
				return err
			})
		if err != nil {
			return nil, wrap("fetch passages", err)
		}
		if !found {
			continue
		}
		d, ok := documents[document]
		if !ok {
			err := t.each(ctx, "SELECT"+documentColumns+`, m.revision
				FROM documents d JOIN made m ON m.generation = ? AND m.document = d.num WHERE d.num = ?`,
				[]any{r.live, document}, func(scan func(...any) error) (err error) {
					d.Document, err = scanDocument(scan, &d.Revision)
					return err
				})
			if err != nil {
				return nil, wrap("fetch passages", err)
			}
			documents[document] = d
		}
		p.Document, p.Revision = d.Document, d.Revision
		list = append(list, p)
	}
	return list, nil
}

// errEnough ends a query early.
var errEnough = errors.New("enough")

// Pending implements store.Reader.
func (r *reader) Pending(ctx context.Context, generation int64, limit int) ([]store.Pending, error) {
	p, err := r.waiting(ctx, generation, limit)
	if err == nil {
		err = p.read(ctx, "SELECT"+chunkColumns+`, d.id
			FROM made m INDEXED BY made_waiting
			CROSS JOIN documents d ON d.num = m.document
			CROSS JOIN chunks c ON c.document = m.document AND c.generation = m.generation
			WHERE m.generation = ? AND m.embedded < m.chunks AND c.embedded IS NULL
			ORDER BY m.changed DESC, m.document, c.position`, p.generation)
	}
	return p.list, wrap("read waiting passages", err)
}

// PendingOf implements store.Reader.
func (r *reader) PendingOf(ctx context.Context, generation int64, documents []corpus.ID, limit int) ([]store.Pending, error) {
	p, err := r.waiting(ctx, generation, limit)
	for i := 0; i < len(documents) && err == nil; i++ {
		err = p.read(ctx, "SELECT"+chunkColumns+`, d.id
			FROM documents d
			CROSS JOIN made m ON m.document = d.num
			CROSS JOIN chunks c ON c.document = m.document AND c.generation = m.generation
			WHERE d.tenant = ? AND d.id = ? AND m.generation = ? AND m.embedded < m.chunks AND c.embedded IS NULL
			ORDER BY c.position`, r.db.tenant[:], documents[i][:], p.generation)
	}
	return p.list, wrap("read waiting passages", err)
}

// waiting gathers passages that wait for their vectors, one an input.
type waiting struct {
	*reader
	generation int64
	limit      int // 0: there are none
	list       []store.Pending
	seen       map[corpus.Hash]bool
}

func (r *reader) waiting(ctx context.Context, generation int64, limit int) (*waiting, error) {
	g, err := r.generation(ctx, generation)
	if g.space == 0 {
		limit = 0
	}
	return &waiting{reader: r, generation: g.num, limit: max(0, limit), seen: make(map[corpus.Hash]bool)}, err
}

func (p *waiting) read(ctx context.Context, query string, args ...any) error {
	if len(p.list) == p.limit {
		return nil
	}
	err := p.each(ctx, query, args, func(scan func(...any) error) error {
		var document corpus.ID
		c, err := scanChunk(scan, id(&document))
		if err != nil || p.seen[c.Hash] {
			return err
		}
		p.seen[c.Hash] = true
		p.list = append(p.list, store.Pending{Hash: c.Hash, Input: c.Input(), Tokens: c.Tokens, Document: document})
		if len(p.list) == p.limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return err
}
