-- name: setting
SELECT value FROM setting WHERE name = :name;

-- name: set_setting
INSERT INTO setting (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: add_generation
INSERT INTO generation (number, document, applied_at)
VALUES ((SELECT COALESCE(MAX(number), 0) + 1 FROM generation), :document, :now)
RETURNING number;

-- name: latest_generation
SELECT number, document, applied_at FROM generation ORDER BY number DESC LIMIT 1;

-- name: watch
SELECT spec, since FROM watch WHERE dataset = :dataset;

-- name: watches
SELECT spec, since FROM watch ORDER BY dataset;

-- name: watches_at
SELECT spec FROM watch WHERE bucket = :bucket AND root IN (SELECT value FROM json_each(:roots));

-- name: put_watch
-- A watch on the same place keeps the time since which it watches.
INSERT INTO watch (dataset, bucket, root, spec, since) VALUES (:dataset, :bucket, :root, :spec, :now)
ON CONFLICT (dataset) DO UPDATE SET
    since = CASE
        WHEN watch.bucket = excluded.bucket AND watch.root = excluded.root THEN watch.since
        ELSE excluded.since
    END,
    bucket = excluded.bucket, root = excluded.root, spec = excluded.spec;

-- name: drop_watches_but
DELETE FROM watch WHERE dataset NOT IN (SELECT value FROM json_each(:datasets));

-- name: plan
SELECT spec FROM plan WHERE name = :name;

-- name: plans_naming
SELECT plan.name, plan.spec FROM plan_input JOIN plan ON plan.name = plan_input.plan
WHERE plan_input.input = :input ORDER BY plan.name;

-- name: inputs_beside
SELECT DISTINCT other.input FROM plan_input AS mine JOIN plan_input AS other ON other.plan = mine.plan
WHERE mine.input = :input AND other.input <> :input ORDER BY other.input;

-- name: put_plan
INSERT INTO plan (name, spec) VALUES (:name, :spec)
ON CONFLICT (name) DO UPDATE SET spec = excluded.spec;

-- name: drop_plans_but
DELETE FROM plan WHERE name NOT IN (SELECT value FROM json_each(:plans));

-- name: drop_plan_inputs
DELETE FROM plan_input;

-- name: put_plan_input
INSERT INTO plan_input (input, plan) VALUES (:input, :plan);

-- name: token
SELECT owner FROM token WHERE digest = :digest;

-- name: put_token
INSERT INTO token (digest, owner, created_at) VALUES (:digest, :owner, :now)
ON CONFLICT (digest) DO NOTHING;
