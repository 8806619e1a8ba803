-- name: count_schedules
-- How many schedules there are, and how many fire.
SELECT count(*), count(*) FILTER (WHERE enabled)
FROM (SELECT enabled FROM schedules WHERE deleted_at IS NULL LIMIT %(most)s) AS counted;

-- name: count_quarantined
-- How many schedules cannot be read.
SELECT count(*)
FROM (SELECT FROM schedules WHERE quarantine IS NOT NULL AND deleted_at IS NULL LIMIT %(most)s) AS counted;

-- name: count_active
-- Unfinished runs by status.
SELECT status, count(*)
FROM (SELECT status FROM runs WHERE finished_at IS NULL LIMIT %(most)s) AS counted GROUP BY status;

-- name: pending_by_handler
-- Handlers that pending runs wait for, with the number of runs that are due and when the first run was due. The
-- handlers are found by stepping through the index, so that a long queue costs no more than a short one.
WITH RECURSIVE handlers (handler) AS (
    SELECT min(handler) FROM runs WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(handler) FROM runs WHERE status = 'pending' AND runs.handler > handlers.handler)
    FROM handlers WHERE handler IS NOT NULL
)
SELECT handler,
       (SELECT count(*) FROM (
           SELECT FROM runs
           WHERE status = 'pending' AND runs.handler = handlers.handler AND due_at <= %(now)s
           LIMIT %(most)s) AS counted),
       (SELECT min(due_at) FROM runs WHERE status = 'pending' AND runs.handler = handlers.handler)
FROM handlers WHERE handler IS NOT NULL;

-- name: oldest_unplanned
-- When the most overdue schedule was due.
SELECT min(next_run_at) FROM schedules WHERE next_run_at <= %(now)s;

-- name: prune_runs
-- Forget finished runs made before a time; one skipped ahead keeps its fire from coming back, so not before that. (As
-- an array the choice is made once, whatever the plan.)
DELETE FROM runs WHERE id = ANY(ARRAY(
    SELECT id FROM runs
    WHERE id < %(before_id)s AND finished_at IS NOT NULL AND fire_at < %(before)s
    ORDER BY id
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED))
RETURNING id;

-- name: prune_schedules
-- Forget deleted schedules that have no runs left.
DELETE FROM schedules WHERE id = ANY(ARRAY(
    SELECT id FROM schedules
    WHERE deleted_at < %(before)s AND NOT EXISTS (SELECT FROM runs WHERE schedule_id = schedules.id)
    FOR UPDATE SKIP LOCKED));

-- name: prune_events
-- Forget old journal entries.
DELETE FROM events WHERE seq = ANY(ARRAY(SELECT seq FROM events WHERE at < %(before)s ORDER BY seq LIMIT %(limit)s));

-- name: prune_nodes
-- Forget nodes that are gone and own nothing.
DELETE FROM nodes
WHERE state <> 'alive' AND started_at < %(before)s AND NOT EXISTS (SELECT FROM runs WHERE owner = nodes.id);
