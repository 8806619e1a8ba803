-- name: account_of_schedule
-- Sum what the runs of a schedule have cost since a time, and what is promised to its other runs that are
-- running, or that an executor has.
SELECT (SELECT coalesce(sum(t.cost_usd), 0.0)
        FROM runs r JOIN run_targets t ON t.run_id = r.id
        WHERE r.schedule_id = :schedule_id AND coalesce(t.started_at, r.started_at) >= :since),
       (SELECT coalesce(sum(p.promised), 0.0)
        FROM spending p JOIN runs r ON r.id = p.run_id AND r.finished_at IS NULL
             AND (r.status = 'running' AND r.fence = p.fence
                  OR EXISTS (SELECT 1 FROM runs_elsewhere e WHERE e.run_id = p.run_id))
        WHERE p.schedule_id = :schedule_id AND p.run_id <> :run_id);

-- name: account_of_owner
-- Sum the same for all runs that count for the quota of an owner.
SELECT (SELECT coalesce(sum(t.cost_usd), 0.0)
        FROM spending p JOIN run_targets t ON t.run_id = p.run_id
        WHERE p.owner = :owner AND p.at >= :since),
       (SELECT coalesce(sum(p.promised), 0.0)
        FROM spending p JOIN runs r ON r.id = p.run_id AND r.finished_at IS NULL
             AND (r.status = 'running' AND r.fence = p.fence
                  OR EXISTS (SELECT 1 FROM runs_elsewhere e WHERE e.run_id = p.run_id))
        WHERE p.owner = :owner AND p.run_id <> :run_id);

-- name: promise
-- Record the promise to a run, in place of an earlier one; does nothing when there is no such run.
INSERT INTO spending (run_id, schedule_id, owner, at, promised, fence)
SELECT id, :schedule_id, :owner::text, :at::timestamptz, :amount::float8, :fence::bigint FROM runs WHERE id = :run_id
ON CONFLICT (run_id) DO UPDATE SET
    at = excluded.at, promised = excluded.promised, fence = excluded.fence,
    owner = coalesce(excluded.owner, spending.owner);

-- name: release
-- End the promise to a run: that of this claim, or of an earlier one.
UPDATE spending SET promised = 0 WHERE run_id = :run_id AND fence <= :fence;

-- name: forget_spending
-- Delete the spending records of a schedule that are too old to count.
DELETE FROM spending WHERE schedule_id = :schedule_id AND at < :since AND promised = 0;

-- name: is_admitted
-- Find out whether an attempt at a run is counted for a quota already.
SELECT 1 FROM spending WHERE run_id = :run_id AND owner IS NOT NULL AND fence = :fence;

-- name: runs_of_owner
-- Count the attempts for the quota of an owner: the fence of a run rises with each attempt.
SELECT coalesce(sum(fence), 0) FROM spending WHERE owner = :owner AND at >= :since;

-- name: schedules_of_namespace
-- Count the schedules of a namespace. A finished one counts for a while, so that making many short ones does not avoid
-- the quota.
SELECT count(*) FROM schedules
WHERE namespace = :owner AND deleted_at IS NULL
  AND NOT (coalesce(disabled_by, '') = 'finished' AND coalesce(last_run_at, created_at) < :since);

-- name: owners
-- Read the persons and projects that have schedules, beginning after a name.
SELECT DISTINCT namespace FROM schedules
WHERE deleted_at IS NULL AND (:after::text IS NULL OR namespace > :after::text)
  AND (namespace LIKE 'user:%' OR namespace LIKE 'project:%')
ORDER BY namespace
LIMIT :limit;
