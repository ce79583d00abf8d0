-- name: arrival
SELECT * FROM arrival WHERE key = :key;

-- name: arrivals
SELECT * FROM arrival ORDER BY noted_at DESC LIMIT :most;

-- name: known_prefixes
SELECT prefix FROM arrival
WHERE dataset = :dataset AND bucket = :bucket AND prefix IN (SELECT value FROM json_each(:prefixes));

-- name: add_arrival
INSERT INTO arrival
    (key, dataset, bucket, prefix, captures, state, opened_at, noted_at, found, dirty, reason, revision, called_at,
     row)
VALUES
    (:key, :dataset, :bucket, :prefix, :captures, :state, :opened_at, :noted_at, :found, :dirty, :reason, :revision,
     :called_at, 1)
ON CONFLICT (key) DO NOTHING;

-- name: save_arrival
UPDATE arrival SET
    state = :state, opened_at = :opened_at, noted_at = :noted_at, found = :found, dirty = :dirty,
    reason = :reason, revision = :revision, called_at = :called_at, row = row + 1
WHERE key = :key AND row = :row;

-- name: quarantine
INSERT INTO quarantine (digest, function, payload, problem, first_at, last_at, times)
VALUES (:digest, :function, :payload, :problem, :now, :now, 1)
ON CONFLICT (digest) DO UPDATE SET last_at = excluded.last_at, times = quarantine.times + 1;

-- name: quarantined
SELECT digest, function, problem, first_at, last_at, times, payload FROM quarantine ORDER BY last_at DESC LIMIT :most;
