package postgres

import (
	"bytes"
	"context"
	"fmt"
	"slices"

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

// do runs statements that fill queues, in one exchange.
func (t *tx) do(ctx context.Context, fill func(b *batch)) error {
	b := &batch{db: t.db}
	fill(b)
	return t.run(ctx, b)
}

// each runs one query; fn scans each row.
func (x *audit) each(ctx context.Context, sql string, args []any, fn func(scan func(...any) error) error) error {
	return x.do(ctx, func(b *batch) { b.rows(sql, args, fn) })
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
			var chunks, embedded, is, places, last int
			var text bool
			if err := scan(&p.id, &p.language, &chunks, &embedded, &text, &p.passages, &is, &places, &last); err != nil {
				return err
			}
			parts = append(parts, p)
			n := p.passages
			if !text {
				x.report(store.Finding{Damage: store.TextMissing, Generation: g.ID, Document: p.id, Count: 1})
			}
			switch {
			case chunks != n:
				x.report(store.Finding{Damage: store.PassagesMissing, Generation: g.ID, Document: p.id, Count: max(chunks-n, n-chunks), Detail: fmt.Sprintf("%d of %d are there", n, chunks)})
			case places != n || last != n-1:
				x.report(store.Finding{Damage: store.PassagesMissing, Generation: g.ID, Document: p.id, Count: n, Detail: "they are not in order"})
			case embedded != is:
				x.report(store.Finding{Damage: store.StatisticsWrong, Generation: g.ID, Document: p.id, Count: 1, Detail: fmt.Sprintf("%d passages count as embedded, %d are", embedded, is)})
			}
			return nil
		})
	return parts, err
}

// auditPage is how many passages are looked at together, but for a document
// that has more.
const auditPage = 512

// auditChunk is a passage as an audit reads it.
type auditChunk struct {
	corpus.Chunk
	document corpus.ID
	length   int
	entry    []byte
	terms    []byte
	want     store.Entry // how it must be indexed, if that is known
	wrong    string      // how it is indexed otherwise
	altered  bool
}

// index compares passages with themselves and with the inverted index and
// returns the ids of those that are altered.
func (x *audit) index(ctx context.Context, g generation, parts []part) (altered []corpus.ID, err error) {
	err = x.pages(ctx, g, parts, func(page []auditChunk) error {
		for i := range page {
			c := &page[i]
			f := store.Finding{Generation: g.ID, Document: c.document, Passage: c.ID, Count: 1}
			if c.altered {
				altered = append(altered, c.ID)
				f.Damage, f.Detail = store.PassageAltered, store.Identified(c.document, &c.Chunk)
				x.report(f)
			}
			if c.wrong != "" {
				f.Damage, f.Detail = store.TermsWrong, c.wrong
				x.report(f)
			}
		}
		return nil
	})
	return altered, err
}

// pages calls fn with all passages of the documents, compared with the index.
func (x *audit) pages(ctx context.Context, g generation, parts []part, fn func(page []auditChunk) error) error {
	for len(parts) > 0 {
		n, passages := 1, parts[0].passages
		for n < len(parts) && passages+parts[n].passages <= auditPage {
			passages += parts[n].passages
			n++
		}
		page, err := x.page(ctx, g, parts[:n])
		if err != nil {
			return err
		}
		if err := fn(page); err != nil {
			return err
		}
		if x.passages += len(page); x.Progress != nil {
			x.Progress(x.passages)
		}
		parts = parts[n:]
	}
	return nil
}

