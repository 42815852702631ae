package sqlite

import (
	"context"
	"fmt"
	"hash/maphash"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

// Audit implements store.Reader.
func (r *reader) Audit(ctx context.Context, a store.Audit, report func(store.Finding)) error {
	x := &audit{tx: r.tx, Audit: a, tenant: r.db.tenant[:], report: report, seed: maphash.MakeSeed()}
	return wrap("audit library", x.run(ctx))
}

// audit looks for damage in one snapshot.
type audit struct {
	*tx
	store.Audit
	tenant    []byte
	report    func(store.Finding)
	seed      maphash.Seed
	documents map[int64]auditDocument // by row
	passages  int                     // looked at
}

// auditDocument is what an audit has to know of a document.
type auditDocument struct {
	id       corpus.ID
	language string
	owned    bool // its source is there
}

func (x *audit) run(ctx context.Context) error {
	if ok, err := x.integrity(ctx); err != nil || !ok {
		return err
	}
	if err := x.readDocuments(ctx); err != nil {
		return err
	}
	if err := x.strays(ctx); err != nil {
		return err
	}
	all, err := readGenerations(ctx, x.tx, x.tenant)
	if err != nil {
		return err
	}
	for _, g := range all {
		if err := x.generation(ctx, g); err != nil {
			return err
		}
	}
	if err := x.vectors(ctx); err != nil {
		return err
	}
	if err := x.tallies(ctx); err != nil {
		return err
	}
	return x.fields(ctx)
}

// retally counts what the table "tallies" has.
const retally = `SELECT ?1 AS tenant, 0 AS generation, source, language, count(*) AS documents, count(*) FILTER (WHERE state = 'failed') AS failed, 0 AS chunks, 0 AS embedded
	FROM documents WHERE tenant = ?1 GROUP BY source, language
	UNION ALL SELECT ?1, m.generation, d.source, d.language, count(*), 0, sum(m.chunks), sum(m.embedded)
	FROM made m JOIN documents d ON d.num = m.document WHERE d.tenant = ?1 GROUP BY 2, 3, 4`

// tallies compares the counts of sources with a recount. A row of nothing is
// as good as none.
func (x *audit) tallies(ctx context.Context) error {
	var wrong int
	_, err := x.row(ctx, `WITH recount AS (`+retally+`), kept AS (SELECT * FROM tallies WHERE tenant = ?1 AND (documents <> 0 OR failed <> 0 OR chunks <> 0 OR embedded <> 0))
		SELECT (SELECT count(*) FROM (SELECT * FROM recount EXCEPT SELECT * FROM kept)) + (SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM recount))`,
		[]any{x.tenant}, &wrong)
	if err == nil && wrong > 0 {
		x.report(store.Finding{Damage: store.StatisticsWrong, Count: wrong, Detail: "sources count other documents or passages than they have"})
	}
	return err
}

func (x *audit) generation(ctx context.Context, g generation) error {
	if err := x.made(ctx, g); err != nil {
		return err
	}
	if _, err := x.index(ctx, g); err != nil {
		return err
	}
	if g.space != 0 {
		wrong, err := x.codes(ctx, g)
		if err != nil {
			return err
		}
		if wrong > 0 {
			x.report(store.Finding{Damage: store.VectorIndexWrong, Generation: g.num, Count: wrong})
		}
	}
	var chunks int
	var length int64
	if _, err := x.row(ctx, "SELECT count(*), coalesce(sum(length), 0) FROM chunks WHERE generation = ?", []any{g.num}, &chunks, &length); err != nil {
		return err
	}
	if chunks != g.chunks || length != g.length {
		x.report(store.Finding{
			Damage: store.StatisticsWrong, Generation: g.num, Count: 1,
			Detail: fmt.Sprintf("%d passages of %d terms are counted, there are %d of %d", g.chunks, g.length, chunks, length),
		})
	}
	return nil
}

// integrity looks at the file. What an index that is out of step with its
// table would make of the rest says nothing of the rest: then it is all.
func (x *audit) integrity(ctx context.Context) (ok bool, err error) {
	found, err := x.examine(ctx)
	ok = true
	for _, f := range found {
		damage := store.FileDamaged
		if f.index {
			damage, ok = store.FileIndexDamaged, false
		}
		x.report(store.Finding{Damage: damage, Count: f.count, Detail: f.String()})
	}
	return ok, err
}

func (x *audit) readDocuments(ctx context.Context) error {
	x.documents = map[int64]auditDocument{}
	return x.each(ctx, `SELECT d.num, d.id, d.language, d.state, d.fingerprint, d.report, d.metadata, EXISTS (SELECT 1 FROM sources s WHERE s.tenant = d.tenant AND s.id = d.source),
			EXISTS (SELECT 1 FROM made m WHERE m.document = d.num)
		FROM documents d WHERE d.tenant = ?`, []any{x.tenant}, func(scan func(...any) error) error {
		var num int64
		var d auditDocument
		var state corpus.DocumentState
		var record codec.Document
		var made bool
		if err := scan(&num, id(&d.id), &d.language, &state, &record.Fingerprint, &record.Report, &record.Metadata, &d.owned, &made); err != nil {
			return err
		}
		if record.Damaged() {
			x.report(store.Finding{Damage: store.RecordDamaged, Document: d.id, Count: 1})
		}
		x.documents[num] = d
		if !made && state == corpus.DocumentIndexed {
			x.report(store.Finding{Damage: store.PassagesMissing, Document: d.id, Count: 1, Detail: "all of them, and what they were made of"})
		}
		if !d.owned {
			x.report(store.Finding{Damage: store.SourceMissing, Document: d.id, Count: 1})
		}
		return nil
	})
}

// stray are conditions for rows that belong to nothing, by table. Their order
// is that in which rows may be deleted.
var stray = []struct{ table, where string }{
	{"blocks", "tenant = ?1 AND segment NOT IN (SELECT num FROM segments)"},
	{"code_blocks", "tenant = ?1 AND codes NOT IN (SELECT num FROM codes)"},
	{"segments", "tenant = ?1 AND generation NOT IN (SELECT num FROM generations)"},
	{"codes", "tenant = ?1 AND generation NOT IN (SELECT num FROM generations)"},
	{"chunks", `tenant = ?1 AND document IN (SELECT num FROM documents) AND NOT EXISTS (
		SELECT 1 FROM made m WHERE m.generation = chunks.generation AND m.document = chunks.document)`},
	{"made", "tenant = ?1 AND (document NOT IN (SELECT num FROM documents) OR generation NOT IN (SELECT num FROM generations))"},
	{"texts", `tenant = ?1 AND (document NOT IN (SELECT num FROM documents)
		OR NOT EXISTS (SELECT 1 FROM made m WHERE m.document = texts.document AND m.revision = texts.revision))`},
	{"fields", "tenant = ?1 AND document NOT IN (SELECT num FROM documents)"},
	{"vectors", "tenant = ?1 AND space NOT IN (SELECT num FROM spaces)"},
}

// orphaned are passages whose document is not in the ledger.
const orphaned = "tenant = ?1 AND document NOT IN (SELECT num FROM documents)"

func (x *audit) strays(ctx context.Context) error {
	var n, documents int
	if _, err := x.row(ctx, "SELECT count(*), count(DISTINCT document) FROM chunks WHERE "+orphaned, []any{x.tenant}, &n, &documents); err != nil {
		return err
	}
	if n > 0 {
		x.report(store.Finding{Damage: store.RecordMissing, Count: documents, Detail: fmt.Sprintf("%d passages have no document", n)})
	}
	for _, s := range stray {
		if _, err := x.row(ctx, "SELECT count(*) FROM "+s.table+" WHERE "+s.where, []any{x.tenant}, &n); err != nil {
			return err
		}
		if n > 0 {
			x.report(store.Finding{Damage: store.StrayRows, Count: n, Detail: "in table " + s.table})
		}
	}
	return nil
}

// made compares what documents are said to be made of with what is there.
func (x *audit) made(ctx context.Context, g generation) error {
	return x.each(ctx, `
		SELECT m.document, m.chunks, m.embedded, EXISTS (SELECT 1 FROM texts t WHERE t.document = m.document AND t.revision = m.revision),
			coalesce(c.n, 0), coalesce(c.embedded, 0), coalesce(c.places, 0), coalesce(c.last, -1)
		FROM made m LEFT JOIN (
			SELECT document, count(*) AS n, count(embedded) AS embedded, count(DISTINCT position) AS places, max(position) AS last FROM chunks WHERE generation = ?1 GROUP BY document
		) c ON c.document = m.document WHERE m.generation = ?1`, []any{g.num}, func(scan func(...any) error) error {
		var num int64
		c := store.Contents{Generation: g.num}
		if err := scan(&num, &c.Made.Chunks, &c.Made.Embedded, &c.Text, &c.Chunks, &c.Embedded, &c.Places, &c.Last); err != nil {
			return err
		}
		d, known := x.documents[num]
		if !known {
			return nil // a stray row
		}
		c.Document = d.id
		for _, f := range c.Findings() {
			x.report(f)
		}
		return nil
	})
}

// vectors compares passages and vectors, and how many passages use each.
func (x *audit) vectors(ctx context.Context) error {
	if err := x.each(ctx, `
		SELECT c.generation, c.document, count(*) FROM chunks c JOIN generations g ON g.num = c.generation AND g.tenant = ?1
		WHERE (c.embedded IS NOT NULL) <> EXISTS (SELECT 1 FROM vectors v WHERE v.space = g.space AND v.hash = c.hash)
		GROUP BY c.generation, c.document`, []any{x.tenant}, func(scan func(...any) error) error {
		f := store.Finding{Damage: store.VectorMissing}
		var num int64
		err := scan(&f.Generation, &num, &f.Count)
		if d, known := x.documents[num]; known {
			f.Document = d.id
			x.report(f)
		}
		return err
	}); err != nil {
		return err
	}
	spaces := map[int64]int{} // dimensions
	all, err := readGenerations(ctx, x.tx, x.tenant)
	if err != nil {
		return err
	}
	for _, g := range all {
		spaces[g.space] = g.Space.Dimensions
	}
	for space, dimensions := range spaces {
		var bad int
		if _, err := x.row(ctx, "SELECT count(*) FROM vectors WHERE space = ? AND length(vector) <> ?", []any{space, 4 * dimensions}, &bad); err != nil {
			return err
		}
		if bad > 0 {
			x.report(store.Finding{Damage: store.VectorMissing, Count: bad, Detail: "vectors have another size than the model's"})
		}
	}
	var wrong int
	if _, err := x.row(ctx, "SELECT count(*) FROM vectors AS v WHERE v.tenant = ? AND v.uses <> "+countUses, []any{x.tenant}, &wrong); err != nil {
		return err
	}
	if wrong > 0 {
		x.report(store.Finding{Damage: store.StatisticsWrong, Count: wrong, Detail: "vectors are counted for another number of passages than use them"})
	}
	return nil
}

// countUses is the number of passages that use a vector v.
const countUses = `(SELECT count(*) FROM generations g CROSS JOIN chunks c INDEXED BY chunks_hash ON c.generation = g.num
	WHERE g.space = v.space AND c.hash = v.hash AND c.embedded IS NOT NULL)`

// fields compares the rows that filters use with the metadata.
func (x *audit) fields(ctx context.Context) error {
	wrong, err := x.wrongFields(ctx)
	for _, w := range wrong {
		x.report(store.Finding{Damage: store.FieldsWrong, Document: x.documents[w.document].id, Count: 1})
	}
	return err
}

type wrongFields struct {
	document int64
	metadata corpus.Metadata
}

func (x *audit) wrongFields(ctx context.Context) (wrong []wrongFields, err error) {
	type field struct {
		key   string
		value any
	}
	err = x.each(ctx, "SELECT num, metadata FROM documents WHERE tenant = ?", []any{x.tenant}, func(scan func(...any) error) error {
		var num int64
		var record []byte
		if err := scan(&num, &record); err != nil {
			return err
		}
		m, err := codec.DecodeMetadata(record)
		if err != nil {
			return nil //nolint:nilerr // told as a damaged record, of which the fields are what is left
		}
		want := map[field]bool{}
		eachField(m, func(key string, value any) {
			if b, ok := value.([]byte); ok {
				value = string(b) + "\x00"
			}
			want[field{key, value}] = true
		})
		n := 0
		same := true
		err = x.each(ctx, "SELECT key, value FROM fields WHERE document = ?", []any{num}, func(scan func(...any) error) error {
			var f field
			if err := scan(&f.key, &f.value); err != nil {
				return err
			}
			if b, ok := f.value.([]byte); ok {
				f.value = string(b) + "\x00"
			}
			n++
			same = same && want[f]
			return nil
		})
		if err == nil && (!same || n != len(want)) {
			wrong = append(wrong, wrongFields{num, m})
		}
		return err
	})
	return wrong, err
}
