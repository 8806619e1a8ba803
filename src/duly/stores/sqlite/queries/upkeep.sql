-- name: count_schedules
-- How many schedules there are, fire, and cannot be read.
SELECT count(*), coalesce(sum(enabled), 0), coalesce(sum(quarantine IS NOT NULL), 0)
FROM schedules WHERE deleted_at IS NULL;

-- name: count_active
-- Unfinished runs by status.
SELECT status, count(*) FROM runs WHERE finished_at IS NULL GROUP BY status;

-- name: pending_by_handler
-- Overdue runs that wait for somebody who serves them.
SELECT handler, count(*) FROM runs WHERE status = 'pending' AND due_at <= :now GROUP BY handler;

-- name: oldest_due
-- The most overdue of all.
SELECT min(at) FROM (
    SELECT min(next_run_at) AS at FROM schedules WHERE next_run_at IS NOT NULL
    UNION ALL
    SELECT min(due_at) FROM runs WHERE status = 'pending'
) WHERE at <= :now;

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

-- name: journal
-- The journal from a place on.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events WHERE seq > :after ORDER BY seq LIMIT :limit;
