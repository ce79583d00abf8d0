-- name: launch
SELECT * FROM launch WHERE id = :id;

-- name: launches
SELECT * FROM launch ORDER BY created_at DESC, id LIMIT :most;

-- name: launches_in
SELECT * FROM launch WHERE state IN (SELECT value FROM json_each(:states)) ORDER BY created_at, id;

-- name: launches_pinning
SELECT launch.* FROM launch_pin JOIN launch ON launch.id = launch_pin.launch WHERE launch_pin.revision = :revision;

-- name: launch_by_identity
SELECT * FROM launch WHERE identity = :identity ORDER BY rerun DESC LIMIT 1;

-- name: launch_by_trigger
SELECT * FROM launch WHERE trigger_key = :trigger_key ORDER BY created_at DESC LIMIT 1;

-- name: add_launch
INSERT INTO launch
    (id, plan, identity, rerun, trigger_key, pins, params, spec, generation, state, job_id, job_status, reason,
     checks, made_by, approved_by, attempt, not_before, since, stop, created_at, updated_at, row)
VALUES
    (:id, :plan, :identity, :rerun, :trigger_key, :pins, :params, :spec, :generation, :state, :job_id, :job_status,
     :reason, :checks, :made_by, :approved_by, :attempt, :not_before, :since, :stop, :created_at, :updated_at, 1)
ON CONFLICT DO NOTHING;

-- name: add_pin
INSERT INTO launch_pin (revision, launch, input) VALUES (:revision, :launch, :input)
ON CONFLICT DO NOTHING;

-- name: save_launch
-- In a state that a launch may go to from where it stands, or in the same one.
UPDATE launch SET
    spec = :spec, generation = :generation, state = :state, job_id = :job_id, job_status = :job_status,
    reason = :reason, checks = :checks, approved_by = :approved_by, attempt = :attempt, not_before = :not_before,
    since = :since, stop = :stop, updated_at = :updated_at, row = row + 1
WHERE id = :id AND row = :row AND state IN (SELECT value FROM json_each(:before));

-- name: add_try
INSERT INTO try (owner, operation, nonce, date, body, stored_at, outcome, detail, region, workspace)
VALUES (:owner, :operation, :nonce, :date, :body, :stored_at, '', '', :region, :workspace)
RETURNING number;

-- name: save_try
UPDATE try SET outcome = :outcome, detail = :detail WHERE number = :number;

-- name: try_gone
UPDATE try SET outcome = 'gone' WHERE owner = :owner AND outcome = 'done';

-- name: place_tries
UPDATE try SET region = :region, workspace = :workspace WHERE region = '';

-- name: tries
SELECT * FROM try WHERE owner = :owner ORDER BY number;
