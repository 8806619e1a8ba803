-- name: get_run
-- Read one run with the name of its schedule.
SELECT r.id, r.schedule_id, r.origin, r.fire_at, s.namespace, s.name, r.handler, r.status, r.due_at, r.attempt, r.lost,
       r.fence, r.owner, r.started_at, r.finished_at, r.result, r.error, r.reason, r.skipped, r.first_skipped_at,
       r.progress, r.cancel_requested
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.id = %(id)s;

-- name: list_runs
-- Read a page of runs of all schedules, newest first: from its place in the key on, so that it costs what is read.
SELECT r.id, r.schedule_id, r.origin, r.fire_at, s.namespace, s.name, r.handler, r.status, r.due_at, r.attempt, r.lost,
       r.fence, r.owner, r.started_at, r.finished_at, r.result, r.error, r.reason, r.skipped, r.first_skipped_at,
       r.progress, r.cancel_requested
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.id < %(before)s AND (%(any_status)s OR r.status = ANY(%(statuses)s))
ORDER BY r.id DESC
LIMIT %(limit)s;

-- name: list_runs_of_schedule
-- Read a page of the runs of one schedule, newest first.
SELECT r.id, r.schedule_id, r.origin, r.fire_at, s.namespace, s.name, r.handler, r.status, r.due_at, r.attempt, r.lost,
       r.fence, r.owner, r.started_at, r.finished_at, r.result, r.error, r.reason, r.skipped, r.first_skipped_at,
       r.progress, r.cancel_requested
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.schedule_id = %(schedule_id)s AND r.id < %(before)s AND (%(any_status)s OR r.status = ANY(%(statuses)s))
ORDER BY r.id DESC
LIMIT %(limit)s;

-- name: lock_schedule_of_run
-- Lock the schedule of a run against planning and promotion.
SELECT s.id FROM schedules s JOIN runs r ON r.schedule_id = s.id WHERE r.id = %(id)s FOR NO KEY UPDATE OF s;

-- name: lock_unstarted
-- Lock a run that has not started; returns whether it holds a place that others wait for.
SELECT status = 'pending' AND in_line FROM runs
WHERE id = %(id)s AND status IN ('waiting', 'pending')
FOR NO KEY UPDATE;

-- name: cancel_run
-- Cancel a run that has not started.
UPDATE runs SET status = 'cancelled', finished_at = %(now)s, reason = %(reason)s WHERE id = %(id)s;

-- name: ask_run_to_stop
-- Ask a running run to stop.
UPDATE runs SET cancel_requested = TRUE, reason = %(reason)s WHERE id = %(id)s AND status = 'running' RETURNING id;

-- name: asked_to_stop
-- List the runs of a node that were asked to stop.
SELECT id FROM runs WHERE owner = %(node_id)s AND cancel_requested AND status = 'running' ORDER BY id;

-- name: progress
-- Record the progress of a run, if this node still owns it.
UPDATE runs SET progress = %(data)s WHERE id = %(id)s AND fence = %(fence)s AND status = 'running' RETURNING id;

-- name: standings
-- Read when every schedule of a namespace was last carried out, and when it last succeeded.
SELECT s.id, s.name,
       (SELECT started_at FROM runs
        WHERE schedule_id = s.id AND started_at IS NOT NULL AND status NOT IN ('skipped', 'cancelled')
        ORDER BY fire_at DESC LIMIT 1),
       (SELECT finished_at FROM runs WHERE schedule_id = s.id AND status = 'succeeded' ORDER BY fire_at DESC LIMIT 1)
FROM schedules s
WHERE s.namespace = %(namespace)s AND s.deleted_at IS NULL;

-- name: unfinished
-- Read the unfinished runs of the schedules of a namespace, in order.
SELECT r.id, r.schedule_id, r.origin, r.fire_at, s.namespace, s.name, r.handler, r.status, r.due_at, r.attempt, r.lost,
       r.fence, r.owner, r.started_at, r.finished_at, r.result, r.error, r.reason, r.skipped, r.first_skipped_at,
       r.progress, r.cancel_requested
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE s.namespace = %(namespace)s AND s.deleted_at IS NULL AND r.finished_at IS NULL
ORDER BY r.fire_at, r.id;
