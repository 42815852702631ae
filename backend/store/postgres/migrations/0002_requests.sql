-- +goose Up

-- What processes ask of whoever writes, one row a kind.
CREATE TABLE kb_embeddings_requests (
    tenant_id uuid NOT NULL,
    kind      text NOT NULL,
    run       text NOT NULL,
    asker     text NOT NULL,
    asked_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, kind)
);
ALTER TABLE kb_embeddings_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kb_embeddings_requests USING (tenant_id = (SELECT nullif(current_setting('ibid.tenant', true), '')::uuid));

-- +goose Down
SELECT 1;
