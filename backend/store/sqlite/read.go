package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// reader is a snapshot of the tenant's library.
type reader struct {
	*tx
	db       *DB
	library  corpus.ID
	revision int64
	live     int64 // the live generation, 0 if there is none
	all      []generation
}

var _ store.Reader = (*reader)(nil)

// open pins the snapshot.
func (r *reader) open(ctx context.Context) error {
	var minReader int
	_, err := r.row(ctx, `
		SELECT m.min_reader, l.id, l.revision, coalesce((SELECT num FROM generations WHERE tenant = l.tenant AND live = 1), 0)
		FROM meta m, libraries l WHERE l.tenant = ?`,
		[]any{r.db.tenant[:]}, &minReader, id(&r.library), &r.revision, &r.live)
	if err != nil {
		return err
	}
	return checkFormat(minReader)
}

// generations returns the tenant's generations, the live one first. They are
// read once: a search or a document asks for one, again and again.
func (r *reader) generations(ctx context.Context) (_ []generation, err error) {
	if r.all == nil {
		r.all, err = readGenerations(ctx, r.tx, r.db.tenant[:])
	}
	return r.all, err
}

// generation resolves 0 and refuses other tenants' generations; 0 means none.
func (r *reader) generation(ctx context.Context, num int64) (generation, error) {
	if num == 0 {
		num = r.live
	}
	all, err := r.generations(ctx)
	g, _ := findGeneration(all, num)
	return g, err
}

