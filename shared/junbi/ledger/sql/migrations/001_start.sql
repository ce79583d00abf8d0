-- Times are UTC, written 2026-11-30T20:02:15.000000Z, so that they sort as text. Documents are JSON.
-- Every row that is decided upon has a "row" version: a save names the version it read.

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO setting (name, value) VALUES ('poked_at', ''), ('discovered_at', '');

-- What was applied, whole, for people and for diff.
CREATE TABLE generation (
    number INTEGER PRIMARY KEY,
    document TEXT NOT NULL,
    applied_at TEXT NOT NULL
);

-- The generation in force, as rows that a function can look up by what it has in its hand.
CREATE TABLE watch (
    dataset TEXT PRIMARY KEY,
    bucket TEXT NOT NULL,
    root TEXT NOT NULL,
    spec TEXT NOT NULL,
    since TEXT NOT NULL
);
CREATE INDEX watch_place ON watch (bucket, root);

CREATE TABLE plan (name TEXT PRIMARY KEY, spec TEXT NOT NULL);

CREATE TABLE plan_input (
    input TEXT NOT NULL,
    plan TEXT NOT NULL,
    PRIMARY KEY (input, plan)
);

CREATE TABLE arrival (
    key TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    bucket TEXT NOT NULL,
    prefix TEXT NOT NULL,
    captures TEXT NOT NULL,
    state TEXT NOT NULL,
    opened_at TEXT NOT NULL,
    noted_at TEXT NOT NULL,
    found INTEGER NOT NULL,
    dirty INTEGER NOT NULL,
    reason TEXT,
    revision TEXT NOT NULL,
    row INTEGER NOT NULL
);
CREATE INDEX arrival_dataset ON arrival (dataset, state);

-- Never updated: a revision is immutable.
CREATE TABLE revision (
    id TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    label TEXT NOT NULL,
    bucket TEXT NOT NULL,
    prefix TEXT NOT NULL,
    captures TEXT NOT NULL,
    digest TEXT NOT NULL,
    members INTEGER NOT NULL,
    size INTEGER NOT NULL,
    newest_at TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX revision_dataset ON revision (dataset, created_at);

-- The newest revision of each dataset, by the dataset's own order.
CREATE TABLE head (dataset TEXT PRIMARY KEY, revision TEXT NOT NULL);

CREATE TABLE registration (
    revision TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    dataset_id TEXT NOT NULL,
    version_name TEXT NOT NULL,
    reason TEXT,
    row INTEGER NOT NULL
);

CREATE TABLE launch (
    id TEXT PRIMARY KEY,
    plan TEXT NOT NULL,
    identity TEXT NOT NULL,
    rerun INTEGER NOT NULL,
    trigger_key TEXT NOT NULL,
    pins TEXT NOT NULL,
    params TEXT NOT NULL,
    spec TEXT NOT NULL,
    generation INTEGER NOT NULL,
    state TEXT NOT NULL,
    job_id TEXT NOT NULL,
    job_status TEXT NOT NULL,
    reason TEXT,
    checks TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    row INTEGER NOT NULL,
    UNIQUE (identity, rerun)
);
CREATE INDEX launch_trigger ON launch (trigger_key);
CREATE INDEX launch_plan ON launch (plan, created_at);
CREATE INDEX launch_state ON launch (state);

CREATE TABLE launch_pin (
    revision TEXT NOT NULL,
    launch TEXT NOT NULL,
    input TEXT NOT NULL,
    PRIMARY KEY (revision, launch, input)
);

-- One sending of a create, stored before it is sent.
CREATE TABLE try (
    number INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    operation TEXT NOT NULL,
    nonce TEXT NOT NULL,
    date TEXT NOT NULL,
    body TEXT NOT NULL,
    stored_at TEXT NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX try_owner ON try (owner, number);

-- What has to be looked at, and when. A worker leases a row; "asked" counts the calls for a look, so that one
-- that comes while the worker is busy is not lost.
CREATE TABLE work (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    due_at TEXT NOT NULL,
    asked INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    problem TEXT NOT NULL,
    lease TEXT NOT NULL,
    leased_until TEXT NOT NULL,
    PRIMARY KEY (kind, id)
);
CREATE INDEX work_due ON work (due_at);

-- What happened, in words, for people.
CREATE TABLE story (
    number INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    subject TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL
);
CREATE INDEX story_subject ON story (subject, number);

-- Payloads that a verified caller sent and that could not be read.
CREATE TABLE quarantine (
    digest TEXT PRIMARY KEY,
    function TEXT NOT NULL,
    payload TEXT NOT NULL,
    problem TEXT NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    times INTEGER NOT NULL
);

CREATE TABLE token (
    digest TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    created_at TEXT NOT NULL
);
