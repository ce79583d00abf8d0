-- name: revision
SELECT * FROM revision WHERE id = :id;

-- name: revisions
SELECT * FROM revision ORDER BY created_at DESC, id LIMIT :most;

-- name: revisions_of
SELECT * FROM revision WHERE dataset = :dataset;

-- name: add_revision
INSERT INTO revision
    (id, dataset, label, bucket, prefix, captures, digest, members, size, newest_at, created_at, kind)
VALUES
    (:id, :dataset, :label, :bucket, :prefix, :captures, :digest, :members, :size, :newest_at, :created_at, :kind)
ON CONFLICT (id) DO NOTHING;

-- name: add_registration
INSERT INTO registration (revision, state, dataset_id, version_name, reason, row)
VALUES (:revision, :state, '', '', NULL, 1)
ON CONFLICT (revision) DO NOTHING;

-- name: registration
SELECT * FROM registration WHERE revision = :revision;

-- name: registered_dataset_id
-- Each digest of an image has an id of its own: which one it is counts for nothing, but it is the same when asked again.
SELECT registration.dataset_id FROM registration JOIN revision ON revision.id = registration.revision
WHERE revision.dataset = :dataset AND registration.dataset_id <> ''
AND registration.region IN ('', :region) AND registration.workspace IN ('', :workspace)
ORDER BY registration.dataset_id LIMIT 1;

-- name: forget_dataset
UPDATE registration SET dataset_id = '', version_name = '', row = row + 1 WHERE dataset_id = :dataset_id;

-- name: place_registrations
UPDATE registration SET region = :region, workspace = :workspace WHERE region = '' AND dataset_id <> '';

-- name: save_registration
UPDATE registration SET
    state = :state, dataset_id = :dataset_id, version_name = :version_name, reason = :reason,
    region = :region, workspace = :workspace, row = row + 1
WHERE revision = :revision AND row = :row;

-- name: head
SELECT revision.* FROM head JOIN revision ON revision.id = head.revision WHERE head.dataset = :dataset;

-- name: put_head
INSERT INTO head (dataset, revision) VALUES (:dataset, :revision)
ON CONFLICT (dataset) DO UPDATE SET revision = excluded.revision;

-- name: registering
-- Of one dataset, one registration is under way at a time, the oldest first; what was begun is ended first, though an
-- older one was stored meanwhile.
SELECT registration.revision FROM registration JOIN revision ON revision.id = registration.revision
WHERE revision.dataset = :dataset AND registration.state IN ('pending', 'submitting', 'unknown')
ORDER BY registration.state = 'pending', revision.created_at, revision.id LIMIT 1;

-- name: registrations_not_done
SELECT * FROM registration WHERE state IN ('refused', 'pending');
