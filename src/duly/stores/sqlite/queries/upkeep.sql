-- name: count_schedules
-- How many schedules there are, and how many fire.
SELECT count(*), coalesce(sum(enabled), 0)
FROM (SELECT enabled FROM schedules WHERE deleted_at IS NULL LIMIT :most);

-- name: count_quarantined
-- How many schedules cannot be read.
SELECT count(*)
FROM (SELECT 1 FROM schedules WHERE quarantine IS NOT NULL AND deleted_at IS NULL LIMIT :most);

-- name: count_active
-- Unfinished runs by status.
SELECT status, count(*)
FROM (SELECT status FROM runs WHERE finished_at IS NULL LIMIT :most) GROUP BY status;

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
           SELECT 1 FROM runs
           WHERE status = 'pending' AND runs.handler = handlers.handler AND due_at <= :now
           LIMIT :most)),
       (SELECT min(due_at) FROM runs WHERE status = 'pending' AND runs.handler = handlers.handler)
FROM handlers WHERE handler IS NOT NULL;

-- name: oldest_unplanned
-- When the most overdue schedule was due.
SELECT min(next_run_at) FROM schedules WHERE next_run_at <= :now;

-- name: prune_runs
-- Forget finished runs made before a time; one skipped ahead keeps its fire from coming back, so not before that.
DELETE FROM runs WHERE id IN (
    SELECT id FROM runs
    WHERE id < :before_id AND finished_at IS NOT NULL AND fire_at < :before
    ORDER BY id LIMIT :limit)
RETURNING id;

-- name: prune_schedules
-- Forget deleted schedules that have no runs left.
DELETE FROM schedules
WHERE deleted_at < :before AND NOT EXISTS (SELECT 1 FROM runs WHERE schedule_id = schedules.id);

-- name: prune_events
-- Forget old journal entries.
DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE at < :before ORDER BY seq LIMIT :limit);

-- name: prune_nodes
-- Forget nodes that are gone and own nothing.
DELETE FROM nodes
WHERE state <> 'alive' AND started_at < :before AND NOT EXISTS (SELECT 1 FROM runs WHERE owner = nodes.id);
