-- name: claim
-- Rows that another worker is just claiming are passed over, not waited for. MATERIALIZED: chosen once, not per row.
WITH free AS MATERIALIZED (
    SELECT kind, id FROM work
    WHERE due_at <= :now AND leased_until < CASE WHEN failures < :patience THEN :now ELSE :seldom END
    ORDER BY due_at, kind, id LIMIT :most
    FOR UPDATE SKIP LOCKED
)
UPDATE work SET
    failures = CASE WHEN work.lease = '' THEN work.failures ELSE work.failures + 1 END,
    problem = CASE WHEN work.lease = '' THEN work.problem ELSE :died END,
    lease = :lease, leased_until = :until
FROM free
WHERE work.kind = free.kind AND work.id = free.id
RETURNING work.kind, work.id, work.due_at, work.asked, work.failures;

-- name: seconds
-- The ledger's time: all instances judge leases and deadlines by one clock, not each by its own.
SELECT EXTRACT(EPOCH FROM clock_timestamp())::double precision AS seconds;
