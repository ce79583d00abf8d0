-- name: stray
SELECT bucket, key, times, last_at FROM stray WHERE dataset = :dataset;

-- name: put_stray
INSERT INTO stray (dataset, bucket, key, times, last_at) VALUES (:dataset, :bucket, :key, :times, :last_at)
ON CONFLICT (dataset) DO UPDATE SET
    bucket = excluded.bucket, key = excluded.key, times = excluded.times, last_at = excluded.last_at;

-- name: drop_stray
DELETE FROM stray WHERE dataset = :dataset;

-- name: hearing
SELECT heard_at, missed, missed_at FROM hearing WHERE dataset = :dataset;

-- name: heard
INSERT INTO hearing (dataset, heard_at, missed, missed_at) VALUES (:dataset, :now, 0, '')
ON CONFLICT (dataset) DO UPDATE SET heard_at = excluded.heard_at, missed = 0, missed_at = '';

-- name: missed
INSERT INTO hearing (dataset, heard_at, missed, missed_at) VALUES (:dataset, '', 1, :now)
ON CONFLICT (dataset) DO UPDATE SET missed = hearing.missed + 1, missed_at = excluded.missed_at;
