-- +goose Up

-- Counts by source and language, so that nothing that wants to know how many
-- there are has to count. Generation 0 is the ledger: documents and those of
-- them that failed; other generations count the documents that are made in
-- them, their passages, and those that have a vector. Triggers keep the counts
-- in the transaction that changes what they count, whoever writes it, with one
-- change a statement, so that no row has many versions.
CREATE TABLE kb_embeddings_tallies (
    tenant_id  uuid NOT NULL,
    generation bigint NOT NULL,
    source     uuid NOT NULL,
    language   text COLLATE "C" NOT NULL,
    documents  bigint NOT NULL,
    failed     bigint NOT NULL,
    chunks     bigint NOT NULL,
    embedded   bigint NOT NULL,
    PRIMARY KEY (tenant_id, generation, source, language)
) WITH (fillfactor = 50);

INSERT INTO kb_embeddings_tallies
SELECT tenant_id, 0, source, language, count(*), count(*) FILTER (WHERE state = 'failed'), 0, 0
FROM kb_embeddings_documents GROUP BY 1, 3, 4;
INSERT INTO kb_embeddings_tallies
SELECT m.tenant_id, m.generation, d.source, d.language, count(*), 0, sum(m.chunks), sum(m.embedded)
FROM kb_embeddings_made m JOIN kb_embeddings_documents d ON d.tenant_id = m.tenant_id AND d.id = m.document GROUP BY 1, 2, 3, 4;

ALTER TABLE kb_embeddings_tallies ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kb_embeddings_tallies USING (tenant_id = (SELECT nullif(current_setting('ibid.tenant', true), '')::uuid));

-- +goose StatementBegin
CREATE FUNCTION kb_embeddings_tally_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        INSERT INTO kb_embeddings_tallies AS t (tenant_id, generation, source, language, documents, failed, chunks, embedded)
        SELECT n.tenant_id, 0, n.source, n.language, count(*), count(*) FILTER (WHERE n.state = 'failed'), 0, 0 FROM after_it n GROUP BY 1, 3, 4
        ON CONFLICT (tenant_id, generation, source, language) DO UPDATE SET documents = t.documents + excluded.documents, failed = t.failed + excluded.failed;
    END IF;
    IF TG_OP IN ('DELETE', 'UPDATE') THEN
        UPDATE kb_embeddings_tallies t SET documents = t.documents - o.documents, failed = t.failed - o.failed
        FROM (SELECT tenant_id, source, language, count(*) AS documents, count(*) FILTER (WHERE state = 'failed') AS failed FROM before_it GROUP BY 1, 2, 3) o
        WHERE t.tenant_id = o.tenant_id AND t.generation = 0 AND t.source = o.source AND t.language = o.language;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- A document that changes its source or language takes along what is made of it.
        INSERT INTO kb_embeddings_tallies AS t (tenant_id, generation, source, language, documents, failed, chunks, embedded)
        SELECT tenant_id, generation, source, language, sum(documents), 0, sum(chunks), sum(embedded) FROM (
            SELECT m.tenant_id, m.generation, d.source, d.language, d.sign AS documents, d.sign * m.chunks AS chunks, d.sign * m.embedded AS embedded
            FROM before_it o JOIN after_it n ON n.tenant_id = o.tenant_id AND n.id = o.id AND (n.source <> o.source OR n.language <> o.language)
            CROSS JOIN LATERAL (VALUES (o.source, o.language, -1), (n.source, n.language, 1)) d (source, language, sign)
            JOIN kb_embeddings_made m ON m.tenant_id = o.tenant_id AND m.document = o.id
        ) c GROUP BY 1, 2, 3, 4
        ON CONFLICT (tenant_id, generation, source, language) DO UPDATE SET documents = t.documents + excluded.documents,
            chunks = t.chunks + excluded.chunks, embedded = t.embedded + excluded.embedded;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kb_embeddings_tally_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP IN ('INSERT', 'UPDATE') THEN
        INSERT INTO kb_embeddings_tallies AS t (tenant_id, generation, source, language, documents, failed, chunks, embedded)
        SELECT n.tenant_id, n.generation, d.source, d.language, count(*), 0, sum(n.chunks), sum(n.embedded)
        FROM after_it n JOIN kb_embeddings_documents d ON d.tenant_id = n.tenant_id AND d.id = n.document GROUP BY 1, 2, 3, 4
        ON CONFLICT (tenant_id, generation, source, language) DO UPDATE SET documents = t.documents + excluded.documents,
            chunks = t.chunks + excluded.chunks, embedded = t.embedded + excluded.embedded;
    END IF;
    IF TG_OP IN ('DELETE', 'UPDATE') THEN
        UPDATE kb_embeddings_tallies t SET documents = t.documents - o.documents, chunks = t.chunks - o.chunks, embedded = t.embedded - o.embedded
        FROM (
            SELECT b.tenant_id, b.generation, d.source, d.language, count(*) AS documents, sum(b.chunks) AS chunks, sum(b.embedded) AS embedded
            FROM before_it b JOIN kb_embeddings_documents d ON d.tenant_id = b.tenant_id AND d.id = b.document GROUP BY 1, 2, 3, 4
        ) o WHERE t.tenant_id = o.tenant_id AND t.generation = o.generation AND t.source = o.source AND t.language = o.language;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What is made of a document is taken away while the document can still be
-- asked for its source.
-- +goose StatementBegin
CREATE FUNCTION kb_embeddings_unmake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM kb_embeddings_made WHERE tenant_id = OLD.tenant_id AND document = OLD.id;
    RETURN OLD;
END $$;
-- +goose StatementEnd

CREATE TRIGGER unmake BEFORE DELETE ON kb_embeddings_documents FOR EACH ROW EXECUTE FUNCTION kb_embeddings_unmake();
CREATE TRIGGER added AFTER INSERT ON kb_embeddings_documents REFERENCING NEW TABLE AS after_it
    FOR EACH STATEMENT EXECUTE FUNCTION kb_embeddings_tally_documents();
CREATE TRIGGER changed AFTER UPDATE ON kb_embeddings_documents REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it
    FOR EACH STATEMENT EXECUTE FUNCTION kb_embeddings_tally_documents();
CREATE TRIGGER removed AFTER DELETE ON kb_embeddings_documents REFERENCING OLD TABLE AS before_it
    FOR EACH STATEMENT EXECUTE FUNCTION kb_embeddings_tally_documents();
CREATE TRIGGER added AFTER INSERT ON kb_embeddings_made REFERENCING NEW TABLE AS after_it
    FOR EACH STATEMENT EXECUTE FUNCTION kb_embeddings_tally_made();
CREATE TRIGGER changed AFTER UPDATE ON kb_embeddings_made REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it
    FOR EACH STATEMENT EXECUTE FUNCTION kb_embeddings_tally_made();
CREATE TRIGGER removed AFTER DELETE ON kb_embeddings_made REFERENCING OLD TABLE AS before_it
    FOR EACH STATEMENT EXECUTE FUNCTION kb_embeddings_tally_made();

-- Where a file comes from is looked up by what it contains.
CREATE INDEX kb_embeddings_documents_content ON kb_embeddings_documents (tenant_id, content);

-- +goose Down
SELECT 1;
