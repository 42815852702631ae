package sqlite

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
	"ibid/backend/store/sqlite/postings"
	"ibid/backend/store/sqlite/scan"
)

// Distrust implements store.Writer.
func (r *role) Distrust(ctx context.Context, recipes map[corpus.ID]string) error {
	if len(recipes) == 0 {
		return nil
	}
	return r.write(ctx, "distrust documents", func(w *writeTx) error {
		for document, recipe := range recipes {
			n, err := w.exec(ctx, "UPDATE made SET recipe = ? WHERE document = (SELECT num FROM documents WHERE tenant = ? AND id = ?)", recipe, w.tenant, document[:])
			if err != nil {
				return err
			}
			w.changed = w.changed || n > 0
		}
		return nil
	})
}

// Mend implements store.Writer. It is one transaction, so that readers see the
// library as it was until all is right.
func (r *role) Mend(ctx context.Context, a store.Audit, forget ...corpus.ID) error {
	return r.write(ctx, "mend library", func(w *writeTx) error {
		w.changed = true
		x := &mending{writeTx: w, audit: &audit{tx: w.tx, Audit: a, tenant: w.tenant, report: func(store.Finding) {}, seed: maphash.MakeSeed()}}
		return x.run(ctx, forget)
	})
}

// mending repairs what an audit finds in the state of its transaction.
type mending struct {
	*writeTx
	audit *audit
}

func (x *mending) run(ctx context.Context, forget []corpus.ID) error {
	if err := x.audit.readDocuments(ctx); err != nil {
		return err
	}
	if err := x.clear(ctx); err != nil {
		return err
	}
	all, err := readGenerations(ctx, x.tx, x.tenant)
	if err != nil {
		return err
	}
	if err := x.forget(ctx, all, forget); err != nil {
		return err
	}
	for _, g := range all {
		if err := x.dropAltered(ctx, g); err != nil {
			return err
		}
	}
	if err := x.settleVectors(ctx, all); err != nil {
		return err
	}
	for _, g := range all {
		if err := x.generation(ctx, g); err != nil {
			return fmt.Errorf("generation %d: %w", g.num, err)
		}
	}
	wrong, err := x.audit.wrongFields(ctx)
	if err != nil {
		return err
	}
	for _, f := range wrong {
		if err := x.putFields(ctx, f.document, f.metadata); err != nil {
			return err
		}
	}
	for _, query := range []string{"DELETE FROM tallies WHERE tenant = ?1", "INSERT INTO tallies " + retally} {
		if _, err := x.exec(ctx, query, x.tenant); err != nil {
			return err
		}
	}
	var sourceless []int64
	for num, d := range x.audit.documents {
		if !d.owned {
			sourceless = append(sourceless, num)
		}
	}
	slices.Sort(sourceless)
	// Last, since removing relies on all that was mended.
	_, err = x.removeDocuments(ctx, sourceless)
	return err
}

