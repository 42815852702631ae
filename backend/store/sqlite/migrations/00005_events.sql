-- +goose Up

-- What was changed and tried, the newest store.MaxEvents of each tenant.
CREATE TABLE events (
    tenant BLOB NOT NULL,
    seq    INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    record TEXT NOT NULL, -- JSON of the rest of store.Event
    PRIMARY KEY (tenant, seq)
) WITHOUT ROWID;

-- +goose Down
SELECT 1;
