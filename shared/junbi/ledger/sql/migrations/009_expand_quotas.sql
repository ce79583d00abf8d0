-- PAI's quotas as they were read last. gone_at is set where a whole reading did not show one any more.
CREATE TABLE quota_snapshot (
    region TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    declared TEXT NOT NULL,
    details TEXT NOT NULL,
    read_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    gone_at TEXT NOT NULL,
    PRIMARY KEY (region, id)
);

-- When each kind of quota was read as a whole last, and why the last try failed, if it did.
CREATE TABLE quota_reading (
    region TEXT NOT NULL,
    kind TEXT NOT NULL,
    read_at TEXT NOT NULL,
    problem TEXT NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (region, kind)
);
