package postgres

import (
	"bytes"
	"context"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/codec"
)

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
