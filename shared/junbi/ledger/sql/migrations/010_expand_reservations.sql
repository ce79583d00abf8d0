-- What launches ask of quotas, and since when they hold it: one row for a launch while it waits for its turn, and until
-- its job ended. choice is 0 for the plan's own resource, and quota is empty where a fallback runs on a public one.
CREATE TABLE reservation (
    launch TEXT PRIMARY KEY,
    attempt INTEGER NOT NULL,
    choice INTEGER NOT NULL,
    region TEXT NOT NULL,
    quota TEXT NOT NULL,
    need TEXT NOT NULL,
    queue TEXT NOT NULL,
    priority INTEGER NOT NULL,
    made_at TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    held_at TEXT NOT NULL
);

CREATE INDEX reservation_line ON reservation (region, quota, held_at, priority DESC, made_at, launch);
