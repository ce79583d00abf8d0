-- The watched images, found by what a push tells: repository, registry if it says so, and secret. head is the digest
-- that was looked at last; seen are the tags of a pattern, as JSON, where the newest in time counts.
CREATE TABLE image_line (
    name TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    path TEXT NOT NULL,
    webhook TEXT NOT NULL,
    unsigned INTEGER NOT NULL,
    spec TEXT NOT NULL,
    since TEXT NOT NULL,
    head TEXT NOT NULL,
    looked_at TEXT NOT NULL,
    reason TEXT,
    seen TEXT NOT NULL
);
CREATE INDEX image_line_path ON image_line (path);

-- The tags that pushes told of since an image was looked at last.
CREATE TABLE image_push (
    line TEXT NOT NULL,
    tag TEXT NOT NULL,
    noted_at TEXT NOT NULL,
    PRIMARY KEY (line, tag)
);
