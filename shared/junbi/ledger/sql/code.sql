-- name: code_line
SELECT spec FROM code_line WHERE name = :name;

-- name: code_lines
SELECT spec FROM code_line ORDER BY name;

-- name: code_lines_at
SELECT spec FROM code_line
WHERE address IN (SELECT value FROM json_each(:addresses)) AND webhook = :webhook ORDER BY name;

-- name: webhooks
SELECT DISTINCT webhook FROM code_line WHERE webhook <> '' ORDER BY webhook;

-- name: put_code_line
-- What is watched anew is looked at anew.
INSERT INTO code_line (name, address, webhook, spec, since, head, looked_at, reason)
VALUES (:name, :address, :webhook, :spec, :now, '', '', NULL)
ON CONFLICT (name) DO UPDATE SET
    head = CASE WHEN code_line.spec = excluded.spec THEN code_line.head ELSE '' END,
    looked_at = CASE WHEN code_line.spec = excluded.spec THEN code_line.looked_at ELSE '' END,
    address = excluded.address, webhook = excluded.webhook, spec = excluded.spec;

-- name: code_line_state
SELECT since, head, looked_at, reason FROM code_line WHERE name = :name;

-- name: save_code_line_state
UPDATE code_line SET head = :head, looked_at = :looked_at, reason = :reason WHERE name = :name;

-- name: drop_code_lines_but
DELETE FROM code_line WHERE name NOT IN (SELECT value FROM json_each(:names));

-- name: note_push
INSERT INTO push (line, ref, commit_id, before, paths, noted_at)
VALUES (:line, :ref, :commit_id, :before, :paths, :now)
ON CONFLICT (line, before, commit_id) DO NOTHING;

-- name: pushes
SELECT ref, commit_id, before, paths FROM push WHERE line = :line ORDER BY noted_at, commit_id;

-- name: drop_pushes
DELETE FROM push WHERE line = :line AND noted_at <= :until;

-- name: delivery
SELECT id, endpoint, source, at, times, outcome FROM delivery WHERE id = :id;

-- name: put_delivery
INSERT INTO delivery (id, endpoint, source, at, times, outcome) VALUES (:id, :endpoint, :source, :now, 1, :outcome)
ON CONFLICT (id) DO UPDATE SET times = delivery.times + 1, outcome = excluded.outcome;

-- name: deliveries
SELECT id, endpoint, source, at, times, outcome FROM delivery ORDER BY at DESC, id LIMIT :most;

-- name: count_refused
INSERT INTO refused_count (endpoint, code, times, last_at) VALUES (:endpoint, :code, :times, :now)
ON CONFLICT (endpoint, code) DO UPDATE SET times = refused_count.times + excluded.times, last_at = excluded.last_at;

-- name: refused_counts
SELECT endpoint, code, times, last_at FROM refused_count ORDER BY endpoint, code;

-- name: put_refused
INSERT INTO refused_delivery (slot, at, endpoint, reason, fingerprint)
VALUES (:slot, :now, :endpoint, :reason, :fingerprint)
ON CONFLICT (slot) DO UPDATE SET
    at = excluded.at, endpoint = excluded.endpoint, reason = excluded.reason, fingerprint = excluded.fingerprint;

-- name: refused
SELECT at, endpoint, reason, fingerprint FROM refused_delivery ORDER BY at DESC, slot LIMIT :most;

-- name: refused_total
SELECT COALESCE(SUM(times), 0) AS total FROM refused_count;
