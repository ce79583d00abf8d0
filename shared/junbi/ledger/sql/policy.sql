-- name: launches_of_plan
-- Of one state, as the index has them: of several, all that wait would be sorted for the first few.
SELECT * FROM launch WHERE plan = :plan AND state = :state ORDER BY created_at, id LIMIT :most;

-- name: launched_with
-- The last launch of a plan that trains on a revision.
SELECT launch.* FROM launch_pin JOIN launch ON launch.id = launch_pin.launch
WHERE launch_pin.revision = :revision AND launch_pin.input = :input AND launch.plan = :plan
ORDER BY launch.created_at DESC, launch.id LIMIT 1;

-- name: add_attempt
-- Once, however many tries it takes.
INSERT INTO attempt (launch, number, plan, begun_at, job_id, job_status)
VALUES (:launch, :number, :plan, :now, '', '')
ON CONFLICT (launch, number) DO NOTHING;

-- name: save_attempt
UPDATE attempt SET job_id = :job_id, job_status = :job_status WHERE launch = :launch AND number = :number;

-- name: attempts
SELECT * FROM attempt WHERE launch = :launch ORDER BY number;

-- name: begun_since
-- The attempts of a plan that began after a time, but for one.
SELECT * FROM attempt
WHERE plan = :plan AND begun_at > :after AND NOT (launch = :launch AND number = :number) ORDER BY begun_at;

-- name: retried_since
-- The further attempts, of whatever plan, that began after a time, but for one.
SELECT * FROM attempt
WHERE begun_at > :after AND number > 1 AND NOT (launch = :launch AND number = :number) ORDER BY begun_at;

-- name: freeze
INSERT INTO frozen (plan, frozen_by, frozen_at) VALUES (:plan, :by, :now)
ON CONFLICT (plan) DO NOTHING;

-- name: thaw
DELETE FROM frozen WHERE plan = :plan;

-- name: frozen
SELECT * FROM frozen WHERE plan IN ('', :plan) ORDER BY plan LIMIT 1;

-- name: freezes
SELECT * FROM frozen ORDER BY plan;

-- name: settle
INSERT INTO settling (plan, revision, noted_at) VALUES (:plan, :revision, :now)
ON CONFLICT (plan, revision) DO NOTHING;

-- name: settling
SELECT revision, noted_at FROM settling WHERE plan = :plan ORDER BY noted_at, revision;

-- name: settled
DELETE FROM settling WHERE plan = :plan;
