package postgres

import (
	"context"
	"fmt"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// Audit implements store.Reader.
func (r *reader) Audit(ctx context.Context, a store.Audit, report func(store.Finding)) error {
	x := &audit{tx: r.tx, Audit: a, generations: r.generations, report: report}
	return wrap("audit library", x.run(ctx))
}

// audit looks for damage in one transaction's view of the library.
type audit struct {
	*tx
	store.Audit
	generations []generation
	report      func(store.Finding)
	passages    int // looked at
}

func (x *audit) run(ctx context.Context) error {
	// The planner takes the index of lexemes for dearer than it is (see the
	// migration); this transaction asks little else.
	if err := x.do(ctx, func(b *batch) { b.exec("SELECT set_config('enable_seqscan', 'off', true)") }); err != nil {
		return err
	}
	if err := x.strays(ctx); err != nil {
		return err
	}
	for _, g := range x.generations {
		if err := x.generation(ctx, g); err != nil {
			return fmt.Errorf("generation %d: %w", g.ID, err)
		}
	}
	return x.tallies(ctx)
}

// retally counts what the table of tallies has.
const retally = `SELECT $1::uuid AS tenant_id, 0::bigint AS generation, source, language, count(*) AS documents, count(*) FILTER (WHERE state = 'failed') AS failed,
		0::bigint AS chunks, 0::bigint AS embedded
	FROM kb_embeddings_documents WHERE tenant_id = $1 GROUP BY source, language
	UNION ALL SELECT $1, m.generation, d.source, d.language, count(*), 0, sum(m.chunks)::bigint, sum(m.embedded)::bigint
	FROM kb_embeddings_made m JOIN kb_embeddings_documents d ON d.tenant_id = $1 AND d.id = m.document WHERE m.tenant_id = $1 GROUP BY 2, 3, 4`

// tallies compares the counts of sources with a recount. A row of nothing is
// as good as none.
func (x *audit) tallies(ctx context.Context) error {
	var wrong int
	err := x.do(ctx, func(b *batch) {
		b.row(`WITH recount AS (`+retally+`), kept AS (
				SELECT tenant_id, generation, source, language, documents, failed, chunks, embedded FROM kb_embeddings_tallies
				WHERE tenant_id = $1 AND (documents <> 0 OR failed <> 0 OR chunks <> 0 OR embedded <> 0))
			SELECT (SELECT count(*) FROM (SELECT * FROM recount EXCEPT SELECT * FROM kept) a) + (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM recount) b)`,
			[]any{x.db.tenant}, &wrong)
	})
	if err == nil && wrong > 0 {
		x.report(store.Finding{Damage: store.StatisticsWrong, Count: wrong, Detail: "sources count other documents or passages than they have"})
	}
	return err
}

// stray are conditions for rows that belong to nothing, by table.
var stray = []struct{ table, where string }{
	{"kb_embeddings", `t.tenant_id = $1 AND EXISTS (SELECT FROM kb_embeddings_documents d WHERE d.tenant_id = $1 AND d.id = t.document) AND NOT EXISTS (
		SELECT FROM kb_embeddings_made m WHERE m.tenant_id = $1 AND m.document = t.document AND m.generation = t.generation)`},
	{"kb_embeddings_texts", `t.tenant_id = $1 AND NOT EXISTS (
		SELECT FROM kb_embeddings_made m WHERE m.tenant_id = $1 AND m.document = t.document AND m.revision = t.revision)`},
	{"kb_embeddings_frequencies", "t.tenant_id = $1 AND NOT EXISTS (SELECT FROM kb_embeddings_generations g WHERE g.tenant_id = $1 AND g.id = t.generation)"},
}

// orphaned are passages whose document is not in the ledger.
const orphaned = "t.tenant_id = $1 AND NOT EXISTS (SELECT FROM kb_embeddings_documents d WHERE d.tenant_id = $1 AND d.id = t.document)"

// sourceless are documents whose source there is not.
const sourceless = `SELECT d.id FROM kb_embeddings_documents d WHERE d.tenant_id = $1 AND NOT EXISTS (
	SELECT FROM kb_embeddings_sources s WHERE s.tenant_id = $1 AND s.id = d.source)`

func (x *audit) strays(ctx context.Context) error {
	tenant := []any{x.db.tenant}
	if err := x.each(ctx, sourceless, tenant, func(scan func(...any) error) error {
		f := store.Finding{Damage: store.SourceMissing, Count: 1}
		err := scan(&f.Document)
		x.report(f)
		return err
	}); err != nil {
		return err
	}
	if err := x.each(ctx, "SELECT t.document, count(*) FROM kb_embeddings t WHERE "+orphaned+" GROUP BY 1", []any{x.db.tenant}, func(scan func(...any) error) error {
		f := store.Finding{Damage: store.RecordMissing, Count: 1}
		var n int
		err := scan(&f.Document, &n)
		f.Detail = fmt.Sprintf("%d passages have no document", n)
		x.report(f)
		return err
	}); err != nil {
		return err
	}
	if err := x.each(ctx, "SELECT d.id, d.fingerprint, d.report, d.metadata FROM kb_embeddings_documents d WHERE d.tenant_id = $1", []any{x.db.tenant}, func(scan func(...any) error) error {
		f := store.Finding{Damage: store.RecordDamaged, Count: 1}
		var record codec.Document
		if err := scan(&f.Document, &record.Fingerprint, &record.Report, &record.Metadata); err != nil {
			return err
		}
		if record.Damaged() {
			x.report(f)
		}
		return nil
	}); err != nil {
		return err
	}
	if err := x.each(ctx, `SELECT d.id FROM kb_embeddings_documents d WHERE d.tenant_id = $1 AND d.state = $2 AND NOT EXISTS (
		SELECT FROM kb_embeddings_made m WHERE m.tenant_id = $1 AND m.document = d.id)`,
		[]any{x.db.tenant, string(corpus.DocumentIndexed)}, func(scan func(...any) error) error {
			f := store.Finding{Damage: store.PassagesMissing, Count: 1, Detail: "all of them, and what they were made of"}
			err := scan(&f.Document)
			x.report(f)
			return err
		}); err != nil {
		return err
	}
	for _, s := range stray {
		var n int
		if err := x.do(ctx, func(b *batch) { b.row("SELECT count(*) FROM "+s.table+" t WHERE "+s.where, []any{x.db.tenant}, &n) }); err != nil {
			return err
		}
		if n > 0 {
			x.report(store.Finding{Damage: store.StrayRows, Count: n, Detail: "in table " + x.db.named(s.table)})
		}
	}
	return nil
}

func (x *audit) generation(ctx context.Context, g generation) error {
	parts, err := x.made(ctx, g)
	if err != nil {
		return err
	}
	if _, err := x.index(ctx, g, parts); err != nil {
		return err
	}
	if err := x.vectors(ctx, g); err != nil {
		return err
	}
	return x.statistics(ctx, g)
}

// part is a document in a generation.
type part struct {
	id       corpus.ID
	language string
	passages int
}

// made compares what documents are said to be made of with what is there.
func (x *audit) made(ctx context.Context, g generation) (parts []part, err error) {
	err = x.each(ctx, `
		SELECT m.document, d.language, m.chunks, m.embedded,
			EXISTS (SELECT FROM kb_embeddings_texts t WHERE t.tenant_id = $1 AND t.document = m.document AND t.revision = m.revision),
			coalesce(c.n, 0), coalesce(c.embedded, 0), coalesce(c.places, 0), coalesce(c.last, -1)
		FROM kb_embeddings_made m JOIN kb_embeddings_documents d ON d.tenant_id = $1 AND d.id = m.document LEFT JOIN (
			SELECT document, count(*) AS n, count(dimensions) AS embedded, count(DISTINCT chunk_index) AS places, max(chunk_index) AS last
			FROM kb_embeddings WHERE tenant_id = $1 AND generation = $2 GROUP BY document
		) c ON c.document = m.document WHERE m.tenant_id = $1 AND m.generation = $2 ORDER BY m.document`,
		[]any{x.db.tenant, g.ID}, func(scan func(...any) error) error {
			var p part
			c := store.Contents{Generation: g.ID}
			if err := scan(&p.id, &p.language, &c.Made.Chunks, &c.Made.Embedded, &c.Text, &c.Chunks, &c.Embedded, &c.Places, &c.Last); err != nil {
				return err
			}
			c.Document, p.passages = p.id, c.Chunks
			parts = append(parts, p)
			for _, f := range c.Findings() {
				x.report(f)
			}
			return nil
		})
	return parts, err
}

// vectors compares passages and vectors.
func (x *audit) vectors(ctx context.Context, g generation) error {
	same := x.sameSpace(g)
	return x.each(ctx, `SELECT e.document, count(*) FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND (`+vectorWrong+` OR e.dimensions IS NULL AND (`+vectorElsewhere+`))
		AND EXISTS (SELECT FROM kb_embeddings_documents d WHERE d.tenant_id = $1 AND d.id = e.document) GROUP BY 1`,
		[]any{x.db.tenant, g.ID, g.Space.Dimensions, g.space, same}, func(scan func(...any) error) error {
			f := store.Finding{Damage: store.VectorMissing, Generation: g.ID}
			err := scan(&f.Document, &f.Count)
			x.report(f)
			return err
		})
}

func (x *audit) sameSpace(g generation) []int64 {
	w := writeTx{generations: x.generations}
	return append([]int64{}, w.sameSpace(g.space)...)
}

// vectorWrong are passages e whose vector is not what they say; $3 are the
// space's dimensions.
const vectorWrong = `(e.embedding IS NULL) <> (e.dimensions IS NULL) OR e.dimensions <> $3 OR cardinality(e.embedding::real[]) <> $3`

// vectorElsewhere tells that the input of a passage e has a vector; $4 is the
// space's name, $5 its generations.
const vectorElsewhere = `EXISTS (SELECT FROM kb_embeddings_cache c WHERE c.tenant_id = $1 AND c.space = $4 AND c.hash = e.hash)
	OR EXISTS (SELECT FROM kb_embeddings o WHERE o.tenant_id = $1 AND o.hash = e.hash AND o.generation = ANY($5) AND o.dimensions IS NOT NULL)`

// statistics compares counts with recounts.
func (x *audit) statistics(ctx context.Context, g generation) error {
	var chunks, listed, distinct, strays, indexed, terms int
	var length int64
	lexicon := newLexicon(g.ID)
	err := x.do(ctx, func(b *batch) {
		tenant := x.db.tenant
		b.row("SELECT count(*), coalesce(sum(length), 0)::bigint FROM kb_embeddings WHERE tenant_id = $1 AND generation = $2", []any{tenant, g.ID}, &chunks, &length)
		b.row("SELECT indexed FROM kb_embeddings_generations WHERE tenant_id = $1 AND id = $2", []any{tenant, g.ID}, &indexed)
		b.exec("SELECT set_config('ibid.query', $1, true)", lexicon.all())
		b.row(`SELECT count(*), count(DISTINCT l.id), count(*) FILTER (WHERE NOT EXISTS (
				SELECT FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND e.id = l.id))
			FROM kb_embeddings_lexemes l WHERE l.tenant_id = $1 AND l.generation = $2`, []any{tenant, g.ID}, &listed, &distinct, &strays)
		b.row(`SELECT count(*) FROM (`+recount+`) a FULL JOIN (
				SELECT term, n FROM kb_embeddings_frequencies WHERE tenant_id = $1 AND generation = $2 AND n <> 0) f ON f.term = a.term
			WHERE a.n IS DISTINCT FROM f.n`, []any{tenant, g.ID, len(lexicon.prefix) + 1}, &terms)
	})
	if err != nil {
		return err
	}
	if strays > 0 {
		x.report(store.Finding{Damage: store.IndexStray, Generation: g.ID, Count: strays})
	}
	if chunks != g.chunks || length != g.length {
		x.report(store.Finding{
			Damage: store.StatisticsWrong, Generation: g.ID, Count: 1,
			Detail: fmt.Sprintf("%d passages of %d terms are counted, there are %d of %d", g.chunks, g.length, chunks, length),
		})
	}
	if indexed != listed {
		x.report(store.Finding{Damage: store.StatisticsWrong, Generation: g.ID, Count: 1, Detail: fmt.Sprintf("%d passages count as indexed, %d are", indexed, listed)})
	}
	if terms > 0 {
		x.report(store.Finding{Damage: store.StatisticsWrong, Generation: g.ID, Count: terms, Detail: "terms are counted in another number of passages than have them"})
	}
	return nil
}

// recount is in how many passages each term is, of those that the query finds.
const recount = `SELECT substr(l, $3) COLLATE "C" AS term, count(*) AS n FROM kb_embeddings_lexemes x, unnest(tsvector_to_array(x.lexemes)) l
	WHERE x.tenant_id = $1 AND x.generation = $2 AND substr(l, $3, 1) IN ('.', ':') GROUP BY 1`
