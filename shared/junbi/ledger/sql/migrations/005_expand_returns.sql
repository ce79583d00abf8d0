-- An upload's key names its bucket too: <dataset>:<bucket>/<prefix>.
UPDATE story SET subject = (
    SELECT 'arrival:' || dataset || ':' || bucket || '/' || prefix FROM arrival WHERE 'arrival:' || key = story.subject
) WHERE subject IN (SELECT 'arrival:' || key FROM arrival);
UPDATE work SET id = (
    SELECT dataset || ':' || bucket || '/' || prefix FROM arrival WHERE key = work.id
) WHERE kind = 'arrival' AND id IN (SELECT key FROM arrival);
DELETE FROM scan WHERE owner LIKE 'arrival:%';
UPDATE arrival SET key = dataset || ':' || bucket || '/' || prefix;

-- Since when the prefix of a revision holds it; it may have come back after something else had been there.
CREATE TABLE returned (revision TEXT PRIMARY KEY, returned_at TEXT NOT NULL);