// clear deletes what belongs to nothing. Passages go before what they were
// made of is looked at.
func (x *mending) clear(ctx context.Context) error {
	if _, err := x.exec(ctx, "DELETE FROM chunks WHERE "+orphaned, x.tenant); err != nil {
		return err
	}
	for _, s := range stray {
		if _, err := x.exec(ctx, "DELETE FROM "+s.table+" WHERE "+s.where, x.tenant); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes the vectors of documents' passages.
func (x *mending) forget(ctx context.Context, all []generation, documents []corpus.ID) error {
	for _, g := range all {
		for _, d := range documents {
			if _, err := x.exec(ctx, `DELETE FROM vectors WHERE tenant = ?1 AND space = ?2 AND hash IN (
				SELECT c.hash FROM documents d JOIN chunks c ON c.document = d.num AND c.generation = ?3 WHERE d.tenant = ?1 AND d.id = ?4)`,
				x.tenant, g.space, g.num, d[:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropAltered deletes passages that are not what they say; Commit brings the
// right ones back.
func (x *mending) dropAltered(ctx context.Context, g generation) error {
	for next := int64(0); ; {
		page, err := x.audit.chunks(ctx, g.num, next, maxNum)
		if err != nil || len(page) == 0 {
			return err
		}
		next = page[len(page)-1].num + 1
		for i := range page {
			if x.audit.identity(g, &page[i]) {
				continue
			}
			if _, err := x.exec(ctx, "DELETE FROM chunks WHERE num = ?", page[i].num); err != nil {
				return err
			}
		}
	}
}

// settleVectors makes passages and vectors agree on who has one.
func (x *mending) settleVectors(ctx context.Context, all []generation) error {
	for _, g := range all {
		if _, err := x.exec(ctx, "DELETE FROM vectors WHERE tenant = ? AND space = ? AND length(vector) <> ?", x.tenant, g.space, 4*g.Space.Dimensions); err != nil {
			return err
		}
		if err := x.dropInvalid(ctx, g); err != nil {
			return err
		}
		if _, err := x.exec(ctx, "UPDATE chunks SET embedded = NULL WHERE generation = ?1 AND embedded IS NOT NULL AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = ?2 AND v.hash = chunks.hash)",
			g.num, g.space); err != nil {
			return err
		}
		if _, err := x.exec(ctx, "UPDATE chunks SET embedded = ?3 WHERE generation = ?1 AND embedded IS NULL AND EXISTS (SELECT 1 FROM vectors v WHERE v.space = ?2 AND v.hash = chunks.hash)",
			g.num, g.space, x.revision); err != nil {
			return err
		}
		if _, err := x.exec(ctx, "UPDATE made AS m SET embedded = (SELECT count(c.embedded) FROM chunks c WHERE c.generation = m.generation AND c.document = m.document) WHERE m.generation = ?", g.num); err != nil {
			return err
		}
	}
	_, err := x.exec(ctx, "UPDATE vectors AS v SET uses = "+countUses+" WHERE v.tenant = ? AND v.uses <> "+countUses, x.tenant)
	return err
}

// dropInvalid deletes vectors that no search could use.
func (x *mending) dropInvalid(ctx context.Context, g generation) error {
	var bad []int64
	if err := x.each(ctx, "SELECT num, vector FROM vectors WHERE tenant = ? AND space = ?", []any{x.tenant, g.space}, func(scan func(...any) error) error {
		var num int64
		var b []byte
		if err := scan(&num, &b); err != nil {
			return err
		}
		if v, err := decodeVector(nil, b); err != nil || store.ValidateVector(v, g.Space.Dimensions) != nil {
			bad = append(bad, num)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, num := range bad {
		if _, err := x.exec(ctx, "DELETE FROM vectors WHERE num = ?", num); err != nil {
			return err
		}
	}
	return nil
}

// generation makes anew what is derived from a generation's passages, as far
// as it is wrong.
func (x *mending) generation(ctx context.Context, g generation) error {
	spans, err := x.audit.index(ctx, g)
	if err != nil {
		return err
	}
	for _, s := range spans {
		if err := x.reindex(ctx, g, s); err != nil {
			return err
		}
	}
	if g.space != 0 {
		wrong, err := x.audit.codes(ctx, g)
		if err == nil && wrong > 0 {
			err = x.recode(ctx, g)
		}
		if err != nil {
			return err
		}
	}
	_, err = x.exec(ctx, `UPDATE generations SET chunks = (SELECT count(*) FROM chunks WHERE generation = ?1),
		length = (SELECT coalesce(sum(length), 0) FROM chunks WHERE generation = ?1) WHERE num = ?1`, g.num)
	return err
}

// reindex replaces the segments in a span by new ones. Where the generation's
// analyzer is another, its passages can be given no terms: they go, and Commit
// brings them back.
func (x *mending) reindex(ctx context.Context, g generation, s span) error {
	segments, err := readSegments(ctx, x.tx, g.num)
	if err != nil {
		return err
	}
	for _, old := range segments {
		if int64(old.first) >= s.first && int64(old.last) <= s.last {
			if err := x.dropSegment(ctx, old); err != nil {
				return err
			}
		}
	}
	for next := s.first; next <= s.last; {
		page, err := x.audit.chunks(ctx, g.num, next, s.last)
		if err != nil || len(page) == 0 {
			return err
		}
		last := page[len(page)-1].num
		if err := x.reindexPage(ctx, g, page); err != nil {
			return err
		}
		if last == math.MaxInt64 {
			return nil
		}
		next = last + 1
	}
	return nil
}

func (x *mending) reindexPage(ctx context.Context, g generation, page []auditChunk) error {
	if !x.audit.Terms(g.Generation) {
		for i := range page {
			if _, err := x.exec(ctx, "DELETE FROM chunks WHERE num = ?", page[i].num); err != nil {
				return err
			}
		}
		return nil
	}
	entries := make([]postings.Entry, len(page))
	for i := range page {
		c := &page[i]
		e := x.audit.Entry(c.Chunk, x.audit.documents[c.document].language)
		if _, err := x.exec(ctx, "UPDATE chunks SET length = ?, terms = ?, entry = ? WHERE num = ?", e.Length, blob(e.Terms), codec.EntryDigest(&e), c.num); err != nil {
			return err
		}
		entries[i] = postings.Entry{
			Passage: postings.Passage{Num: uint64(c.num), Document: uint64(c.document), ID: c.ID}, Whole: e.Whole, Parts: e.Parts,
		}
	}
	first, last := entries[0].Num, entries[len(entries)-1].Num
	_, err := x.writeSegment(ctx, &indexChange{generation: g}, first, last, len(entries), func(emit func(postings.Block) error) error {
		return postings.Build(first, entries, emit)
	})
	return err
}

// recode makes the codes of a generation anew, in the order in which passages
// got their vectors.
func (x *mending) recode(ctx context.Context, g generation) error {
	for _, query := range []string{
		"DELETE FROM code_blocks WHERE codes IN (SELECT num FROM codes WHERE generation = ?)",
		"DELETE FROM codes WHERE generation = ?",
	} {
		if _, err := x.exec(ctx, query, g.num); err != nil {
			return err
		}
	}
	type place struct{ since, num int64 }
	var all []place
	if err := x.each(ctx, "SELECT embedded, num FROM chunks WHERE generation = ? AND embedded IS NOT NULL ORDER BY embedded, num", []any{g.num}, func(scan func(...any) error) error {
		var p place
		err := scan(&p.since, &p.num)
		all = append(all, p)
		return err
	}); err != nil {
		return err
	}
	for part := range slices.Chunk(all, largeCodes) {
		rows := make([]scan.Row, len(part))
		for i, p := range part {
			var document int64
			var b []byte
			if _, err := x.row(ctx, "SELECT c.document, v.vector FROM chunks c JOIN vectors v ON v.space = ? AND v.hash = c.hash WHERE c.num = ?", []any{g.space, p.num}, &document, &b); err != nil {
				return err
			}
			v, err := decodeVector(nil, b)
			if err != nil {
				return err
			}
			rows[i] = scan.Row{Num: uint64(p.num), Document: uint64(document), Vector: v}
		}
		if _, err := x.writeCodes(ctx, &indexChange{generation: g}, part[0].since, part[len(part)-1].since, scan.Encode(g.Space.Dimensions, rows)); err != nil {
			return err
		}
	}
	return nil
}
