package sqlite

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
	"ibid/backend/store/sqlite/bitset"
	"ibid/backend/store/sqlite/postings"
	"ibid/backend/store/sqlite/scan"
)

// auditPage is how many passages are looked at together.
const auditPage = 512

// auditChunk is a passage as an audit reads it.
type auditChunk struct {
	corpus.Chunk
	num      int64
	document int64
	length   int
	entry    []byte
	terms    []byte
}

// chunks returns the passages of a generation from first to last, at most a page.
func (x *audit) chunks(ctx context.Context, g, first, last int64) ([]auditChunk, error) {
	var list []auditChunk
	err := x.each(ctx, "SELECT"+chunkColumns+", c.num, c.document, c.length, c.entry, c.terms FROM chunks c WHERE +c.generation = ? AND c.num BETWEEN ? AND ? ORDER BY c.num LIMIT ?", // by number
		[]any{g, first, last, auditPage}, func(scan func(...any) error) error {
			var c auditChunk
			var err error
			c.Chunk, err = scanChunk(scan, &c.num, &c.document, &c.length, &c.entry, &c.terms)
			list = append(list, c)
			return err
		})
	x.passages += len(list)
	if x.Progress != nil && len(list) > 0 {
		x.Progress(x.passages)
	}
	return list, err
}

// span is a range of passage numbers that must be indexed anew.
type span struct{ first, last int64 }

// index compares the passages of a generation with themselves and with the
// inverted index, and returns the spans in which that is wrong.
func (x *audit) index(ctx context.Context, g generation) ([]span, error) {
	segments, err := readSegments(ctx, x.tx, g.num)
	if err != nil {
		return nil, err
	}
	var wrong []span
	next := int64(0)
	for _, s := range segments {
		first, last := int64(s.first), int64(s.last)
		if first < next || last < first {
			x.report(store.Finding{Damage: store.IndexStray, Generation: g.num, Count: s.chunks, Detail: "two parts of the index overlap"})
			return []span{{0, maxNum}}, nil // nothing can be said of it; all is made anew
		}
		ok, err := x.unlisted(ctx, g, next, first-1)
		if err != nil {
			return nil, err
		}
		if !ok {
			wrong = append(wrong, span{next, first - 1})
		}
		if ok, err = x.segment(ctx, g, s); err != nil {
			return nil, err
		}
		if !ok {
			wrong = append(wrong, span{first, last})
		}
		next = last + 1
	}
	ok, err := x.unlisted(ctx, g, next, maxNum)
	if !ok {
		wrong = append(wrong, span{next, maxNum})
	}
	return wrong, err
}

const maxNum = 1<<63 - 1

// unlisted finds passages between two segments.
func (x *audit) unlisted(ctx context.Context, g generation, first, last int64) (ok bool, err error) {
	for ok = true; first <= last; {
		page, err := x.chunks(ctx, g.num, first, last)
		if err != nil || len(page) == 0 {
			return ok, err
		}
		for i := range page {
			c := &page[i]
			x.identity(g, c)
			x.report(store.Finding{Damage: store.TermsWrong, Generation: g.num, Document: x.documents[c.document].id, Passage: c.ID, Count: 1, Detail: "the keyword index does not have it"})
		}
		first, ok = page[len(page)-1].num+1, false
	}
	return ok, nil
}

// identity checks that a passage is what its hash and id say.
func (x *audit) identity(g generation, c *auditChunk) bool {
	d, known := x.documents[c.document]
	if !known {
		return false // told as a document without a record
	}
	what := store.Identified(d.id, &c.Chunk)
	if what != "" {
		x.report(store.Finding{Damage: store.PassageAltered, Generation: g.num, Document: d.id, Passage: c.ID, Count: 1, Detail: what})
	}
	return what == ""
}

