-- name: applied_migrations
SELECT number, kind FROM migration;

-- name: add_migration
INSERT INTO migration (number, kind) VALUES (:number, :kind) ON CONFLICT (number) DO NOTHING;
