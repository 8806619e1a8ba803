-- name: failing
-- List schedules that fire and fail, those that have failed longest first.
SELECT id FROM schedules
WHERE failing_since IS NOT NULL AND enabled = TRUE AND deleted_at IS NULL
ORDER BY failing_since
LIMIT :limit;

-- name: ended_badly
-- List finished schedules that began to fail not long ago.
SELECT id FROM schedules
WHERE failing_since IS NOT NULL AND enabled = FALSE AND failing_since >= :ended_after
  AND disabled_by = 'finished' AND deleted_at IS NULL
ORDER BY failing_since
LIMIT :limit;

-- name: quarantined
-- List quarantined schedules.
SELECT id FROM schedules WHERE quarantine IS NOT NULL AND deleted_at IS NULL ORDER BY id LIMIT :limit;

-- name: resting
-- List schedules that rest.
SELECT id FROM schedules WHERE resting IS NOT NULL AND deleted_at IS NULL ORDER BY id LIMIT :limit;

-- name: unplanned
-- List schedules that are due and that no engine has planned yet, the most overdue first.
SELECT id FROM schedules
WHERE next_run_at <= :now AND deleted_at IS NULL
ORDER BY next_run_at
LIMIT :limit;

-- name: coming_unserved
-- List those of the schedules that come next whose handler no node serves.
SELECT id FROM (
    SELECT id, handler FROM schedules
    WHERE next_run_at > :now AND deleted_at IS NULL
    ORDER BY next_run_at
    LIMIT :ahead
) AS coming
WHERE handler <> ALL(:served)
LIMIT :limit;

-- name: held_up
-- List schedules whose pending runs wait for a handler, with the time at which the first run was due.
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
