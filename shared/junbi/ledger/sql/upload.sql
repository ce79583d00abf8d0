-- name: scan
SELECT token, state FROM scan WHERE owner = :owner;

-- name: put_scan
INSERT INTO scan (owner, token, state) VALUES (:owner, :token, :state)
ON CONFLICT (owner) DO UPDATE SET token = excluded.token, state = excluded.state;

-- name: drop_scan
DELETE FROM scan WHERE owner = :owner;

-- name: arrivals_refused
SELECT * FROM arrival WHERE dataset = :dataset AND state = 'refused' ORDER BY key;

-- name: next_arrivals
SELECT * FROM arrival WHERE key > :after AND state IN ('closed', 'incomplete', 'ignored') ORDER BY key LIMIT :most;