// segment compares one segment with the passages that it is of.
func (x *audit) segment(ctx context.Context, g generation, s *segment) (ok bool, err error) {
	sums, err := postings.Sum(x.seed, s.first, x.blocks(ctx, s.num))
	if errors.Is(err, postings.ErrDamaged) {
		x.report(store.Finding{Damage: store.TermsWrong, Generation: g.num, Count: s.chunks, Detail: "a part of the keyword index cannot be read"})
		// Its passages are looked at all the same.
		sums, err = postings.Sums{}, nil
	}
	if err != nil {
		return false, err
	}
	unread := sums.Of == nil
	ok = !unread && len(sums.Passages) == s.chunks && s.deadSet.Len() == s.dead
	if !ok && !unread {
		x.report(store.Finding{Damage: store.StatisticsWrong, Generation: g.num, Count: 1, Detail: "a part of the keyword index counts other passages than it has"})
	}
	living := make(map[uint64]postings.Passage, len(sums.Passages))
	for _, p := range sums.Passages {
		if !s.isDead(p.Num) {
			living[p.Num] = p
		}
	}
	for first := int64(s.first); first <= int64(s.last); {
		page, err := x.chunks(ctx, g.num, first, int64(s.last))
		if err != nil {
			return false, err
		}
		if len(page) == 0 {
			break
		}
		first = page[len(page)-1].num + 1
		wants, err := x.expect(g, page)
		if err != nil {
			return false, err
		}
		for i := range page {
			c := &page[i]
			fine := x.identity(g, c)
			p, listed := living[uint64(c.num)]
			delete(living, uint64(c.num))
			what := ""
			switch {
			case unread:
			case !listed:
				what = "the keyword index does not have it"
			case p.ID != c.ID || p.Document != uint64(c.document):
				what = "the keyword index has another passage in its place"
			case wants == nil || !fine:
			case wants.of[uint64(c.num)] != sums.Of[uint64(c.num)]:
				what = "the keyword index has other terms for it"
			case !wants.same[i]:
				what = "its record of terms is another"
			}
			if what != "" {
				ok = false
				x.report(store.Finding{Damage: store.TermsWrong, Generation: g.num, Document: x.documents[c.document].id, Passage: c.ID, Count: 1, Detail: what})
			}
		}
	}
	if len(living) > 0 {
		x.report(store.Finding{Damage: store.IndexStray, Generation: g.num, Count: len(living)})
		ok = false
	}
	return ok, nil
}

// blocks reads a segment's blocks in order.
func (x *audit) blocks(ctx context.Context, segment int64) func() (postings.Block, error) {
	key := []byte{}
	return func() (b postings.Block, err error) {
		found, err := x.row(ctx, "SELECT key, data FROM blocks WHERE segment = ? AND key > ? ORDER BY key LIMIT 1", []any{segment, key}, &b.Key, &b.Data)
		if err != nil || !found {
			return postings.Block{}, err
		}
		key = b.Key
		return b, nil
	}
}

// expected is how a page of passages must be indexed.
type expected struct {
	of   map[uint64]uint64 // sums
	same []bool            // the passage's own record of terms is right
}

// expect analyzes a page; nil if the generation's analyzer is another.
func (x *audit) expect(g generation, page []auditChunk) (*expected, error) {
	if !x.Terms(g.Generation) {
		return nil, nil
	}
	e := &expected{same: make([]bool, len(page))}
	entries := make([]postings.Entry, len(page))
	for i := range page {
		c := &page[i]
		want := x.Entry(c.Chunk, x.documents[c.document].language)
		e.same[i] = c.length == want.Length && bytes.Equal(c.terms, want.Terms) && bytes.Equal(c.entry, codec.EntryDigest(&want))
		entries[i] = postings.Entry{
			Passage: postings.Passage{Num: uint64(c.num), Document: uint64(c.document), ID: c.ID},
			Whole:   want.Whole, Parts: want.Parts,
		}
	}
	var blocks []postings.Block
	if err := postings.Build(entries[0].Num, entries, func(b postings.Block) error {
		blocks = append(blocks, postings.Block{Key: bytes.Clone(b.Key), Data: bytes.Clone(b.Data)})
		return nil
	}); err != nil {
		return nil, err
	}
	sums, err := postings.Sum(x.seed, entries[0].Num, func() (b postings.Block, err error) {
		if len(blocks) > 0 {
			b, blocks = blocks[0], blocks[1:]
		}
		return b, nil
	})
	e.of = sums.Of
	return e, err
}

