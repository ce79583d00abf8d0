-- What people and policies say of a launch. Times that do not apply are empty.
ALTER TABLE launch ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
ALTER TABLE launch ADD COLUMN approved_by TEXT NOT NULL DEFAULT '';
ALTER TABLE launch ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1;
ALTER TABLE launch ADD COLUMN not_before TEXT NOT NULL DEFAULT '';
ALTER TABLE launch ADD COLUMN since TEXT NOT NULL DEFAULT '';
ALTER TABLE launch ADD COLUMN stop TEXT;
CREATE INDEX launch_plan_state ON launch (plan, state, created_at);

-- One row for each attempt of a launch that was submitted: begun_at is when its first try was stored.
CREATE TABLE attempt (
    launch TEXT NOT NULL,
    number INTEGER NOT NULL,
    plan TEXT NOT NULL,
    begun_at TEXT NOT NULL,
    job_id TEXT NOT NULL,
    job_status TEXT NOT NULL,
    PRIMARY KEY (launch, number)
);
CREATE INDEX attempt_plan ON attempt (plan, begun_at);
CREATE INDEX attempt_begun ON attempt (begun_at, number);

-- The revisions that came while a plan settles, until its deadline in "work".
CREATE TABLE settling (
    plan TEXT NOT NULL,
    revision TEXT NOT NULL,
    noted_at TEXT NOT NULL,
    PRIMARY KEY (plan, revision)
);

-- Plans that launch nothing until somebody thaws them; the empty name stands for all.
CREATE TABLE frozen (plan TEXT PRIMARY KEY, frozen_by TEXT NOT NULL, frozen_at TEXT NOT NULL);
