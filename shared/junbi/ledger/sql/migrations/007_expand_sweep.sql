-- When the timer looked for what, and how far the sweep over ended uploads came.
INSERT INTO setting (name, value) VALUES
    ('swept_at', ''), ('sweep_begun_at', ''), ('sweep_cursor', ''), ('reconciled_at', ''), ('pruned_at', '');

-- What lies directly under the root of a watch, in no folder of a version: the last one's key, how many, since when.
CREATE TABLE stray (
    dataset TEXT PRIMARY KEY,
    bucket TEXT NOT NULL,
    key TEXT NOT NULL,
    times INTEGER NOT NULL,
    last_at TEXT NOT NULL
);

-- When an event of a dataset was heard last, and how many changes since were found by the timer alone.
CREATE TABLE hearing (
    dataset TEXT PRIMARY KEY,
    heard_at TEXT NOT NULL,
    missed INTEGER NOT NULL,
    missed_at TEXT NOT NULL
);

CREATE INDEX arrival_state ON arrival (state, key);
