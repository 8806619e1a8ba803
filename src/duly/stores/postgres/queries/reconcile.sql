-- name: lock_namespace
-- Lock the schedules of a namespace against changes, planning and promotion.
SELECT count(*) FROM (
    SELECT FROM schedules WHERE namespace = %(namespace)s AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE
) AS locked;

-- name: call_off_unbegun
-- Cancel runs that have not begun meanwhile.
UPDATE runs
SET status = 'cancelled', finished_at = %(now)s, reason = %(reason)s
WHERE id = ANY(%(ids)s) AND status IN ('pending', 'waiting')
RETURNING id;

-- name: glimpses
-- Read the columns of some schedules of a namespace that a glance needs, in order of names, with the first and the last
-- of all their times: if these two are within the calendar, all are.
SELECT name, trigger, action, policy, handler, enabled, disabled_by, quarantine, until_at, max_runs, last_status,
       id, watermark, next_fire_at, next_run_at,
       least(start_at, end_at, until_at, next_fire_at, next_run_at, watermark, last_run_at, created_at, updated_at,
             resting_since, failing_since),
       greatest(start_at, end_at, until_at, next_fire_at, next_run_at, watermark, last_run_at, created_at, updated_at,
                resting_since, failing_since)
FROM schedules
WHERE namespace = %(namespace)s AND deleted_at IS NULL AND name > %(after)s
ORDER BY name
LIMIT %(limit)s;

-- name: retime
-- Write only the times of schedules of which nothing else has changed: whole rows of very many would take longer.
UPDATE schedules s SET next_fire_at = n.at, next_run_at = n.at, updated_at = %(now)s
FROM unnest(%(ids)s, %(at)s) AS n (id, at)
WHERE s.id = ANY(ARRAY[n.id]);
