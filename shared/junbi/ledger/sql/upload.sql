-- name: scan
SELECT token, state FROM scan WHERE owner = :owner;

-- name: put_scan
INSERT INTO scan (owner, token, state) VALUES (:owner, :token, :state)
ON CONFLICT (owner) DO UPDATE SET token = excluded.token, state = excluded.state;

-- name: drop_scan
DELETE FROM scan WHERE owner = :owner;

-- name: arrivals_held_back
SELECT * FROM arrival WHERE dataset = :dataset AND (
    state IN ('refused', 'incomplete') OR (state = 'ignored' AND reason LIKE '%"NotWatched"%')
) ORDER BY key;

-- name: next_arrivals
SELECT * FROM arrival WHERE key > :after AND state IN ('closed', 'incomplete', 'ignored', 'refused') ORDER BY key LIMIT :most;

-- name: expectation
SELECT dataset, due_at, since, delivered_at, missed, row FROM expectation WHERE dataset = :dataset;

-- name: expectations
SELECT dataset, due_at, since, delivered_at, missed, row FROM expectation ORDER BY dataset;

-- name: add_expectation
INSERT INTO expectation (dataset, due_at, since, delivered_at, missed, row)
VALUES (:dataset, :due_at, :since, :delivered_at, :missed, 1)
ON CONFLICT (dataset) DO NOTHING;

-- name: save_expectation
UPDATE expectation SET
    due_at = :due_at, since = :since, delivered_at = :delivered_at, missed = :missed, row = row + 1
WHERE dataset = :dataset AND row = :row;

-- name: drop_expectations_but
DELETE FROM expectation WHERE dataset NOT IN (SELECT value FROM json_each(:datasets));

-- name: add_note
INSERT INTO launch_note (launch, subject, reason, noted_at) VALUES (:launch, :subject, :reason, :now)
ON CONFLICT (launch, subject) DO NOTHING;

-- name: notes_of
SELECT launch, subject, reason, noted_at FROM launch_note
WHERE launch IN (SELECT value FROM json_each(:launches)) ORDER BY launch, subject;

-- name: adopting
-- Found by a listing and not looked at yet.
SELECT COUNT(*) AS number FROM arrival
WHERE dataset = :dataset AND key <> :key AND found = 1 AND state IN ('open', 'closing') AND reason IS NULL;

-- name: put_member_list
INSERT INTO member_list (revision, uri) VALUES (:revision, :uri)
ON CONFLICT (revision) DO UPDATE SET uri = excluded.uri;

-- name: member_lists_of
SELECT revision, uri FROM member_list WHERE revision IN (SELECT value FROM json_each(:revisions));

-- name: put_returned
INSERT INTO returned (revision, returned_at) VALUES (:revision, :now)
ON CONFLICT (revision) DO UPDATE SET returned_at = excluded.returned_at;

-- name: held_revisions
-- Of each upload what it was closed with last: what its prefix held before is nobody's newest.
SELECT revision.id, revision.dataset, revision.label, revision.bucket, revision.prefix, revision.captures,
    revision.digest, revision.members, revision.size, revision.newest_at, revision.kind,
    COALESCE(returned.returned_at, revision.created_at) AS created_at
FROM arrival JOIN revision ON revision.id = arrival.revision
LEFT JOIN returned ON returned.revision = revision.id
WHERE arrival.dataset = :dataset AND arrival.bucket = :bucket;
