-- name: ask
-- Something calls for a look: at the earlier of both times, and even if a worker is at it just now.
INSERT INTO work (kind, id, due_at, asked, failures, problem, lease, leased_until)
VALUES (:kind, :id, :due_at, 1, 0, '', '', '')
ON CONFLICT (kind, id) DO UPDATE SET
    due_at = CASE WHEN work.due_at < excluded.due_at THEN work.due_at ELSE excluded.due_at END,
    asked = work.asked + 1;

-- name: ask_again
-- The same was said before, so there is no haste: a row that a worker holds is due later, not at once.
INSERT INTO work (kind, id, due_at, asked, failures, problem, lease, leased_until)
VALUES (:kind, :id, :due_at, 1, 0, '', '', '')
ON CONFLICT (kind, id) DO UPDATE SET
    due_at = CASE
        WHEN work.due_at < excluded.due_at AND (work.due_at > :now OR work.leased_until < :now) THEN work.due_at
        ELSE excluded.due_at
    END,
    asked = work.asked + 1;

-- name: claim
-- A lease that ran out is a worker that did not come back: after a few of these a row is given out seldom, so that
-- one which kills whoever looks at it leaves the others room.
UPDATE work SET
    failures = CASE WHEN lease = '' THEN failures ELSE failures + 1 END,
    problem = CASE WHEN lease = '' THEN problem ELSE :died END,
    lease = :lease, leased_until = :until
WHERE (kind, id) IN (
    SELECT kind, id FROM work
    WHERE due_at <= :now AND leased_until < CASE WHEN failures < :patience THEN :now ELSE :seldom END
    ORDER BY due_at, kind, id LIMIT :most
)
RETURNING kind, id, due_at, asked, failures;

-- name: finish
-- Nothing more to do, unless somebody asked meanwhile.
DELETE FROM work WHERE kind = :kind AND id = :id AND lease = :lease AND asked = :asked;

-- name: again
-- Look again later, or at once if somebody asked meanwhile.
UPDATE work SET
    due_at = CASE WHEN asked <> :asked AND due_at < :due_at THEN due_at ELSE :due_at END,
    failures = :failures, problem = :problem, lease = '', leased_until = ''
WHERE kind = :kind AND id = :id AND lease = :lease;

-- name: release_all
UPDATE work SET lease = '', leased_until = '' WHERE lease <> '';

-- name: due
SELECT COUNT(*) AS due, MIN(due_at) AS oldest FROM work
WHERE due_at <= :now AND leased_until < CASE WHEN failures < :patience THEN :now ELSE :seldom END;

-- name: work_of
SELECT due_at, failures, problem FROM work WHERE kind = :kind AND id = :id;

-- name: take_turn
-- One caller in each interval: for pokes, and for looking around.
UPDATE setting SET value = :now WHERE name = :name AND value < :before;

-- name: tell
INSERT INTO story (at, subject, code, message) VALUES (:now, :subject, :code, :message);

-- name: stories
SELECT number, at, subject, code, message FROM story WHERE number > :after ORDER BY number LIMIT :most;

-- name: story_of
SELECT at, subject, code, message FROM story WHERE subject = :subject ORDER BY number;

-- name: without_wake_up
-- Everything that was accepted is at its end or has a wake-up; a launch with a job is followed by its job.
SELECT 'arrival' AS kind, key AS id FROM arrival
WHERE (state IN ('open', 'closing') OR dirty = 1) AND NOT EXISTS (SELECT 1 FROM work WHERE kind = 'arrival' AND id = arrival.key)
UNION ALL
SELECT 'revision', revision FROM registration
WHERE state IN ('pending', 'submitting', 'unknown')
    AND NOT EXISTS (SELECT 1 FROM work WHERE kind = 'revision' AND id = registration.revision)
UNION ALL
SELECT 'launch', id FROM launch
WHERE state IN ('waiting', 'submitting', 'submit_unknown')
    AND NOT EXISTS (SELECT 1 FROM work WHERE work.kind = 'launch' AND work.id = launch.id)
UNION ALL
SELECT 'code', name FROM code_line
WHERE NOT EXISTS (SELECT 1 FROM work WHERE kind = 'code' AND id = code_line.name)
UNION ALL
SELECT 'image', name FROM image_line
WHERE NOT EXISTS (SELECT 1 FROM work WHERE kind = 'image' AND id = image_line.name)
LIMIT :most;
