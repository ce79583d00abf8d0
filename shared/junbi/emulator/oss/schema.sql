-- Keys are blobs: SQLite then orders them by their UTF-8 bytes, as OSS lists them.
CREATE TABLE IF NOT EXISTS bucket (
    name TEXT PRIMARY KEY,
    created INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS object (
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified INTEGER NOT NULL,
    kind TEXT NOT NULL,
    crc64 TEXT NOT NULL,
    headers TEXT NOT NULL,
    blob TEXT NOT NULL,
    PRIMARY KEY (bucket, key)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS upload (
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    id TEXT NOT NULL,
    initiated INTEGER NOT NULL,
    headers TEXT NOT NULL,
    PRIMARY KEY (bucket, key, id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS part (
    upload TEXT NOT NULL,
    number INTEGER NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    crc64 TEXT NOT NULL,
    modified INTEGER NOT NULL,
    blob TEXT NOT NULL,
    PRIMARY KEY (upload, number)
) WITHOUT ROWID;
