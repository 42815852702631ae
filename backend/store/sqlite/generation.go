package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// generation is a store.Generation with what the tables know of it. The zero
// value is no generation.
type generation struct {
	store.Generation
	num    int64
	space  int64 // row of spaces, 0: keyword only
	chunks int   // statistics for BM25
	length int64
}

const generationQuery = `
	SELECT g.num, g.analyzer, g.live, g.created_at, g.chunks, g.length, coalesce(s.num, 0), coalesce(s.name, '{}')
	FROM generations g LEFT JOIN spaces s ON s.num = g.space`

func scanGeneration(scan func(...any) error) (generation, error) {
	var g generation
	var created int64
	var space []byte
	if err := scan(&g.num, &g.Analyzer, &g.Live, &created, &g.chunks, &g.length, &g.space, &space); err != nil {
		return g, err
	}
	g.ID, g.CreatedAt = g.num, codec.Time(created)
	return g, json.Unmarshal(space, &g.Space)
}

// readGenerations returns the tenant's generations, the live one first.
func readGenerations(ctx context.Context, t *tx, tenant []byte) ([]generation, error) {
	var list []generation
	err := t.each(ctx, generationQuery+" WHERE g.tenant = ? ORDER BY g.live DESC, g.num", []any{tenant}, func(scan func(...any) error) error {
		g, err := scanGeneration(scan)
		list = append(list, g)
		return err
	})
	return list, err
}

// findGeneration returns one of the tenant's generations.
func findGeneration(all []generation, num int64) (g generation, found bool) {
	i := slices.IndexFunc(all, func(g generation) bool { return g.num == num })
	if i < 0 {
		return generation{}, false
	}
	return all[i], true
}

// readSpace returns the space's row, 0 if there is none.
func readSpace(ctx context.Context, t *tx, tenant []byte, s corpus.Space) (num int64, err error) {
	_, err = t.row(ctx, "SELECT num FROM spaces WHERE tenant = ? AND name = ?", []any{tenant, codec.SpaceKey(s)}, &num)
	return num, err
}

// putSpace returns the space's row and makes it if needed.
func (w *writeTx) putSpace(ctx context.Context, s corpus.Space) (int64, error) {
	num, err := readSpace(ctx, w.tx, w.tenant, s)
	if err != nil || num != 0 {
		return num, err
	}
	return w.insert(ctx, "INSERT INTO spaces (tenant, name) VALUES (?, ?)", w.tenant, codec.SpaceKey(s))
}

// Build implements store.Writer.
func (r *role) Build(ctx context.Context, space corpus.Space, analyzer string) (store.Generation, error) {
	if space.Dimensions < 0 || space.Dimensions > maxDimensions {
		return store.Generation{}, fmt.Errorf("build generation: %w: space %q has %d dimensions, at most %d", corpus.ErrLimit, space, space.Dimensions, maxDimensions)
	}
	if space != (corpus.Space{}) && space.Dimensions == 0 {
		return store.Generation{}, fmt.Errorf("build generation: %w: space %q has no dimensions", corpus.ErrInvalid, space)
	}
	var result store.Generation
	err := r.write(ctx, "build generation", func(w *writeTx) error {
		all, err := readGenerations(ctx, w.tx, w.tenant)
		if err != nil {
			return err
		}
		found := false
		for _, g := range all { // the live one first
			if !found && g.Space == space && g.Analyzer == analyzer {
				result, found = g.Generation, true
			} else if !g.Live {
				if err := w.dropGeneration(ctx, g); err != nil {
					return err
				}
			}
		}
		if found {
			return nil
		}
		var documents int
		if _, err := w.row(ctx, "SELECT count(*) FROM documents WHERE tenant = ?", []any{w.tenant}, &documents); err != nil {
			return err
		}
		if documents == 0 {
			for _, g := range all {
				if g.Live {
					if err := w.dropGeneration(ctx, g); err != nil {
						return err
					}
				}
			}
		}
		live := documents == 0 || len(all) == 0 || !all[0].Live
		var row any // NULL
		if space != (corpus.Space{}) {
			num, err := w.putSpace(ctx, space)
			if err != nil {
				return err
			}
			row = num
		}
		num, err := w.insert(ctx, "INSERT INTO generations (tenant, space, analyzer, live, created_at, chunks, length) VALUES (?, ?, ?, ?, ?, 0, 0)",
			w.tenant, row, analyzer, live, w.now)
		w.changed = true
		result = store.Generation{ID: num, Space: space, Analyzer: analyzer, Live: live, CreatedAt: codec.Time(w.now)}
		return err
	})
	return result, err
}

// Switch implements store.Writer.
func (r *role) Switch(ctx context.Context, num int64) error {
	return r.write(ctx, "switch generation", func(w *writeTx) error {
		next, err := w.generation(ctx, num)
		if err != nil || next.Live {
			return err
		}
		all, err := readGenerations(ctx, w.tx, w.tenant)
		if err != nil {
			return err
		}
		for _, g := range all {
			if !g.Live {
				continue
			}
			if err := w.dropGeneration(ctx, g); err != nil {
				return err
			}
		}
		w.changed = true
		_, err = w.exec(ctx, "UPDATE generations SET live = 1 WHERE num = ?", num)
		return err
	})
}

// generation returns the tenant's generation or corpus.ErrNotFound.
func (w *writeTx) generation(ctx context.Context, num int64) (generation, error) {
	all, err := readGenerations(ctx, w.tx, w.tenant)
	if err != nil {
		return generation{}, err
	}
	g, found := findGeneration(all, num)
	if !found {
		return g, fmt.Errorf("%w: generation %d", corpus.ErrNotFound, num)
	}
	return g, nil
}

// dropGeneration deletes a generation and all that is only of it. Its vectors
// become cached ones.
func (w *writeTx) dropGeneration(ctx context.Context, g generation) error {
	w.changed = true
	if _, err := w.exec(ctx, `
		UPDATE vectors SET uses = uses - u.n, used_at = ?
		FROM (SELECT hash, count(*) AS n FROM chunks WHERE generation = ? AND embedded IS NOT NULL GROUP BY hash) AS u
		WHERE vectors.space = ? AND vectors.hash = u.hash`, w.now, g.num, g.space); err != nil {
		return err
	}
	for _, query := range []string{
		"DELETE FROM chunks WHERE generation = ?",
		"DELETE FROM blocks WHERE segment IN (SELECT num FROM segments WHERE generation = ?)",
		"DELETE FROM segments WHERE generation = ?",
		"DELETE FROM code_blocks WHERE codes IN (SELECT num FROM codes WHERE generation = ?)",
		"DELETE FROM codes WHERE generation = ?",
		`DELETE FROM texts WHERE (document, revision) IN (
			SELECT m.document, m.revision FROM made m WHERE m.generation = ?1 AND NOT EXISTS (
				SELECT 1 FROM made o WHERE o.document = m.document AND o.revision = m.revision AND o.generation <> ?1))`,
		"DELETE FROM made WHERE generation = ?",
		"DELETE FROM tallies WHERE tenant = (SELECT tenant FROM generations WHERE num = ?1) AND generation = ?1",
		"DELETE FROM generations WHERE num = ?",
	} {
		if _, err := w.exec(ctx, query, g.num); err != nil {
			return err
		}
	}
	return nil
}
