-- name: count_schedules
-- Count all schedules, and those that fire.
SELECT count(*), count(*) FILTER (WHERE enabled)
FROM (SELECT enabled FROM schedules WHERE deleted_at IS NULL LIMIT :most) AS counted;

-- name: count_quarantined
-- Count quarantined schedules.
SELECT count(*)
FROM (SELECT 1 FROM schedules WHERE quarantine IS NOT NULL AND deleted_at IS NULL LIMIT :most) AS counted;

-- name: count_active
-- Count unfinished runs by status.
SELECT status, count(*)
FROM (SELECT status FROM runs WHERE finished_at IS NULL LIMIT :most) AS counted GROUP BY status;

-- name: pending_by_handler
-- Count the due runs of each handler, and read when the first runs of the shared lane and of owners were due. The
-- handlers are found by stepping through the index, so that a long queue costs no more than a short one.
WITH RECURSIVE handlers (handler) AS (
    SELECT min(handler) FROM runs WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(handler) FROM runs WHERE status = 'pending' AND runs.handler > handlers.handler)
    FROM handlers WHERE handler IS NOT NULL
)
SELECT handler,
       (SELECT count(*) FROM (
           SELECT 1 FROM runs
           WHERE status = 'pending' AND runs.handler = handlers.handler AND lane = '' AND due_at <= :now
           UNION ALL
           SELECT 1 FROM runs
           WHERE status = 'pending' AND lane <> '' AND runs.handler = handlers.handler AND due_at <= :now
           LIMIT :most) AS counted),
       (SELECT min(due_at) FROM runs WHERE status = 'pending' AND runs.handler = handlers.handler AND lane = ''),
       (SELECT min(due_at) FROM runs WHERE status = 'pending' AND lane <> '' AND runs.handler = handlers.handler)
FROM handlers WHERE handler IS NOT NULL;

-- name: oldest_unplanned
-- Read when the most overdue schedule was due.
SELECT min(next_run_at) FROM schedules WHERE next_run_at <= :now;
