-- name: launch_counts
SELECT state, COUNT(*) AS number FROM launch GROUP BY state;

-- name: newest_launches_in
SELECT * FROM launch WHERE state IN (SELECT value FROM json_each(:states))
ORDER BY created_at DESC, id LIMIT :most;

-- name: arrival_counts
SELECT state, COUNT(*) AS number FROM arrival GROUP BY state;

-- name: newest_arrivals_in
SELECT * FROM arrival WHERE state IN (SELECT value FROM json_each(:states))
ORDER BY noted_at DESC, key LIMIT :most;

-- name: newest_revisions
SELECT revision.*, registration.state AS registration_state, registration.dataset_id, registration.version_name,
    registration.reason AS registration_reason, head.revision IS NOT NULL AS is_head
FROM revision
JOIN registration ON registration.revision = revision.id
LEFT JOIN head ON head.revision = revision.id
ORDER BY revision.created_at DESC, revision.id LIMIT :most;

-- name: revision_count
SELECT COUNT(*) AS number FROM revision;

-- name: quarantine_count
SELECT COUNT(*) AS number FROM quarantine;

-- name: revisions_with_ids
SELECT * FROM revision WHERE id IN (SELECT value FROM json_each(:ids));

-- name: work_of_many
SELECT id, due_at, failures, problem FROM work WHERE kind = :kind AND id IN (SELECT value FROM json_each(:ids));

-- name: stories_of
SELECT number, at, subject, code, message FROM story
WHERE subject IN (SELECT value FROM json_each(:subjects)) ORDER BY number;

-- name: tries_of
-- Without body, nonce and date: nobody needs them to see what happened, and a body may hold what should not be shown.
SELECT number, owner, operation, stored_at, outcome, detail FROM try
WHERE owner IN (SELECT value FROM json_each(:owners)) ORDER BY number;
