-- name: count_schedules
-- How many schedules there are, fire, and cannot be read.
SELECT count(*), count(*) FILTER (WHERE enabled), count(*) FILTER (WHERE quarantine IS NOT NULL)
FROM schedules WHERE deleted_at IS NULL;

-- name: count_active
-- Unfinished runs by status.
SELECT status, count(*) FROM runs WHERE finished_at IS NULL GROUP BY status;

-- name: pending_by_handler
-- Overdue runs that wait for somebody who serves them.
SELECT handler, count(*) FROM runs WHERE status = 'pending' AND due_at <= %(now)s GROUP BY handler;

-- name: oldest_due
-- The most overdue of all.
SELECT min(at) FROM (
    SELECT min(next_run_at) AS at FROM schedules WHERE next_run_at IS NOT NULL
    UNION ALL
    SELECT min(due_at) FROM runs WHERE status = 'pending'
) AS first WHERE at <= %(now)s;

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

-- name: journal
-- The journal from a place on.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events WHERE seq > %(after)s ORDER BY seq LIMIT %(limit)s;
