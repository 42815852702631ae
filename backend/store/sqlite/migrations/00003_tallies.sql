-- +goose Up

-- Counts by source and language, so that nothing that wants to know how many
-- there are has to count. Generation 0 is the ledger: documents and those of
-- them that failed; other generations count the documents that are made in
-- them, their passages, and those that have a vector. Triggers keep the counts
-- in the transaction that changes what they count, whoever writes it.
CREATE TABLE tallies (
    tenant     BLOB NOT NULL,
    generation INTEGER NOT NULL,
    source     BLOB NOT NULL,
    language   TEXT NOT NULL,
    documents  INTEGER NOT NULL,
    failed     INTEGER NOT NULL,
    chunks     INTEGER NOT NULL,
    embedded   INTEGER NOT NULL,
    PRIMARY KEY (tenant, generation, source, language)
) WITHOUT ROWID;

INSERT INTO tallies
SELECT tenant, 0, source, language, count(*), count(*) FILTER (WHERE state = 'failed'), 0, 0 FROM documents GROUP BY 1, 3, 4;
INSERT INTO tallies
SELECT m.tenant, m.generation, d.source, d.language, count(*), 0, sum(m.chunks), sum(m.embedded)
FROM made m JOIN documents d ON d.num = m.document GROUP BY 1, 2, 3, 4;

-- +goose StatementBegin
CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
    INSERT INTO tallies VALUES (NEW.tenant, 0, NEW.source, NEW.language, 1, NEW.state = 'failed', 0, 0)
    ON CONFLICT DO UPDATE SET documents = documents + 1, failed = failed + excluded.failed;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
    UPDATE tallies SET documents = documents - 1, failed = failed - (OLD.state = 'failed')
    WHERE tenant = OLD.tenant AND generation = 0 AND source = OLD.source AND language = OLD.language;
END;
-- +goose StatementEnd

-- A document that changes its source or language takes along what is made of it.
-- +goose StatementBegin
CREATE TRIGGER documents_changed AFTER UPDATE OF source, language, state ON documents
WHEN OLD.source <> NEW.source OR OLD.language <> NEW.language OR OLD.state <> NEW.state BEGIN
    UPDATE tallies SET documents = documents - 1, failed = failed - (OLD.state = 'failed')
    WHERE tenant = OLD.tenant AND generation = 0 AND source = OLD.source AND language = OLD.language;
    INSERT INTO tallies VALUES (NEW.tenant, 0, NEW.source, NEW.language, 1, NEW.state = 'failed', 0, 0)
    ON CONFLICT DO UPDATE SET documents = documents + 1, failed = failed + excluded.failed;
    UPDATE tallies SET documents = documents - 1, chunks = tallies.chunks - m.chunks, embedded = tallies.embedded - m.embedded
    FROM (SELECT generation, chunks, embedded FROM made WHERE document = OLD.num) AS m
    WHERE tallies.tenant = OLD.tenant AND tallies.generation = m.generation AND source = OLD.source AND language = OLD.language;
    INSERT INTO tallies
    SELECT NEW.tenant, m.generation, NEW.source, NEW.language, 1, 0, m.chunks, m.embedded FROM made m WHERE m.document = NEW.num
    ON CONFLICT DO UPDATE SET documents = documents + 1, chunks = chunks + excluded.chunks, embedded = embedded + excluded.embedded;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER made_added AFTER INSERT ON made BEGIN
    INSERT INTO tallies
    SELECT NEW.tenant, NEW.generation, d.source, d.language, 1, 0, NEW.chunks, NEW.embedded FROM documents d WHERE d.num = NEW.document
    ON CONFLICT DO UPDATE SET documents = documents + 1, chunks = chunks + excluded.chunks, embedded = embedded + excluded.embedded;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER made_changed AFTER UPDATE OF chunks, embedded ON made
WHEN OLD.chunks <> NEW.chunks OR OLD.embedded <> NEW.embedded BEGIN
    UPDATE tallies SET chunks = chunks + NEW.chunks - OLD.chunks, embedded = embedded + NEW.embedded - OLD.embedded
    FROM (SELECT source AS s, language AS l FROM documents WHERE num = NEW.document) AS d
    WHERE tenant = NEW.tenant AND generation = NEW.generation AND source = d.s AND language = d.l;
END;
-- +goose StatementEnd

-- Its document is there still: what is made of a document goes first.
-- +goose StatementBegin
CREATE TRIGGER made_removed AFTER DELETE ON made BEGIN
    UPDATE tallies SET documents = documents - 1, chunks = chunks - OLD.chunks, embedded = embedded - OLD.embedded
    FROM (SELECT source AS s, language AS l FROM documents WHERE num = OLD.document) AS d
    WHERE tenant = OLD.tenant AND generation = OLD.generation AND source = d.s AND language = d.l;
END;
-- +goose StatementEnd

-- Where a file comes from is looked up by what it contains.
CREATE INDEX documents_content ON documents (tenant, content);

-- +goose Down
SELECT 1;
