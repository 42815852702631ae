package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ibid/backend/corpus"
)

// columns are the tables by what follows the configured name, and the columns
// that this program uses. EMBEDDING is either type.
var columns = map[string]string{
	"":             "chunk_index integer, content text, created_at timestamp with time zone, dimensions integer, document uuid, embedding EMBEDDING, entry bytea, generation bigint, hash bytea, id uuid, length integer, metadata jsonb, source uuid, tenant_id uuid, terms bytea",
	"_cache":       "embedding EMBEDDING, hash bytea, space text, tenant_id uuid, used_at timestamp with time zone",
	"_documents":   "content bytea, error text, fingerprint text, id uuid, indexed bigint, language text, metadata jsonb, modified bigint, path text, recipe text, report text, revision bigint, source uuid, state text, tenant_id uuid, title text, type text",
	"_events":      "at bigint, record text, seq bigint, tenant_id uuid",
	"_format":      "min_reader integer, min_writer integer, one boolean",
	"_frequencies": "n bigint, tenant_id uuid, term text, generation bigint",
	"_generations": "analyzer text, chunks bigint, created_at bigint, id bigint, indexed bigint, length bigint, live boolean, space text, tenant_id uuid",
	"_lexemes":     "document uuid, generation bigint, id uuid, lexemes tsvector, tenant_id uuid, whole text",
	"_libraries":   "changes bigint, created_at timestamp with time zone, id uuid, revision bigint, tenant_id uuid",
	"_made":        "changed bigint, chunks integer, document uuid, embedded integer, generation bigint, recipe text, revision bigint, tenant_id uuid",
	"_requests":    "asked_at bigint, asker text, kind text, run text, tenant_id uuid",
	"_runs":        "finished_at bigint, id text, kind text, started_at bigint, state text, summary bytea, tenant_id uuid",
	"_sources":     "created_at bigint, id uuid, record text, tenant_id uuid",
	"_tallies":     "chunks bigint, documents bigint, embedded bigint, failed bigint, generation bigint, language text, source uuid, tenant_id uuid",
	"_texts":       "document uuid, revision bigint, tenant_id uuid, text text",
	"_writers":     "done bigint, expires_at timestamp with time zone, holder text, tenant_id uuid, token uuid",
}

// triggers are on the tables of documents and of what is made of them, and
// keep the counts in the one of tallies.
const triggers = 7

// check fails with corpus.ErrUnsupported, naming all that is wrong, unless the
// tables have the columns and force row level security.
func (db *DB) check(ctx context.Context, f found) error {
	have := map[string][]string{}
	forced := map[string]bool{}
	finder, counters := false, 0
	if err := db.read(ctx, func(b *batch) {
		clear(have)
		b.rows(`SELECT c.relname, a.attname || ' ' || format_type(a.atttypid, NULL), c.relrowsecurity AND c.relforcerowsecurity
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
			WHERE pg_table_is_visible(c.oid) AND left(c.relname, length($1)) = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`,
			[]any{db.table}, func(scan func(...any) error) error {
				var table, column string
				var force bool
				err := scan(&table, &column, &force)
				have[table] = append(have[table], column)
				forced[table] = force
				return err
			})
		b.row("SELECT to_regprocedure('kb_embeddings_find(text)') IS NOT NULL", nil, &finder)
		b.row(`SELECT count(*) FROM pg_trigger WHERE tgrelid IN (to_regclass('kb_embeddings_documents'), to_regclass('kb_embeddings_made'))
			AND tgenabled IN ('O', 'A') AND NOT tgisinternal`, nil, &counters)
	}); err != nil {
		return wrap("read schema", err)
	}
	var wrong []string
	for suffix, list := range columns {
		table := db.table + suffix
		for want := range strings.SplitSeq(strings.ReplaceAll(list, "EMBEDDING", f.embedding), ", ") {
			if !slices.Contains(have[table], want) {
				wrong = append(wrong, "no column "+table+"."+want)
			}
		}
		if suffix != "_format" && !forced[table] {
			wrong = append(wrong, table+" does not force row level security")
		}
	}
	if !finder {
		wrong = append(wrong, "no function "+db.table+"_find(text)")
	}
	if counters < triggers {
		wrong = append(wrong, fmt.Sprintf("%d of the %d triggers that keep the counts", counters, triggers))
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return fmt.Errorf("%w: the database's tables are not what this program needs: %s", corpus.ErrUnsupported, strings.Join(wrong, "; "))
}
