package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
	"ibid/backend/store/sqlite/postings"
	"ibid/backend/store/sqlite/scan"
)

// Commit implements store.Writer.
func (r *role) Commit(ctx context.Context, changes ...store.Change) ([]store.Committed, error) {
	if err := store.ValidateChanges(changes); err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return nil, nil
	}
	var done []store.Committed
	err := r.write(ctx, "commit documents", func(w *writeTx) (err error) {
		done, err = w.commitAll(ctx, changes)
		return err
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// commitAll commits validated changes.
func (w *writeTx) commitAll(ctx context.Context, changes []store.Change) ([]store.Committed, error) {
	done := make([]store.Committed, 0, len(changes))
	pending := map[int64]*indexChange{}
	for i := range changes {
		c := &changes[i]
		x := pending[c.Generation]
		if x == nil {
			g, err := w.generation(ctx, c.Generation)
			if err != nil {
				return nil, err
			}
			x = &indexChange{generation: g}
			pending[c.Generation] = x
		}
		result, err := w.change(ctx, x, c)
		if err != nil {
			return nil, fmt.Errorf("document %q: %w", c.Document.Path, err)
		}
		done = append(done, result)
	}
	for _, x := range pending {
		if err := w.finish(ctx, x); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// indexChange gathers what a transaction does to a generation's inverted
// index, vector codes and statistics.
type indexChange struct {
	generation
	added   []postings.Entry
	removed []uint64
	chunks  int   // growth of the statistics
	lengths int64 // growth of the statistics

	embedded []scan.Row   // passages that have a vector from now on
	lost     []codedChunk // passages whose code is to die
}

// codedChunk is a passage with the library revision at which it got its vector.
type codedChunk struct {
	num      uint64
	revision int64
}

// finish writes what was gathered.
func (w *writeTx) finish(ctx context.Context, x *indexChange) error {
	if err := w.updateIndex(ctx, x); err != nil {
		return err
	}
	return w.updateCodes(ctx, x)
}

// stored is a passage as it is before the change.
type stored struct {
	num      int64
	embedded *int64
	position int
	length   int
	hash     corpus.Hash
	entry    []byte
	record   []byte
	kept     bool
}

// change replaces the passages of one document: add and update, relocate,
// then remove.
func (w *writeTx) change(ctx context.Context, x *indexChange, c *store.Change) (store.Committed, error) {
	result := store.Committed{Document: c.Document.ID, Revision: c.From + 1}
	document, err := w.putDocument(ctx, &c.Document, c.From)
	if err != nil {
		return result, err
	}
	before, err := w.storedChunks(ctx, x.num, document)
	if err != nil {
		return result, err
	}
	embedded := 0
	for i := range c.Entries {
		e := &c.Entries[i]
		if old := before[e.Chunk.ID]; old != nil {
			old.kept = true
			relocated, err := w.keep(ctx, x, document, old, e)
			if err != nil {
				return result, err
			}
			if relocated {
				result.Relocated++
			} else {
				result.Kept++
			}
			if old.embedded != nil {
				embedded++
			}
			continue
		}
		v, err := w.useVector(ctx, x.space, e.Chunk.Hash)
		if err != nil {
			return result, err
		}
		if v != nil {
			embedded++
		}
		if err := w.addChunk(ctx, x, document, e, v); err != nil {
			return result, err
		}
		result.Added++
	}
	if x.space != 0 {
		result.Missing = len(c.Entries) - embedded
	}
	if c.Strict && result.Missing > 0 {
		return result, fmt.Errorf("%w: %d of %d", store.ErrMissingVectors, result.Missing, len(c.Entries))
	}
	for _, old := range before {
		if old.kept {
			continue
		}
		if err := w.removeChunk(ctx, x, old); err != nil {
			return result, err
		}
		if err := w.unuseVector(ctx, x.space, old); err != nil {
			return result, err
		}
		result.Removed++
	}
	return result, w.putMade(ctx, x.num, document, c, embedded)
}

// putMade records what the passages were made of and stores their text.
func (w *writeTx) putMade(ctx context.Context, generation, document int64, c *store.Change, embedded int) error {
	revision := c.From + 1
	if _, err := w.exec(ctx, "INSERT INTO texts (tenant, document, revision, text) VALUES (?, ?, ?, ?)", w.tenant, document, revision, c.Text); err != nil {
		return err
	}
	if _, err := w.exec(ctx, `
		INSERT INTO made (tenant, generation, document, revision, recipe, chunks, embedded, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (generation, document) DO UPDATE SET revision = excluded.revision, recipe = excluded.recipe,
			chunks = excluded.chunks, embedded = excluded.embedded, changed = excluded.changed`,
		w.tenant, generation, document, revision, c.Document.Recipe, len(c.Entries), embedded, w.revision); err != nil {
		return err
	}
	_, err := w.exec(ctx, "DELETE FROM texts WHERE document = ?1 AND revision NOT IN (SELECT revision FROM made WHERE document = ?1)", document)
	return err
}

func (w *writeTx) storedChunks(ctx context.Context, generation, document int64) (map[corpus.ID]*stored, error) {
	before := map[corpus.ID]*stored{}
	err := w.each(ctx, "SELECT num, embedded, position, id, hash, entry, length, record FROM chunks WHERE document = ? AND generation = ?",
		[]any{document, generation}, func(scan func(...any) error) error {
			var chunk corpus.ID
			s := &stored{}
			if err := scan(&s.num, &s.embedded, &s.position, id(&chunk), hash(&s.hash), &s.entry, &s.length, &s.record); err != nil {
				return err
			}
			before[chunk] = s
			return nil
		})
	return before, err
}

// keep brings a passage that the document still has up to date and reports
// whether its location changed.
func (w *writeTx) keep(ctx context.Context, x *indexChange, document int64, old *stored, e *store.Entry) (relocated bool, err error) {
	record, err := encodeChunk(&e.Chunk)
	if err != nil {
		return false, err
	}
	if record != string(old.record) {
		var was chunkRecord
		err := json.Unmarshal(old.record, &was)
		relocated = err != nil || !reflect.DeepEqual(was.Location, e.Chunk.Location)
	}
	if digest := codec.EntryDigest(e); !bytes.Equal(digest, old.entry) {
		// Same text, other terms (the document's language changed): it is
		// indexed anew under another number and keeps its vector.
		if err := w.removeChunk(ctx, x, old); err != nil {
			return relocated, err
		}
		var v []float32
		if old.embedded != nil {
			if v, err = w.vector(ctx, x.space, old.hash); err != nil {
				return relocated, err
			}
		}
		return relocated, w.addChunk(ctx, x, document, e, v)
	}
	if record == string(old.record) && e.Chunk.Index == old.position {
		return false, nil
	}
	_, err = w.exec(ctx, "UPDATE chunks SET position = ?, record = ? WHERE num = ?", e.Chunk.Index, record, old.num)
	return relocated, err
}

// addChunk inserts a passage with its vector, nil if there is none yet.
func (w *writeTx) addChunk(ctx context.Context, x *indexChange, document int64, e *store.Entry, vector []float32) error {
	record, err := encodeChunk(&e.Chunk)
	if err != nil {
		return err
	}
	var since any // NULL
	if vector != nil {
		since = w.revision
	}
	num, err := w.insert(ctx, `
		INSERT INTO chunks (tenant, generation, document, position, embedded, id, hash, entry, length, terms, record, content)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		w.tenant, x.num, document, e.Chunk.Index, since, e.Chunk.ID[:], e.Chunk.Hash[:], codec.EntryDigest(e), e.Length, blob(e.Terms), record, e.Chunk.Content)
	if err != nil {
		return err
	}
	x.added = append(x.added, postings.Entry{
		Passage: postings.Passage{Num: uint64(num), Document: uint64(document), ID: e.Chunk.ID},
		Whole:   e.Whole,
		Parts:   e.Parts,
	})
	x.chunks++
	x.lengths += int64(e.Length)
	if vector != nil {
		x.embedded = append(x.embedded, scan.Row{Num: uint64(num), Document: uint64(document), Vector: vector})
	}
	return nil
}

// removeChunk deletes a passage; its vector's use is the caller's to settle.
func (w *writeTx) removeChunk(ctx context.Context, x *indexChange, old *stored) error {
	if _, err := w.exec(ctx, "DELETE FROM chunks WHERE num = ?", old.num); err != nil {
		return err
	}
	x.removed = append(x.removed, uint64(old.num))
	x.chunks--
	x.lengths -= int64(old.length)
	if old.embedded != nil {
		x.lost = append(x.lost, codedChunk{uint64(old.num), *old.embedded})
	}
	return nil
}

// useVector counts a passage among the users of its input's vector and
// returns that, nil if there is none.
func (w *writeTx) useVector(ctx context.Context, space int64, input corpus.Hash) ([]float32, error) {
	if space == 0 {
		return nil, nil
	}
	n, err := w.exec(ctx, "UPDATE vectors SET uses = uses + 1 WHERE space = ? AND hash = ?", space, input[:])
	if err != nil || n == 0 {
		return nil, err
	}
	return w.vector(ctx, space, input)
}

func (w *writeTx) unuseVector(ctx context.Context, space int64, old *stored) error {
	if old.embedded == nil {
		return nil
	}
	_, err := w.exec(ctx, "UPDATE vectors SET uses = uses - 1, used_at = ? WHERE space = ? AND hash = ?", w.now, space, old.hash[:])
	return err
}
