-- name: quota_snapshots
SELECT id, kind, declared, details, read_at, changed_at, gone_at FROM quota_snapshot
WHERE region = :region ORDER BY kind, id;

-- name: put_quota_snapshot
-- Under the row version of its kind's reading. A quota is of one kind for ever.
INSERT INTO quota_snapshot (region, id, kind, declared, details, read_at, changed_at, gone_at)
VALUES (:region, :id, :kind, :declared, :details, :read_at, :changed_at, :gone_at)
ON CONFLICT (region, id) DO UPDATE SET
    kind = excluded.kind, declared = excluded.declared, details = excluded.details,
    read_at = excluded.read_at, changed_at = excluded.changed_at, gone_at = excluded.gone_at;

-- name: quota_readings
SELECT kind, read_at, problem, row FROM quota_reading WHERE region = :region ORDER BY kind;

-- name: add_quota_reading
INSERT INTO quota_reading (region, kind, read_at, problem, row) VALUES (:region, :kind, :read_at, :problem, 1)
ON CONFLICT (region, kind) DO NOTHING;

-- name: save_quota_reading
UPDATE quota_reading SET read_at = :read_at, problem = :problem, row = row + 1
WHERE region = :region AND kind = :kind AND row = :row;
