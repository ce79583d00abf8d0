-- name: reservation
SELECT reservation.*, launch.state, launch.since
FROM reservation JOIN launch ON launch.id = reservation.launch WHERE reservation.launch = :launch;

-- name: put_reservation
INSERT INTO reservation
    (launch, attempt, choice, region, quota, need, queue, priority, made_at, asked_at, held_at)
VALUES
    (:launch, :attempt, :choice, :region, :quota, :need, :queue, :priority, :made_at, :asked_at, :held_at)
ON CONFLICT (launch) DO UPDATE SET
    attempt = excluded.attempt, choice = excluded.choice, region = excluded.region, quota = excluded.quota,
    need = excluded.need, queue = excluded.queue, priority = excluded.priority, made_at = excluded.made_at,
    asked_at = excluded.asked_at, held_at = excluded.held_at;

-- name: reservations_held
SELECT reservation.*, launch.state, launch.since
FROM reservation JOIN launch ON launch.id = reservation.launch
WHERE reservation.region = :region AND reservation.quota = :quota AND reservation.held_at <> ''
ORDER BY reservation.held_at, reservation.launch;

-- name: reservations_waiting
SELECT reservation.*, launch.state, launch.since
FROM reservation JOIN launch ON launch.id = reservation.launch
WHERE reservation.region = :region AND reservation.quota = :quota AND reservation.held_at = ''
ORDER BY reservation.priority DESC, reservation.made_at, reservation.launch LIMIT :most;

-- name: reservations_in_line
SELECT COUNT(*) AS waiting FROM reservation WHERE region = :region AND quota = :quota AND held_at = '';

-- name: reservations_ahead
SELECT COUNT(*) AS ahead FROM reservation
WHERE region = :region AND quota = :quota AND held_at = '' AND (
    priority > :priority
    OR (priority = :priority AND (made_at < :made_at OR (made_at = :made_at AND launch < :launch)))
);

-- name: free_reservation
DELETE FROM reservation WHERE launch = :launch AND (attempt <> :attempt OR :over = 1);

-- name: wake_quota
-- Whoever waits for a quota in which something of ours moved.
INSERT INTO work (kind, id, due_at, asked, failures, problem, lease, leased_until)
SELECT 'quota', quota, :due_at, 1, 0, '', '', '' FROM reservation
WHERE launch = :launch AND quota <> '' AND (attempt <> :attempt OR :moved = 1)
ON CONFLICT (kind, id) DO UPDATE SET
    due_at = CASE WHEN work.due_at < excluded.due_at THEN work.due_at ELSE excluded.due_at END,
    asked = work.asked + 1;
