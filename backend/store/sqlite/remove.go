package sqlite

import (
	"context"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Remove implements store.Writer.
func (r *role) Remove(ctx context.Context, refs ...store.Ref) error {
	if len(refs) == 0 {
		return nil
	}
	return r.write(ctx, "remove documents", func(w *writeTx) error { return w.removeAll(ctx, refs) })
}

// removeAll removes documents that are at the revisions named.
func (w *writeTx) removeAll(ctx context.Context, refs []store.Ref) error {
	var nums []int64
	for _, ref := range refs {
		var num, revision int64
		found, err := w.row(ctx, "SELECT num, revision FROM documents WHERE tenant = ? AND id = ?", []any{w.tenant, ref.Document[:]}, &num, &revision)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if ref.Revision != 0 && ref.Revision != revision {
			return fmt.Errorf("document %s: %w: revision %d, not %d", ref.Document, corpus.ErrStale, revision, ref.Revision)
		}
		nums = append(nums, num)
	}
	_, err := w.removeDocuments(ctx, nums)
	return err
}

// RemoveSource implements store.Writer.
func (r *role) RemoveSource(ctx context.Context, source corpus.ID, purge bool, events ...store.Event) error {
	if err := store.ValidateEvents(events); err != nil {
		return err
	}
	return r.write(ctx, "remove source", func(w *writeTx) error {
		var nums []int64
		if err := w.each(ctx, "SELECT num FROM documents WHERE tenant = ? AND source = ?", []any{w.tenant, source[:]}, func(scan func(...any) error) error {
			var num int64
			nums = append(nums, 0)
			err := scan(&num)
			nums[len(nums)-1] = num
			return err
		}); err != nil {
			return err
		}
		inputs, err := w.removeDocuments(ctx, nums)
		if err != nil {
			return err
		}
		n, err := w.exec(ctx, "DELETE FROM sources WHERE tenant = ? AND id = ?", w.tenant, source[:])
		if err != nil {
			return err
		}
		w.changed = w.changed || n > 0
		if _, err := w.exec(ctx, `DELETE FROM tallies WHERE tenant = ?1 AND generation IN (SELECT 0 UNION SELECT num FROM generations WHERE tenant = ?1) AND source = ?2`, w.tenant, source[:]); err != nil {
			return err
		}
		if err := w.putEvents(ctx, events); err != nil {
			return err
		}
		if !purge {
			return nil
		}
		for input := range inputs {
			if _, err := w.exec(ctx, "DELETE FROM vectors WHERE tenant = ? AND space IN (SELECT num FROM spaces WHERE tenant = ?1) AND hash = ? AND uses = 0", w.tenant, input[:]); err != nil {
				return err
			}
		}
		return w.compact(ctx)
	})
}

// removeDocuments deletes documents with all that is derived from them and
// returns the inputs of their passages.
func (w *writeTx) removeDocuments(ctx context.Context, nums []int64) (map[corpus.Hash]bool, error) {
	inputs := map[corpus.Hash]bool{}
	if len(nums) == 0 {
		return inputs, nil
	}
	w.changed = true
	all, err := readGenerations(ctx, w.tx, w.tenant)
	if err != nil {
		return nil, err
	}
	for _, g := range all {
		x := &indexChange{generation: g}
		for _, num := range nums {
			before, err := w.storedChunks(ctx, g.num, num)
			if err != nil {
				return nil, err
			}
			for _, old := range before {
				inputs[old.hash] = true
				if err := w.removeChunk(ctx, x, old); err != nil {
					return nil, err
				}
				if err := w.unuseVector(ctx, g.space, old); err != nil {
					return nil, err
				}
			}
		}
		if err := w.finish(ctx, x); err != nil {
			return nil, err
		}
	}
	for _, num := range nums {
		for _, query := range []string{
			"DELETE FROM made WHERE document = ?",
			"DELETE FROM texts WHERE document = ?",
			"DELETE FROM fields WHERE document = ?",
			"DELETE FROM documents WHERE num = ?",
		} {
			if _, err := w.exec(ctx, query, num); err != nil {
				return nil, err
			}
		}
	}
	return inputs, nil
}
