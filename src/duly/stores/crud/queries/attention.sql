-- name: failing
-- Schedules that fire and fail, those that have failed longest first.
SELECT id FROM schedules
WHERE failing_since IS NOT NULL AND enabled = TRUE AND deleted_at IS NULL
ORDER BY failing_since
LIMIT :limit;

-- name: ended_badly
-- Schedules that are over and began to fail not long ago.
SELECT id FROM schedules
WHERE failing_since IS NOT NULL AND enabled = FALSE AND failing_since >= :ended_after
  AND disabled_by = 'finished' AND deleted_at IS NULL
ORDER BY failing_since
LIMIT :limit;

-- name: quarantined
-- Schedules that cannot be read.
SELECT id FROM schedules WHERE quarantine IS NOT NULL AND deleted_at IS NULL ORDER BY id LIMIT :limit;

-- name: resting
-- Schedules that rest because something is missing.
SELECT id FROM schedules WHERE resting IS NOT NULL AND deleted_at IS NULL ORDER BY id LIMIT :limit;

-- name: unplanned
-- Schedules that are due and that no engine has planned yet, the most overdue first.
SELECT id FROM schedules
WHERE next_run_at <= :now AND deleted_at IS NULL
ORDER BY next_run_at
LIMIT :limit;

-- name: coming_unserved
-- Of the schedules that are due next, those with a handler that is not served.
SELECT id FROM (
    SELECT id, handler FROM schedules
    WHERE next_run_at > :now AND deleted_at IS NULL
    ORDER BY next_run_at
    LIMIT :ahead
) AS coming
WHERE handler <> ALL(:served)
LIMIT :limit;

-- name: held_up
-- Schedules whose runs wait for a handler, with the time at which the first of them was due.
SELECT schedule_id, min(due_at) FROM (
    SELECT * FROM (
        SELECT schedule_id, due_at FROM runs
        WHERE status = 'pending' AND handler = :handler AND lane = '' AND due_at <= :now
        ORDER BY due_at
        LIMIT :limit
    ) AS in_shared_lane
    UNION ALL
    SELECT * FROM (
        SELECT schedule_id, due_at FROM runs
        WHERE status = 'pending' AND lane <> '' AND handler = :handler AND due_at <= :now
        ORDER BY due_at
        LIMIT :limit
    ) AS of_owners
    ORDER BY due_at
    LIMIT :limit
) AS oldest
GROUP BY schedule_id;

-- name: disowned
-- Schedules that fire although the token that made them, or last changed what they run, was revoked or has expired.
SELECT s.id, t.id, FALSE, t.revoked_at, t.expires_at
FROM tokens t JOIN schedules s ON s.created_by = t.id
WHERE (t.revoked_at IS NOT NULL OR t.expires_at <= :now) AND s.enabled = TRUE AND s.deleted_at IS NULL
UNION ALL
SELECT s.id, t.id, TRUE, t.revoked_at, t.expires_at
FROM tokens t JOIN schedules s ON s.changed_by = t.id
WHERE (t.revoked_at IS NOT NULL OR t.expires_at <= :now) AND s.enabled = TRUE AND s.deleted_at IS NULL
LIMIT :limit;
