-- name: drop_targets
-- Forget the targets that schedules no longer have.
DELETE FROM schedule_targets t
WHERE t.schedule_id = ANY(%(ids)s) AND NOT EXISTS (
    SELECT FROM unnest(%(schedule_ids)s, %(project_ids)s, %(workspace_ids)s)
        AS wanted (schedule_id, project_id, workspace_id)
    WHERE wanted.schedule_id = t.schedule_id AND wanted.project_id = t.project_id
      AND wanted.workspace_id = t.workspace_id);

-- name: add_targets
-- Note the targets that schedules have; those that are known keep their session.
INSERT INTO schedule_targets (schedule_id, project_id, workspace_id)
SELECT s.id, wanted.project_id, wanted.workspace_id
FROM unnest(%(schedule_ids)s, %(project_ids)s, %(workspace_ids)s) AS wanted (schedule_id, project_id, workspace_id)
JOIN schedules s ON s.id = wanted.schedule_id
ON CONFLICT DO NOTHING;

-- name: target_session
-- The session a target goes on with.
SELECT session_id FROM schedule_targets
WHERE schedule_id = %(schedule_id)s AND project_id = %(project_id)s AND workspace_id = %(workspace_id)s;

-- name: pin_session
-- Let a target go on with a session; one that is gone has none to go on with.
UPDATE schedule_targets SET session_id = %(session_id)s
WHERE schedule_id = %(schedule_id)s AND project_id = %(project_id)s AND workspace_id = %(workspace_id)s;

-- name: target_runs
-- How a run stands at each of its targets.
SELECT run_id, project_id, workspace_id, status, session_id, result, error, cost_usd, pid, pid_started, boot_id,
       started_at, finished_at
FROM run_targets WHERE run_id = %(run_id)s
ORDER BY project_id, workspace_id;

-- name: record_target
-- How a run stands at a target, in place of what was known; nothing when there is no such run.
INSERT INTO run_targets (
    run_id, project_id, workspace_id, status, session_id, result, error, cost_usd, pid, pid_started, boot_id,
    started_at, finished_at)
SELECT id, %(project_id)s, %(workspace_id)s, %(status)s, %(session_id)s, %(result)s, %(error)s, %(cost_usd)s, %(pid)s,
       %(pid_started)s, %(boot_id)s, %(started_at)s::timestamptz, %(finished_at)s::timestamptz
FROM runs WHERE id = %(run_id)s
ON CONFLICT (run_id, project_id, workspace_id) DO UPDATE SET
    status = excluded.status, session_id = excluded.session_id, result = excluded.result, error = excluded.error,
    cost_usd = excluded.cost_usd, pid = excluded.pid, pid_started = excluded.pid_started, boot_id = excluded.boot_id,
    started_at = excluded.started_at, finished_at = excluded.finished_at
RETURNING run_id;

-- name: lock_session
-- Let nobody else begin with a session before this transaction has ended.
SELECT pg_advisory_xact_lock(hashtextextended(%(session_id)s, 0));

-- name: session_taken
-- Whether another run of the same schedule is under way with a session.
SELECT 1
FROM runs mine
JOIN runs other ON other.schedule_id = mine.schedule_id AND other.id <> mine.id
    AND other.finished_at IS NULL AND other.status = 'running'
JOIN run_targets t ON t.run_id = other.id AND t.status = 'running' AND t.session_id = %(session_id)s
WHERE mine.id = %(run_id)s
LIMIT 1;

-- name: spent
-- What the runs of a schedule have cost since a time.
SELECT coalesce(sum(t.cost_usd), 0)
FROM runs r JOIN run_targets t ON t.run_id = r.id
WHERE r.schedule_id = %(schedule_id)s AND coalesce(t.started_at, r.started_at) >= %(since)s;

-- name: unfinished_targets
-- Runs at targets that are said to have a process.
SELECT run_id, project_id, workspace_id, status, session_id, result, error, cost_usd, pid, pid_started, boot_id,
       started_at, finished_at
FROM run_targets WHERE status = 'running' AND pid IS NOT NULL
ORDER BY run_id, project_id, workspace_id;
