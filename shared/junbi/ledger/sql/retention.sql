-- name: prune_stories
-- Of things that nobody looks at any more and that nothing happened to since.
DELETE FROM story WHERE number IN (
    SELECT number FROM story
    WHERE at < :before
        AND NOT EXISTS (SELECT 1 FROM story AS later WHERE later.subject = story.subject AND later.at >= :before)
        AND subject NOT IN (SELECT kind || ':' || id FROM work)
    ORDER BY number LIMIT :most
);

-- name: prune_deliveries
DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE at < :before ORDER BY at LIMIT :most);

-- name: prune_quarantine
DELETE FROM quarantine WHERE digest IN (
    SELECT digest FROM quarantine WHERE last_at < :before ORDER BY last_at LIMIT :most
);
