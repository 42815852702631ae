-- +goose Up

-- The counts of 0003 were taken under row level security, which binds the
-- tables' owner too: a library that had documents then was counted as empty. A
-- migration that reads rows has to lift it, as here, until its transaction ends.
ALTER TABLE kb_embeddings_documents NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kb_embeddings_made NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kb_embeddings_tallies NO FORCE ROW LEVEL SECURITY;

DELETE FROM kb_embeddings_tallies;
INSERT INTO kb_embeddings_tallies
SELECT tenant_id, 0, source, language, count(*), count(*) FILTER (WHERE state = 'failed'), 0, 0
FROM kb_embeddings_documents GROUP BY 1, 3, 4;
INSERT INTO kb_embeddings_tallies
SELECT m.tenant_id, m.generation, d.source, d.language, count(*), 0, sum(m.chunks), sum(m.embedded)
FROM kb_embeddings_made m JOIN kb_embeddings_documents d ON d.tenant_id = m.tenant_id AND d.id = m.document GROUP BY 1, 2, 3, 4;

ALTER TABLE kb_embeddings_tallies FORCE ROW LEVEL SECURITY;
ALTER TABLE kb_embeddings_made FORCE ROW LEVEL SECURITY;
ALTER TABLE kb_embeddings_documents FORCE ROW LEVEL SECURITY;

-- +goose Down
SELECT 1;
