-- +goose Up

-- What was changed and tried, the newest store.MaxEvents of each tenant.
CREATE TABLE kb_embeddings_events (
    tenant_id uuid NOT NULL,
    seq       bigint NOT NULL,
    at        bigint NOT NULL,
    record    text NOT NULL, -- JSON of the rest of store.Event
    PRIMARY KEY (tenant_id, seq)
);
ALTER TABLE kb_embeddings_events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kb_embeddings_events USING (tenant_id = (SELECT nullif(current_setting('ibid.tenant', true), '')::uuid));

-- +goose Down
SELECT 1;
