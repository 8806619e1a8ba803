-- name: get_run
-- Read one run with the name of its schedule.
SELECT r.*, s.namespace, s.name FROM runs r JOIN schedules s ON s.id = r.schedule_id WHERE r.id = :id;

-- name: list_runs
-- Read a page of runs of all schedules, newest first: from its place in the key on, so that it costs what is read.
-- CROSS: the runs come first, in their order.
SELECT r.*, s.namespace, s.name FROM runs r CROSS JOIN schedules s ON s.id = r.schedule_id
WHERE r.id < coalesce(:before, x'ff') -- which is behind every text
  AND (:statuses IS NULL OR r.status IN (SELECT value FROM json_each(:statuses)))
ORDER BY r.id DESC
LIMIT :limit;

-- name: list_runs_of_schedule
-- Read a page of the runs of one schedule, newest first.
SELECT r.*, s.namespace, s.name FROM runs r CROSS JOIN schedules s ON s.id = r.schedule_id
WHERE r.schedule_id = :schedule_id
  AND r.id < coalesce(:before, x'ff')
  AND (:statuses IS NULL OR r.status IN (SELECT value FROM json_each(:statuses)))
ORDER BY r.id DESC
LIMIT :limit;

-- name: cancel_run
-- Cancel a run that has not started.
UPDATE runs SET status = 'cancelled', finished_at = :now, reason = :reason
WHERE id = :id AND status = :status
RETURNING schedule_id, in_line;

-- name: ask_run_to_stop
-- Ask a running run to stop.
UPDATE runs SET cancel_requested = 1, reason = :reason WHERE id = :id AND status = 'running' RETURNING id;

-- name: asked_to_stop
-- List the runs of a node that were asked to stop.
SELECT id FROM runs WHERE owner = :node_id AND cancel_requested = 1 AND status = 'running';

-- name: progress
-- Record the progress of a run, if this node still owns it.
UPDATE runs SET progress = :data WHERE id = :id AND fence = :fence AND status = 'running' RETURNING id;

-- name: standings
-- Read when some schedules of a namespace were last carried out, and when they last succeeded, in one text, and the last
-- of their ids. The last run that was carried out has mostly succeeded, too: only otherwise is another one looked for.
-- The + makes SQLite read schedules in the order in which they are stored.
WITH some AS MATERIALIZED (
    SELECT id, name,
           (SELECT json_array(started_at, status, finished_at) FROM runs
            WHERE schedule_id = s.id AND started_at IS NOT NULL AND status NOT IN ('skipped', 'cancelled')
            ORDER BY fire_at DESC LIMIT 1) AS last
    FROM schedules s
    WHERE +s.namespace = :namespace AND s.deleted_at IS NULL AND s.id > :after
    ORDER BY s.id
    LIMIT :limit
)
SELECT json_group_array(json_array(
           id, name, last ->> 0,
           CASE WHEN last ->> 1 = 'succeeded' THEN last ->> 2
                ELSE (SELECT finished_at FROM runs
                      WHERE schedule_id = some.id AND status = 'succeeded'
                      ORDER BY fire_at DESC LIMIT 1) END)),
       max(id)
FROM some;

-- name: unfinished
-- Read the unfinished runs of the schedules of a namespace, in order. CROSS: of all runs few are unfinished, so these
-- come first.
SELECT r.*, s.namespace, s.name FROM runs r CROSS JOIN schedules s ON s.id = r.schedule_id
WHERE s.namespace = :namespace AND s.deleted_at IS NULL AND r.finished_at IS NULL
ORDER BY r.fire_at, r.id;
