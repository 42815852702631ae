-- +goose Up

-- The formats that may read and write this database (see schema.go).
CREATE TABLE meta (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    min_reader INTEGER NOT NULL,
    min_writer INTEGER NOT NULL
);
INSERT INTO meta VALUES (1, 1, 1);

-- A tenant's library. Its revision grows with every change that a search could see.
CREATE TABLE libraries (
    tenant     BLOB PRIMARY KEY,
    id         BLOB NOT NULL,
    revision   INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE sources (
    tenant     BLOB NOT NULL,
    id         BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    record     TEXT NOT NULL, -- JSON of corpus.Source
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

-- The ledger. Times are microseconds since 1970 UTC, except in the fingerprint.
CREATE TABLE documents (
    num         INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant      BLOB NOT NULL,
    id          BLOB NOT NULL,
    source      BLOB NOT NULL,
    path        TEXT NOT NULL,
    revision    INTEGER NOT NULL,
    type        TEXT NOT NULL,
    title       TEXT NOT NULL,
    language    TEXT NOT NULL,
    state       TEXT NOT NULL,
    modified    INTEGER NOT NULL,
    indexed_at  INTEGER NOT NULL,
    content     BLOB NOT NULL,
    fingerprint TEXT NOT NULL, -- JSON
    recipe      TEXT NOT NULL,
    error       TEXT NOT NULL,
    report      TEXT NOT NULL, -- JSON
    metadata    TEXT NOT NULL  -- JSON; "fields" has the same for filters
);
CREATE UNIQUE INDEX documents_id ON documents (tenant, id);
CREATE INDEX documents_path ON documents (tenant, source, path);

-- One row a value: text as TEXT, numbers as REAL, booleans as BLOB, which no
-- text or number equals.
CREATE TABLE fields (
    tenant   BLOB NOT NULL,
    key      TEXT NOT NULL,
    value    NOT NULL,
    document INTEGER NOT NULL REFERENCES documents,
    PRIMARY KEY (tenant, key, value, document)
) WITHOUT ROWID;
CREATE INDEX fields_document ON fields (document);

-- The extracted text of each revision that some generation's passages are of.
CREATE TABLE texts (
    tenant   BLOB NOT NULL,
    document INTEGER NOT NULL REFERENCES documents,
    revision INTEGER NOT NULL,
    text     TEXT NOT NULL
);
CREATE UNIQUE INDEX texts_revision ON texts (document, revision);

CREATE TABLE spaces (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     BLOB NOT NULL,
    name       TEXT NOT NULL -- JSON of corpus.Space
);
CREATE UNIQUE INDEX spaces_name ON spaces (tenant, name);

CREATE TABLE generations (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     BLOB NOT NULL,
    space      INTEGER REFERENCES spaces, -- NULL: keyword only
    analyzer   TEXT NOT NULL,
    live       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    chunks     INTEGER NOT NULL, -- statistics for BM25
    length     INTEGER NOT NULL
);
CREATE UNIQUE INDEX generations_live ON generations (tenant) WHERE live = 1;

-- What a document's passages in a generation were made of. "changed" is the
-- library revision of the commit.
CREATE TABLE made (
    tenant     BLOB NOT NULL,
    generation INTEGER NOT NULL REFERENCES generations,
    document   INTEGER NOT NULL REFERENCES documents,
    revision   INTEGER NOT NULL,
    recipe     TEXT NOT NULL,
    chunks     INTEGER NOT NULL,
    embedded   INTEGER NOT NULL,
    changed    INTEGER NOT NULL,
    PRIMARY KEY (generation, document)
) WITHOUT ROWID;
CREATE INDEX made_document ON made (document, revision);
CREATE INDEX made_waiting ON made (generation, changed DESC) WHERE embedded < chunks;

-- Passages. "embedded" is the library revision at which the passage got its
-- vector, NULL while it has none. "entry" is a digest of what is indexed.
CREATE TABLE chunks (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     BLOB NOT NULL,
    generation INTEGER NOT NULL REFERENCES generations,
    document   INTEGER NOT NULL REFERENCES documents,
    position   INTEGER NOT NULL,
    embedded   INTEGER,
    id         BLOB NOT NULL,
    hash       BLOB NOT NULL,
    entry      BLOB NOT NULL,
    length     INTEGER NOT NULL,
    terms      BLOB NOT NULL,
    record     TEXT NOT NULL, -- JSON of the rest of corpus.Chunk
    content    TEXT NOT NULL
);
CREATE UNIQUE INDEX chunks_id ON chunks (generation, id);
CREATE INDEX chunks_document ON chunks (document, generation, position);
CREATE INDEX chunks_hash ON chunks (generation, hash);

-- Vectors by input, float32 little-endian. Those that no passage uses are the cache.
CREATE TABLE vectors (
    num     INTEGER PRIMARY KEY,
    tenant  BLOB NOT NULL,
    space   INTEGER NOT NULL REFERENCES spaces,
    hash    BLOB NOT NULL,
    uses    INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    vector  BLOB NOT NULL
);
CREATE UNIQUE INDEX vectors_hash ON vectors (space, hash);
CREATE INDEX vectors_unused ON vectors (tenant, used_at) WHERE uses = 0;

-- Eight-bit copies of the vectors that passages use (package scan), for the
-- vector leg: rows are in the order in which passages got their vectors, and
-- never change but for dying.
CREATE TABLE codes (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     BLOB NOT NULL,
    generation INTEGER NOT NULL REFERENCES generations,
    first      INTEGER NOT NULL, -- lowest and highest library revision of a row
    last       INTEGER NOT NULL,
    count      INTEGER NOT NULL, -- rows, dead ones included
    dead       INTEGER NOT NULL,
    dead_set   BLOB,             -- bitset.Set of places
    chunks     BLOB NOT NULL     -- the rows' passages, 8 bytes each
);
CREATE INDEX codes_range ON codes (generation, first);

CREATE TABLE code_blocks (
    codes  INTEGER PRIMARY KEY REFERENCES codes,
    tenant BLOB NOT NULL,
    data   BLOB NOT NULL
);

-- The inverted index (package postings).
CREATE TABLE segments (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant     BLOB NOT NULL,
    generation INTEGER NOT NULL REFERENCES generations,
    first      INTEGER NOT NULL, -- lowest and highest number of a passage
    last       INTEGER NOT NULL,
    chunks     INTEGER NOT NULL, -- dead ones included
    dead       INTEGER NOT NULL,
    dead_set   BLOB              -- bitset.Set, counted from first
);
CREATE INDEX segments_range ON segments (generation, first);

CREATE TABLE blocks (
    num     INTEGER PRIMARY KEY,
    tenant  BLOB NOT NULL,
    segment INTEGER NOT NULL REFERENCES segments,
    key     BLOB NOT NULL,
    data    BLOB NOT NULL
);
CREATE UNIQUE INDEX blocks_key ON blocks (segment, key);

CREATE TABLE runs (
    tenant      BLOB NOT NULL,
    id          TEXT NOT NULL,
    kind        TEXT NOT NULL,
    state       TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER, -- NULL: running
    summary     BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX runs_started ON runs (tenant, started_at DESC, id);

-- +goose Down
SELECT 1;