// Info implements store.Reader.
func (r *reader) Info(ctx context.Context) (store.Info, error) {
	info := store.Info{Library: r.library, Revision: r.revision}
	all, err := r.generations(ctx)
	if err != nil {
		return info, wrap("read generations", err)
	}
	for _, g := range all {
		info.Generations = append(info.Generations, g.Generation)
	}
	kept, err := r.kept(ctx, 0)
	if err != nil {
		return info, err
	}
	info.Count(kept)
	_, err = r.row(ctx, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", nil, &info.Bytes)
	return info, wrap("measure library", err)
}

// Tally implements store.Reader.
func (r *reader) Tally(ctx context.Context, generation int64) (map[corpus.ID]store.Tally, error) {
	kept, err := r.kept(ctx, generation)
	return store.Tallies(kept), err
}

// kept reads the counts of the ledger and of a generation.
func (r *reader) kept(ctx context.Context, generation int64) (list []store.Kept, err error) {
	if generation == 0 {
		generation = r.live
	}
	err = r.each(ctx, `SELECT source, language, iif(generation = 0, documents, 0), failed, chunks, embedded
		FROM tallies WHERE tenant = ? AND generation IN (0, ?)`, []any{r.db.tenant[:], generation}, func(scan func(...any) error) error {
		var k store.Kept
		err := scan(id(&k.Source), &k.Language, &k.Documents, &k.Failed, &k.Chunks, &k.Embedded)
		list = append(list, k)
		return err
	})
	return list, wrap("read counts", err)
}

// rowQueries count what store.RowNames names.
var rowQueries = map[string]string{
	"documents": "SELECT count(*) FROM documents WHERE tenant = ?",
	"texts":     "SELECT count(*) FROM texts t JOIN documents d ON d.num = t.document WHERE d.tenant = ?",
	"chunks":    "SELECT count(*) FROM generations g JOIN chunks c ON c.generation = g.num WHERE g.tenant = ?",
	"terms":     "SELECT coalesce(sum(s.chunks - s.dead), 0) FROM generations g JOIN segments s ON s.generation = g.num WHERE g.tenant = ?",
	"vectors":   "SELECT count(*) FILTER (WHERE v.uses > 0) FROM spaces s JOIN vectors v ON v.space = s.num WHERE s.tenant = ?",
	"cached":    "SELECT count(*) FROM vectors WHERE tenant = ? AND uses = 0",
}

// Rows implements store.Reader.
func (r *reader) Rows(ctx context.Context, names ...string) (map[string]int64, error) {
	rows := make(map[string]int64)
	for _, name := range store.Named(names) {
		query, ok := rowQueries[name]
		if !ok {
			return nil, fmt.Errorf("count rows: %w: there are no %q", corpus.ErrInvalid, name)
		}
		var n int64
		if _, err := r.row(ctx, query, []any{r.db.tenant[:]}, &n); err != nil {
			return nil, wrap("count "+name, err)
		}
		rows[name] = n
	}
	return rows, nil
}

// Sources implements store.Reader.
func (r *reader) Sources(ctx context.Context) ([]corpus.Source, error) {
	var list []corpus.Source
	err := r.each(ctx, "SELECT record FROM sources WHERE tenant = ? ORDER BY created_at, id", []any{r.db.tenant[:]}, func(scan func(...any) error) error {
		var record []byte
		if err := scan(&record); err != nil {
			return err
		}
		var s corpus.Source
		if err := json.Unmarshal(record, &s); err != nil {
			return err
		}
		list = append(list, s)
		return nil
	})
	return list, wrap("read sources", err)
}

// Text implements store.Reader.
func (r *reader) Text(ctx context.Context, generation int64, document corpus.ID) (string, int64, error) {
	g, err := r.generation(ctx, generation)
	if err != nil {
		return "", 0, wrap("read text", err)
	}
	var text string
	var revision int64
	found, err := r.row(ctx, `
		SELECT t.text, t.revision FROM documents d
		JOIN made m ON m.document = d.num AND m.generation = ?
		JOIN texts t ON t.document = d.num AND t.revision = m.revision
		WHERE d.tenant = ? AND d.id = ?`, []any{g.num, r.db.tenant[:], document[:]}, &text, &revision)
	if err == nil && !found {
		err = fmt.Errorf("%w: document %s has no text", corpus.ErrNotFound, document)
	}
	return text, revision, wrap("read text", err)
}

// HaveVectors implements store.Reader.
func (r *reader) HaveVectors(ctx context.Context, space corpus.Space, hashes []corpus.Hash) (map[corpus.Hash]bool, error) {
	t := r.tx
	have := make(map[corpus.Hash]bool)
	num, err := readSpace(ctx, t, r.db.tenant[:], space)
	if err != nil || num == 0 {
		return have, wrap("look up vectors", err)
	}
	for _, h := range hashes {
		var one int
		found, err := t.row(ctx, "SELECT 1 FROM vectors WHERE space = ? AND hash = ?", []any{num, h[:]}, &one)
		if err != nil {
			return nil, wrap("look up vectors", err)
		}
		if found {
			have[h] = true
		}
	}
	return have, nil
}

// Recipes implements store.Reader.
func (r *reader) Recipes(ctx context.Context, generation int64) (map[corpus.ID]store.Made, error) {
	recipes := make(map[corpus.ID]store.Made)
	g, err := r.generation(ctx, generation)
	if err != nil {
		return nil, wrap("read recipes", err)
	}
	return recipes, r.recipes(ctx, recipes, recipeQuery, g.num)
}

// RecipesOf implements store.Reader.
func (r *reader) RecipesOf(ctx context.Context, generation int64, documents []corpus.ID) (map[corpus.ID]store.Made, error) {
	recipes := make(map[corpus.ID]store.Made)
	g, err := r.generation(ctx, generation)
	if err != nil {
		return nil, wrap("read recipes", err)
	}
	for _, d := range documents {
		if err := r.recipes(ctx, recipes, recipeQuery+" AND d.tenant = ? AND d.id = ?", g.num, r.db.tenant[:], d[:]); err != nil {
			return nil, err
		}
	}
	return recipes, nil
}

const recipeQuery = `
	SELECT d.id, m.revision, m.recipe, m.chunks, m.embedded FROM made m JOIN documents d ON d.num = m.document
	WHERE m.generation = ?`

func (r *reader) recipes(ctx context.Context, into map[corpus.ID]store.Made, query string, args ...any) error {
	return wrap("read recipes", r.each(ctx, query, args, func(scan func(...any) error) error {
		var document corpus.ID
		var m store.Made
		if err := scan(id(&document), &m.Revision, &m.Recipe, &m.Chunks, &m.Embedded); err != nil {
			return err
		}
		into[document] = m
		return nil
	}))
}

// Runs implements store.Reader.
func (r *reader) Runs(ctx context.Context, limit int) ([]store.Run, error) {
	var list []store.Run
	err := r.each(ctx, `
		SELECT id, kind, state, started_at, finished_at, summary FROM runs
		WHERE tenant = ? ORDER BY started_at DESC, id LIMIT ?`, []any{r.db.tenant[:], max(0, limit)}, func(scan func(...any) error) error {
		var run store.Run
		var started int64
		var finished *int64
		err := scan(&run.ID, &run.Kind, &run.State, &started, &finished, &run.Summary)
		run.StartedAt, run.FinishedAt = codec.Time(started), codec.MaybeTime(finished)
		list = append(list, run)
		return err
	})
	return list, wrap("read runs", err)
}
