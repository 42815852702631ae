-- +goose Up

-- Every name begins with kb_embeddings, which stands for the table's configured
-- name, and EMBEDDING for the type of a vector: vector, or real[] where the
-- extension is missing. Times are microseconds since 1970 UTC where filters or
-- callers compare them, and timestamps where only the database does.

-- The formats that may read and write this database (schema.go).
CREATE TABLE kb_embeddings_format (
    one        boolean PRIMARY KEY CHECK (one),
    min_reader integer NOT NULL,
    min_writer integer NOT NULL
);
INSERT INTO kb_embeddings_format VALUES (true, 1, 1);

-- A tenant's library. "revision" grows with every change that a search could
-- see, "changes" with every change at all.
CREATE TABLE kb_embeddings_libraries (
    tenant_id  uuid PRIMARY KEY,
    id         uuid NOT NULL,
    revision   bigint NOT NULL,
    changes    bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- The writer role: a lease. "done" counts the holder's transactions, so that a
-- lost reply to COMMIT leaves no doubt.
CREATE TABLE kb_embeddings_writers (
    tenant_id  uuid PRIMARY KEY,
    token      uuid, -- NULL: nobody's
    holder     text NOT NULL,
    expires_at timestamptz NOT NULL,
    done       bigint NOT NULL
);

CREATE TABLE kb_embeddings_sources (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    created_at bigint NOT NULL,
    record     text NOT NULL, -- JSON of corpus.Source
    PRIMARY KEY (tenant_id, id)
);

-- The ledger.
CREATE TABLE kb_embeddings_documents (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    source      uuid NOT NULL,
    path        text COLLATE "C" NOT NULL,
    revision    bigint NOT NULL,
    type        text COLLATE "C" NOT NULL,
    title       text COLLATE "C" NOT NULL,
    language    text COLLATE "C" NOT NULL,
    state       text NOT NULL,
    modified    bigint NOT NULL,
    indexed     bigint NOT NULL,
    content     bytea NOT NULL,
    fingerprint text NOT NULL, -- JSON
    recipe      text NOT NULL,
    error       text NOT NULL,
    report      text NOT NULL, -- JSON
    metadata    jsonb NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX kb_embeddings_documents_path ON kb_embeddings_documents (tenant_id, source, path, id);

-- The extracted text of each revision that some generation's passages are of.
CREATE TABLE kb_embeddings_texts (
    tenant_id uuid NOT NULL,
    document  uuid NOT NULL,
    revision  bigint NOT NULL,
    text      text NOT NULL,
    PRIMARY KEY (tenant_id, document, revision),
    FOREIGN KEY (tenant_id, document) REFERENCES kb_embeddings_documents ON DELETE CASCADE
);

-- "chunks" and "length" are the statistics for BM25; "indexed" counts the rows
-- of kb_embeddings_lexemes.
CREATE TABLE kb_embeddings_generations (
    tenant_id  uuid NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    space      text NOT NULL, -- JSON of corpus.Space, "" for keywords only
    analyzer   text NOT NULL,
    live       boolean NOT NULL,
    created_at bigint NOT NULL,
    chunks     bigint NOT NULL DEFAULT 0,
    length     bigint NOT NULL DEFAULT 0,
    indexed    bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX kb_embeddings_generations_live ON kb_embeddings_generations (tenant_id) WHERE live;

-- What a document's passages in a generation were made of. "changed" is the
-- library revision of the commit.
CREATE TABLE kb_embeddings_made (
    tenant_id  uuid NOT NULL,
    generation bigint NOT NULL,
    document   uuid NOT NULL,
    revision   bigint NOT NULL,
    recipe     text NOT NULL,
    chunks     integer NOT NULL,
    embedded   integer NOT NULL,
    changed    bigint NOT NULL,
    PRIMARY KEY (tenant_id, document, generation),
    FOREIGN KEY (tenant_id, generation) REFERENCES kb_embeddings_generations,
    FOREIGN KEY (tenant_id, document) REFERENCES kb_embeddings_documents ON DELETE CASCADE
);
CREATE INDEX kb_embeddings_made_waiting ON kb_embeddings_made (tenant_id, generation, changed DESC, document) WHERE embedded < chunks;

-- Passages. Large values are kept out of the row, and no index holds what a
-- relocation changes (chunk_index, metadata), so that moving all passages of a
-- document rewrites small rows in place and leaves the vector index alone.
-- Here and in other keys the generation stands last: a planner without
-- statistics, as in a library's first minute, takes a tenant's generation for a
-- handful of rows, and would look through all of it for each of a list of ids.
CREATE TABLE kb_embeddings (
    tenant_id   uuid NOT NULL,
    generation  bigint NOT NULL,
    id          uuid NOT NULL,
    source      uuid NOT NULL,
    document    uuid NOT NULL,
    chunk_index integer NOT NULL,
    hash        bytea NOT NULL, -- of what is embedded
    entry       bytea NOT NULL, -- digest of what is indexed
    content     text NOT NULL,
    embedding   EMBEDDING,      -- NULL: not yet
    dimensions  integer,
    terms       bytea NOT NULL, -- the analyzer's record
    length      integer NOT NULL,
    metadata    jsonb NOT NULL, -- the rest of corpus.Chunk
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id, generation)
) WITH (fillfactor = 50, toast_tuple_target = 256);
CREATE INDEX kb_embeddings_document ON kb_embeddings (tenant_id, document, generation);
CREATE INDEX kb_embeddings_hash ON kb_embeddings (tenant_id, hash);

-- The terms of passages (lexeme.go).
CREATE TABLE kb_embeddings_lexemes (
    tenant_id  uuid NOT NULL,
    generation bigint NOT NULL,
    id         uuid NOT NULL,
    document   uuid NOT NULL,
    lexemes    tsvector NOT NULL,
    whole      text -- JSON of the first field where lexemes cannot hold all its positions
);
CREATE INDEX kb_embeddings_lexemes_gin ON kb_embeddings_lexemes USING gin (lexemes);

-- In how many passages a term is.
CREATE TABLE kb_embeddings_frequencies (
    tenant_id  uuid NOT NULL,
    generation bigint NOT NULL,
    term       text COLLATE "C" NOT NULL,
    n          bigint NOT NULL,
    PRIMARY KEY (tenant_id, term, generation)
) WITH (fillfactor = 70);

-- Vectors that no passage has.
CREATE TABLE kb_embeddings_cache (
    tenant_id uuid NOT NULL,
    space     text NOT NULL, -- JSON of corpus.Space
    hash      bytea NOT NULL,
    embedding EMBEDDING NOT NULL,
    used_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, hash, space)
);

CREATE TABLE kb_embeddings_runs (
    tenant_id   uuid NOT NULL,
    id          text NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL,
    started_at  bigint NOT NULL,
    finished_at bigint, -- NULL: running
    summary     bytea NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX kb_embeddings_runs_started ON kb_embeddings_runs (tenant_id, started_at DESC, id);

-- A session sees and changes only the rows of the tenant that its transaction
-- names, the owner of the tables included. The setting is read once a query.
-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['libraries', 'writers', 'sources', 'documents', 'texts', 'generations', 'made', 'lexemes', 'frequencies', 'cache', 'runs', ''] LOOP
        name := rtrim('kb_embeddings_' || name, '_');
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        CONTINUE WHEN name = 'kb_embeddings_lexemes';
        EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''ibid.tenant'', true), '''')::uuid))', name);
    END LOOP;
END $$;
-- +goose StatementEnd

-- Under row level security an index condition of a query may only use operators
-- that are known not to leak what they see of others' rows, and @@ is none of
-- these: the GIN index would never be used. The condition of a policy may use
-- it. So a query hands its tsquery to this policy by a setting, and no row of
-- this table is seen without one.
CREATE POLICY matching ON kb_embeddings_lexemes FOR SELECT USING (
    tenant_id = (SELECT nullif(current_setting('ibid.tenant', true), '')::uuid)
    AND lexemes @@ (SELECT nullif(current_setting('ibid.query', true), '')::tsquery));
CREATE POLICY adding ON kb_embeddings_lexemes FOR INSERT WITH CHECK (
    tenant_id = (SELECT nullif(current_setting('ibid.tenant', true), '')::uuid));
CREATE POLICY removing ON kb_embeddings_lexemes FOR DELETE USING (
    tenant_id = (SELECT nullif(current_setting('ibid.tenant', true), '')::uuid));

-- The planner thinks little of reading every row, since it does not count that
-- each one's lexemes have to be fetched from elsewhere and unpacked.
-- +goose StatementBegin
CREATE FUNCTION kb_embeddings_find(query text) RETURNS TABLE (id uuid, document uuid, whole text)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM set_config('ibid.query', query, true);
    RETURN QUERY SELECT l.id, l.document, l.whole FROM kb_embeddings_lexemes l;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT 1;
