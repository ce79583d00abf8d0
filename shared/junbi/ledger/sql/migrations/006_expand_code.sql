-- A revision is of a dataset, or of code.
ALTER TABLE revision ADD COLUMN kind TEXT NOT NULL DEFAULT 'dataset';

-- The watched lines of code, found by the address that a push names. head is the commit that was looked at last.
CREATE TABLE code_line (
    name TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    webhook TEXT NOT NULL,
    spec TEXT NOT NULL,
    since TEXT NOT NULL,
    head TEXT NOT NULL,
    looked_at TEXT NOT NULL,
    reason TEXT
);
CREATE INDEX code_line_address ON code_line (address);

-- What pushes said of a line since it was looked at last; paths are NULL where a push does not tell them all.
CREATE TABLE push (
    line TEXT NOT NULL,
    ref TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    before TEXT NOT NULL,
    paths TEXT,
    noted_at TEXT NOT NULL,
    PRIMARY KEY (line, before, commit_id)
);

-- Deliveries of webhooks that were verified: what each came to. A repeated id is answered from here.
CREATE TABLE delivery (
    id TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    source TEXT NOT NULL,
    at TEXT NOT NULL,
    times INTEGER NOT NULL,
    outcome TEXT NOT NULL
);
CREATE INDEX delivery_at ON delivery (at);

-- Deliveries that were not: a counter for each endpoint and reason, and the last fifty, by their number modulo fifty.
CREATE TABLE refused_count (
    endpoint TEXT NOT NULL,
    code TEXT NOT NULL,
    times INTEGER NOT NULL,
    last_at TEXT NOT NULL,
    PRIMARY KEY (endpoint, code)
);
CREATE TABLE refused_delivery (
    slot INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    reason TEXT NOT NULL,
    fingerprint TEXT NOT NULL
);