// codes compares what vector searches look through with the vectors and
// returns how many passages differ.
func (x *audit) codes(ctx context.Context, g generation) (wrong int, err error) {
	var parts []*codes
	if err := x.each(ctx, "SELECT num, first, last, count, dead, dead_set, chunks FROM codes WHERE generation = ? ORDER BY first, num", []any{g.num}, func(scan func(...any) error) error {
		p := &codes{}
		err := scan(&p.num, &p.first, &p.last, &p.count, &p.dead, (*[]byte)(&p.deadSet), &p.chunks)
		parts = append(parts, p)
		return err
	}); err != nil {
		return 0, err
	}
	listed := map[uint64]bool{}
	ascending := slices.IsSortedFunc(parts, func(a, b *codes) int { return int(a.last - b.last) })
	for _, p := range parts {
		block, err := readCodes(ctx, x.tx, p.num, g.Space.Dimensions)
		if errors.Is(err, errCodes) || errors.Is(err, scan.ErrDamaged) || err == nil && (block.Len() != p.count || p.deadSet.Len() != p.dead || len(p.chunks) != 8*p.count) {
			wrong += max(1, p.living())
			continue
		}
		if err != nil {
			return 0, err
		}
		n, err := x.codeBlock(ctx, g, p, block, listed)
		if err != nil {
			return 0, err
		}
		wrong += n
	}
	var embedded int
	if _, err := x.row(ctx, "SELECT count(embedded) FROM chunks WHERE generation = ?", []any{g.num}, &embedded); err != nil {
		return 0, err
	}
	if len(listed) != embedded && wrong == 0 {
		wrong = max(1, embedded-len(listed))
	}
	if !ascending && wrong == 0 {
		wrong = 1
	}
	return wrong, nil
}

// codeBlock compares the living rows of one block.
func (x *audit) codeBlock(ctx context.Context, g generation, c *codes, block *scan.Block, listed map[uint64]bool) (wrong int, err error) {
	for i, num := range block.Nums {
		if c.deadSet.Has(uint64(i)) {
			continue
		}
		var document, since int64
		var v []byte
		found, err := x.row(ctx, `SELECT c.document, c.embedded, v.vector FROM chunks c JOIN vectors v ON v.space = ? AND v.hash = c.hash
			WHERE c.num = ? AND c.generation = ? AND c.embedded IS NOT NULL`, []any{g.space, num, g.num}, &document, &since, &v)
		if err != nil {
			return 0, err
		}
		vector, err := decodeVector(nil, v)
		if !found || err != nil || len(vector) != g.Space.Dimensions || listed[num] || since < c.first || since > c.last ||
			store.ValidateVector(vector, g.Space.Dimensions) != nil {
			wrong++
			continue
		}
		listed[num] = true
		want, err := scan.Decode(g.Space.Dimensions, scan.Encode(g.Space.Dimensions, []scan.Row{{Num: num, Document: uint64(document), Vector: vector}}))
		if err != nil {
			return 0, err
		}
		place, ok := c.place(num)
		if !ok || place != uint64(i) || !bytes.Equal(scan.Join([]*scan.Block{want}, make([]bitset.Set, 1)), block.Row(i)) {
			wrong++
		}
	}
	return wrong, nil
}

// Vectors implements store.Reader.
func (r *reader) Vectors(ctx context.Context, space corpus.Space, hashes []corpus.Hash) (map[corpus.Hash][]float32, error) {
	vectors := make(map[corpus.Hash][]float32, len(hashes))
	num, err := readSpace(ctx, r.tx, r.db.tenant[:], space)
	if err != nil || num == 0 {
		return vectors, wrap("read vectors", err)
	}
	for _, h := range hashes {
		var b []byte
		found, err := r.row(ctx, "SELECT vector FROM vectors WHERE space = ? AND hash = ?", []any{num, h[:]}, &b)
		if err != nil {
			return nil, wrap("read vectors", err)
		}
		if !found {
			continue
		}
		if vectors[h], err = decodeVector(nil, b); err != nil {
			return nil, wrap("read vectors", err)
		}
	}
	return vectors, nil
}

// Orphans implements store.Reader.
func (r *reader) Orphans(ctx context.Context) ([]corpus.Chunk, error) {
	// No column but the index's: this is asked with every plan.
	var documents []int64
	err := r.each(ctx, "SELECT DISTINCT document FROM chunks WHERE document NOT IN (SELECT num FROM documents)", nil, func(scan func(...any) error) error {
		var num int64
		err := scan(&num)
		documents = append(documents, num)
		return err
	})
	if err != nil {
		return nil, wrap("look for passages without a document", err)
	}
	list := make([]corpus.Chunk, 0, len(documents))
	for _, num := range documents {
		err := r.each(ctx, "SELECT"+chunkColumns+" FROM chunks c WHERE c.document = ? AND c.tenant = ? LIMIT 1", []any{num, r.db.tenant[:]}, func(scan func(...any) error) error {
			c, err := scanChunk(scan)
			list = append(list, c)
			return err
		})
		if err != nil {
			return nil, wrap("read passages without a document", err)
		}
	}
	return list, nil
}