func (x *audit) page(ctx context.Context, g generation, parts []part) ([]auditChunk, error) {
	languages := make(map[corpus.ID]string, len(parts))
	ids := make([]corpus.ID, len(parts))
	for i, p := range parts {
		ids[i], languages[p.id] = p.id, p.language
	}
	var page []auditChunk
	err := x.each(ctx, "SELECT"+chunkColumns+", e.document, e.length, e.entry, e.terms FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.generation = $2 AND e.document = ANY($3) ORDER BY e.document, e.chunk_index",
		[]any{x.db.tenant, g.ID, ids}, func(scan func(...any) error) (err error) {
			var c auditChunk
			c.Chunk, err = scanChunk(scan, &c.document, &c.length, &c.entry, &c.terms)
			page = append(page, c)
			return err
		})
	if err != nil || len(page) == 0 {
		return page, err
	}
	terms := x.Terms(g.Generation)
	lexicon := newLexicon(g.ID)
	var want termTable
	at := make(map[corpus.ID]*auditChunk, len(page))
	for i := range page {
		c := &page[i]
		at[c.ID] = c
		c.altered = store.Identified(c.document, &c.Chunk) != ""
		lexemes, whole := "", ""
		if terms {
			c.want = x.Entry(c.Chunk, languages[c.document])
			if !c.altered && (c.length != c.want.Length || !bytes.Equal(c.terms, c.want.Terms) || !bytes.Equal(c.entry, codec.EntryDigest(&c.want))) {
				c.wrong = "its record of terms is another"
			}
			if lexemes, whole, _, err = lexicon.entry(c.document, &c.want); err != nil {
				return nil, err
			}
		}
		want.ids, want.documents = append(want.ids, c.ID), append(want.documents, c.document)
		want.lexemes, want.wholes = append(want.lexemes, lexemes), append(want.wholes, whole)
	}
	err = x.do(ctx, func(b *batch) {
		b.exec("SELECT set_config('ibid.query', $1, true)", lexicon.documents(ids))
		b.rows(`SELECT t.id, count(l.id), coalesce(bool_and(l.document = t.document AND l.lexemes = t.lexemes::tsvector AND l.whole IS NOT DISTINCT FROM nullif(t.whole, '')), false)
			FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]) AS t (id, document, lexemes, whole)
			LEFT JOIN kb_embeddings_lexemes l ON l.tenant_id = $1 AND l.generation = $2 AND l.id = t.id GROUP BY t.id`,
			[]any{x.db.tenant, g.ID, want.ids, want.documents, want.lexemes, want.wholes}, func(scan func(...any) error) error {
				var id corpus.ID
				var n int
				var same bool
				if err := scan(&id, &n, &same); err != nil {
					return err
				}
				switch c := at[id]; {
				case n == 0:
					c.wrong = "the keyword index does not have it"
				case n > 1:
					c.wrong = "the keyword index has it more than once"
				case terms && !same && !c.altered:
					c.wrong = "the keyword index has other terms for it"
				}
				return nil
			})
	})
	return page, err
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

// Vectors implements store.Reader.
func (r *reader) Vectors(ctx context.Context, space corpus.Space, hashes []corpus.Hash) (map[corpus.Hash][]float32, error) {
	vectors := make(map[corpus.Hash][]float32, len(hashes))
	if len(hashes) == 0 || space == (corpus.Space{}) {
		return vectors, nil
	}
	var same []int64
	for _, g := range r.generations {
		if g.Space == space {
			same = append(same, g.ID)
		}
	}
	// A row's text is small; the binary form differs between the two types.
	err := r.ask(ctx, "read vectors", `SELECT DISTINCT ON (v.hash) v.hash, v.embedding::real[] FROM (
			SELECT c.hash, c.embedding FROM kb_embeddings_cache c WHERE c.tenant_id = $1 AND c.space = $2 AND c.hash = ANY($3)
			UNION ALL SELECT e.hash, e.embedding FROM kb_embeddings e WHERE e.tenant_id = $1 AND e.hash = ANY($3) AND e.generation = ANY($4) AND e.embedding IS NOT NULL) v`,
		[]any{r.db.tenant, codec.SpaceKey(space), hashes, slices.Concat([]int64{}, same)}, func(scan func(...any) error) error {
			var h corpus.Hash
			var v []float32
			err := scan(&h, &v)
			vectors[h] = v
			return err
		})
	return vectors, err
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
