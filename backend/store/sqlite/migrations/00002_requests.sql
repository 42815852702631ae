-- +goose Up

-- What processes ask of whoever writes, one row a kind.
CREATE TABLE requests (
    tenant   BLOB NOT NULL,
    kind     TEXT NOT NULL,
    run      TEXT NOT NULL,
    asker    TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, kind)
) WITHOUT ROWID;

-- +goose Down
SELECT 1;
