-- name: image_line
SELECT spec FROM image_line WHERE name = :name;

-- name: image_lines
SELECT spec FROM image_line ORDER BY name;

-- name: image_lines_at
SELECT spec FROM image_line
WHERE path = :path AND (:host = '' OR host = :host) AND webhook = :webhook AND unsigned >= :unsigned ORDER BY name;

-- name: image_lines_of
SELECT spec FROM image_line WHERE path = :path AND (:host = '' OR host = :host) ORDER BY name;

-- name: image_webhooks
SELECT webhook, MAX(unsigned) AS unsigned FROM image_line WHERE webhook <> '' GROUP BY webhook ORDER BY webhook;

-- name: put_image_line
-- What is watched anew is looked at anew.
INSERT INTO image_line (name, host, path, webhook, unsigned, spec, since, head, looked_at, reason, seen)
VALUES (:name, :host, :path, :webhook, :unsigned, :spec, :now, '', '', NULL, '{}')
ON CONFLICT (name) DO UPDATE SET
    head = CASE WHEN image_line.spec = excluded.spec THEN image_line.head ELSE '' END,
    looked_at = CASE WHEN image_line.spec = excluded.spec THEN image_line.looked_at ELSE '' END,
    seen = CASE WHEN image_line.spec = excluded.spec THEN image_line.seen ELSE '{}' END,
    host = excluded.host, path = excluded.path, webhook = excluded.webhook, unsigned = excluded.unsigned,
    spec = excluded.spec;

-- name: image_line_state
SELECT since, head, looked_at, reason, seen FROM image_line WHERE name = :name;

-- name: save_image_line_state
UPDATE image_line SET head = :head, looked_at = :looked_at, reason = :reason, seen = :seen WHERE name = :name;

-- name: drop_image_lines_but
DELETE FROM image_line WHERE name NOT IN (SELECT value FROM json_each(:names));

-- name: note_image_push
INSERT INTO image_push (line, tag, noted_at) VALUES (:line, :tag, :now)
ON CONFLICT (line, tag) DO UPDATE SET noted_at = excluded.noted_at;

-- name: image_pushes
SELECT tag FROM image_push WHERE line = :line ORDER BY noted_at, tag;

-- name: drop_image_pushes
DELETE FROM image_push WHERE line = :line AND noted_at <= :until;

-- name: drop_image_pushes_but
DELETE FROM image_push WHERE line NOT IN (SELECT value FROM json_each(:names));
