-- name: target_session
-- Read the session that the next run at a target continues.
SELECT session_id FROM schedule_targets
WHERE schedule_id = :schedule_id AND project_id = :project_id AND workspace_id = :workspace_id;

-- name: schedules_of_session
-- Find the schedules whose runs have used a session, or whose next run continues it, the first to use it first. Where
-- the runs are gone, the schedule counts since it was made. The way a session is written does not matter.
WITH used AS (
    SELECT r.schedule_id, coalesce(t.started_at, r.started_at, r.due_at) AS since
    FROM run_targets t JOIN runs r ON r.id = t.run_id
    WHERE t.session_id IS NOT NULL AND replace(replace(lower(t.session_id), 'urn:uuid:', ''), '-', '') = :session_key
),
pinned AS (
    SELECT p.schedule_id, s.created_at AS since FROM schedule_targets p JOIN schedules s ON s.id = p.schedule_id
    WHERE p.session_id IS NOT NULL AND replace(replace(lower(p.session_id), 'urn:uuid:', ''), '-', '') = :session_key
      AND p.schedule_id NOT IN (SELECT schedule_id FROM used)
)
SELECT schedule_id FROM (SELECT * FROM used UNION ALL SELECT * FROM pinned) AS known
GROUP BY schedule_id
ORDER BY min(since), schedule_id
LIMIT 1000;

-- name: pin_session
-- Set the session that the next run at a target continues; does nothing when the target is gone.
UPDATE schedule_targets SET session_id = :session_id
WHERE schedule_id = :schedule_id AND project_id = :project_id AND workspace_id = :workspace_id;

-- name: target_runs
-- Read the state of a run at each of its targets.
SELECT run_id, project_id, workspace_id, status, session_id, result, error, cost_usd, pid, pid_started, boot_id,
       started_at, finished_at, sent
FROM run_targets WHERE run_id = :run_id
ORDER BY project_id, workspace_id;

-- name: record_target
-- Write the state of a run at a target; does nothing when there is no such run.
INSERT INTO run_targets (
    run_id, project_id, workspace_id, status, session_id, result, error, cost_usd, pid, pid_started, boot_id,
    started_at, finished_at, sent)
SELECT id, :project_id, :workspace_id, :status, :session_id, :result, :error, :cost_usd, :pid,
       :pid_started, :boot_id, :started_at::timestamptz, :finished_at::timestamptz, :sent
FROM runs WHERE id = :run_id
ON CONFLICT (run_id, project_id, workspace_id) DO UPDATE SET
    status = excluded.status, session_id = excluded.session_id, result = excluded.result, error = excluded.error,
    cost_usd = excluded.cost_usd, pid = excluded.pid, pid_started = excluded.pid_started, boot_id = excluded.boot_id,
    started_at = excluded.started_at, finished_at = excluded.finished_at, sent = excluded.sent
RETURNING run_id;

-- name: session_taken
-- Find out whether another running run of the same schedule uses a session.
SELECT 1
FROM runs mine
JOIN runs other ON other.schedule_id = mine.schedule_id AND other.id <> mine.id
    AND other.finished_at IS NULL AND other.status = 'running'
JOIN run_targets t ON t.run_id = other.id AND t.status = 'running' AND t.session_id = :session_id
WHERE mine.id = :run_id
LIMIT 1;

-- name: spent
-- Sum what the runs of a schedule have cost since a time.
SELECT coalesce(sum(t.cost_usd), 0.0)
FROM runs r JOIN run_targets t ON t.run_id = r.id
WHERE r.schedule_id = :schedule_id AND coalesce(t.started_at, r.started_at) >= :since;

-- name: unfinished_targets
-- Read runs at targets that have a process on record.
SELECT run_id, project_id, workspace_id, status, session_id, result, error, cost_usd, pid, pid_started, boot_id,
       started_at, finished_at, sent
FROM run_targets WHERE status = 'running' AND pid IS NOT NULL
ORDER BY run_id, project_id, workspace_id;
