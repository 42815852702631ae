package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// reader is a snapshot of the tenant's library.
type reader struct {
	*tx
	db       *DB
	library  corpus.ID
	revision int64
	live     int64 // the live generation, 0 if there is none
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

// generation resolves 0 and refuses other tenants' generations; 0 means none.
func (r *reader) generation(ctx context.Context, t *tx, num int64) (generation, error) {
	if num == 0 {
		num = r.live
	}
	g, _, err := readGeneration(ctx, t, r.db.tenant[:], num)
	return g, err
}

// Info implements store.Reader. Counting costs more than a search, so what was
// counted is kept until something was committed: data_version tells a
// connection that another one changed the file, and those that read change nothing.
func (r *reader) Info(ctx context.Context) (store.Info, error) {
	var version int64
	if _, err := r.row(ctx, "PRAGMA data_version", nil, &version); err != nil {
		return store.Info{}, wrap("read version", err)
	}
	known := &r.known
	if known.version != version || known.info.Library != r.library {
		info, err := r.count(ctx)
		if err != nil {
			return info, err
		}
		*known = knownInfo{version, info}
	}
	info := known.info
	info.Generations = slices.Clone(info.Generations)
	info.Languages = maps.Clone(info.Languages)
	info.Rows = maps.Clone(info.Rows)
	return info, nil
}

// knownInfo is what a session counted at a version of the file.
type knownInfo struct {
	version int64
	info    store.Info
}

func (r *reader) count(ctx context.Context) (store.Info, error) {
	t, tenant := r.tx, r.db.tenant[:]
	info := store.Info{Library: r.library, Revision: r.revision, Languages: map[string]int{}, Rows: map[string]int64{}}
	var err error
	if info.Generations, err = r.generations(ctx, t); err != nil {
		return info, wrap("read generations", err)
	}
	if _, err := t.row(ctx, "SELECT count(*), count(*) FILTER (WHERE state = 'failed') FROM documents WHERE tenant = ?",
		[]any{tenant}, &info.Documents, &info.Failed); err != nil {
		return info, wrap("count documents", err)
	}
	if err := t.each(ctx, `
		SELECT d.language, sum(m.chunks), sum(m.embedded) FROM made m JOIN documents d ON d.num = m.document
		WHERE m.generation = ? GROUP BY d.language`, []any{r.live}, func(scan func(...any) error) error {
		var language string
		var chunks, embedded int
		if err := scan(&language, &chunks, &embedded); err != nil {
			return err
		}
		if chunks > 0 {
			info.Languages[language] += chunks
		}
		info.Chunks += chunks
		info.Embedded += embedded
		return nil
	}); err != nil {
		return info, wrap("count passages", err)
	}
	for name, query := range map[string]string{
		"documents": "SELECT count(*) FROM documents WHERE tenant = ?",
		"texts":     "SELECT count(*) FROM texts t JOIN documents d ON d.num = t.document WHERE d.tenant = ?",
		"chunks":    "SELECT count(*) FROM generations g JOIN chunks c ON c.generation = g.num WHERE g.tenant = ?",
		"terms":     "SELECT coalesce(sum(s.chunks - s.dead), 0) FROM generations g JOIN segments s ON s.generation = g.num WHERE g.tenant = ?",
		"cached":    "SELECT count(*) FROM vectors WHERE tenant = ? AND uses = 0",
		"vectors":   "SELECT count(*) FROM spaces s JOIN vectors v ON v.space = s.num WHERE s.tenant = ?",
	} {
		var n int64
		if _, err := t.row(ctx, query, []any{tenant}, &n); err != nil {
			return info, wrap("count "+name, err)
		}
		info.Rows[name] = n
	}
	info.Rows["vectors"] -= info.Rows["cached"]
	_, err = t.row(ctx, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", nil, &info.Bytes)
	return info, wrap("measure library", err)
}

func (r *reader) generations(ctx context.Context, t *tx) ([]store.Generation, error) {
	all, err := readGenerations(ctx, t, r.db.tenant[:])
	var list []store.Generation
	for _, g := range all {
		list = append(list, g.Generation)
	}
	return list, err
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
	t := r.tx
	g, err := r.generation(ctx, t, generation)
	if err != nil {
		return "", 0, wrap("read text", err)
	}
	var text string
	var revision int64
	found, err := t.row(ctx, `
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
	t := r.tx
	g, err := r.generation(ctx, t, generation)
	if err != nil {
		return nil, wrap("read recipes", err)
	}
	recipes := make(map[corpus.ID]store.Made)
	err = t.each(ctx, `
		SELECT d.id, m.revision, m.recipe, m.chunks, m.embedded FROM made m JOIN documents d ON d.num = m.document
		WHERE m.generation = ?`, []any{g.num}, func(scan func(...any) error) error {
		var document corpus.ID
		var m store.Made
		if err := scan(id(&document), &m.Revision, &m.Recipe, &m.Chunks, &m.Embedded); err != nil {
			return err
		}
		recipes[document] = m
		return nil
	})
	return recipes, wrap("read recipes", err)
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
		if err := scan(&run.ID, &run.Kind, &run.State, &started, &finished, &run.Summary); err != nil {
			return err
		}
		run.StartedAt = time.UnixMicro(started).UTC()
		if finished != nil {
			run.FinishedAt = time.UnixMicro(*finished).UTC()
		}
		list = append(list, run)
		return nil
	})
	return list, wrap("read runs", err)
}
