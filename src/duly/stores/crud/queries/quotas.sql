-- name: account_of_schedule
-- What the runs of a schedule have cost since a time, and what is promised to others of them that are under way.
SELECT (SELECT coalesce(sum(t.cost_usd), 0.0)
        FROM runs r JOIN run_targets t ON t.run_id = r.id
        WHERE r.schedule_id = :schedule_id AND coalesce(t.started_at, r.started_at) >= :since),
       (SELECT coalesce(sum(p.promised), 0.0)
        FROM spending p JOIN runs r ON r.id = p.run_id AND r.status = 'running' AND r.fence = p.fence
        WHERE p.schedule_id = :schedule_id AND p.run_id <> :run_id);

-- name: account_of_owner
-- The same of all runs that count for the quota of an owner.
SELECT (SELECT coalesce(sum(t.cost_usd), 0.0)
        FROM spending p JOIN run_targets t ON t.run_id = p.run_id
        WHERE p.owner = :owner AND p.at >= :since),
       (SELECT coalesce(sum(p.promised), 0.0)
        FROM spending p JOIN runs r ON r.id = p.run_id AND r.status = 'running' AND r.fence = p.fence
        WHERE p.owner = :owner AND p.run_id <> :run_id);

-- name: promise
-- Write down what a run is promised, in place of an earlier promise; nothing when there is no such run.
INSERT INTO spending (run_id, schedule_id, owner, at, promised, fence)
SELECT id, :schedule_id, :owner::text, :at::timestamptz, :amount::float8, :fence::bigint FROM runs WHERE id = :run_id
ON CONFLICT (run_id) DO UPDATE SET
    at = excluded.at, promised = excluded.promised, fence = excluded.fence,
    owner = coalesce(excluded.owner, spending.owner);

-- name: release
-- Give back what a run was promised.
UPDATE spending SET promised = 0 WHERE run_id = :run_id AND fence = :fence;

-- name: forget_spending
-- What is too old to count any more, of the schedule that is about to spend.
DELETE FROM spending WHERE schedule_id = :schedule_id AND at < :since AND promised = 0;

-- name: scope_of_schedule
-- The scope of the token that made a schedule.
SELECT token_scope FROM schedules WHERE id = :schedule_id;

-- name: is_admitted
-- Whether an attempt at a run counts for a quota already.
SELECT 1 FROM spending WHERE run_id = :run_id AND owner IS NOT NULL AND fence = :fence;

-- name: runs_of_owner
-- How many attempts count for the quota of an owner: the fence of a run rises with each.
SELECT coalesce(sum(fence), 0) FROM spending WHERE owner = :owner AND at >= :since;

-- name: schedules_of_namespace
-- How many schedules a namespace has. One that has come to its end counts for a while, so that not too many are made.
SELECT count(*) FROM schedules
WHERE namespace = :owner AND deleted_at IS NULL
  AND NOT (coalesce(disabled_by, '') = 'finished' AND coalesce(last_run_at, created_at) < :since);

-- name: owners
-- Persons and projects that have schedules, after one of them.
SELECT DISTINCT namespace FROM schedules
WHERE deleted_at IS NULL AND (:after::text IS NULL OR namespace > :after::text)
  AND (namespace LIKE 'user:%' OR namespace LIKE 'project:%')
ORDER BY namespace
LIMIT :limit;
