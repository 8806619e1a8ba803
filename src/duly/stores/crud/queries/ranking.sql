-- Whether a schedule is busy is asked of each row of a page, with an offset, or PostgreSQL would read everything that is
-- under way first.

-- name: count_switched_on
-- Count the schedules that are switched on, up to a number: first those with a next run, which are most of them.
SELECT CASE WHEN planned.number >= :most THEN planned.number ELSE planned.number + (
           SELECT count(*) FROM (
               SELECT 1 FROM schedules WHERE enabled = TRUE AND deleted_at IS NULL AND next_run_at IS NULL
               ORDER BY namespace, name LIMIT :most) AS unplanned) END
FROM (SELECT count(*) AS number FROM (
          SELECT 1 FROM schedules WHERE next_run_at IS NOT NULL ORDER BY next_run_at LIMIT :most) AS first) AS planned;

-- name: failing_by_name
-- Read the next schedules that fail, by namespace and name: all, or those that do not wait for an answer. With
-- `enabled = TRUE` SQLite would take the index by time, and put all of them in order.
SELECT id, namespace, name FROM schedules
WHERE failing_since IS NOT NULL AND enabled <> FALSE AND deleted_at IS NULL
  AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND consecutive_failures > 0 AND quarantine IS NULL
  AND (NOT :resting::boolean OR resting IS NOT NULL)
  AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
  AND (NOT :alone::boolean OR NOT EXISTS (
        SELECT 1 FROM runs r JOIN reminders m ON m.run_id = r.id AND m.status = 'awaiting_ack'
        WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
        LIMIT 1 OFFSET 0))
ORDER BY namespace, name
LIMIT :limit;

-- name: resting_by_name
-- Read the next schedules that rest, by namespace and name: all, or those that do not fail or wait for an answer.
SELECT id, namespace, name FROM schedules
WHERE resting IS NOT NULL AND deleted_at IS NULL
  AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND enabled = TRUE AND quarantine IS NULL
  AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
  AND (NOT :alone::boolean
       OR (failing_since IS NULL OR consecutive_failures = 0)
          AND NOT EXISTS (
              SELECT 1 FROM runs r JOIN reminders m ON m.run_id = r.id AND m.status = 'awaiting_ack'
              WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
              LIMIT 1 OFFSET 0))
ORDER BY namespace, name
LIMIT :limit;

-- name: listed_by_name
-- Read the next schedules by namespace and name: all, or those that are all right.
SELECT id, namespace, name FROM schedules
WHERE deleted_at IS NULL AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND (:enabled::boolean IS NULL OR enabled = :enabled::boolean)
  AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
  AND (NOT :ok::boolean
       OR enabled = TRUE AND quarantine IS NULL AND resting IS NULL
          AND (failing_since IS NULL OR consecutive_failures = 0)
          AND NOT EXISTS (
              SELECT 1 FROM runs r
              WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
                AND (r.status = 'running'
                     OR EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack'))
              LIMIT 1 OFFSET 0))
ORDER BY namespace, name
LIMIT :limit;

-- name: switched_on_by_name
-- Read the next schedules that are all right, by namespace and name, out of all that are switched on, which are few.
WITH switched_on AS MATERIALIZED (
    SELECT id, namespace, name FROM schedules
    WHERE next_run_at IS NOT NULL AND deleted_at IS NULL
      AND enabled = TRUE AND quarantine IS NULL AND resting IS NULL
      AND (failing_since IS NULL OR consecutive_failures = 0)
      AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
    UNION ALL
    SELECT id, namespace, name FROM schedules
    WHERE enabled = TRUE AND deleted_at IS NULL AND next_run_at IS NULL
      AND quarantine IS NULL AND resting IS NULL
      AND (failing_since IS NULL OR consecutive_failures = 0)
      AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers))
SELECT id, namespace, name FROM switched_on
WHERE (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND NOT EXISTS (
      SELECT 1 FROM runs r
      WHERE r.schedule_id = switched_on.id AND r.finished_at IS NULL
        AND (r.status = 'running'
             OR EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack'))
      LIMIT 1 OFFSET 0)
ORDER BY namespace, name
LIMIT :limit;

-- name: paused_by_name
-- Read the next schedules that are paused, by namespace and name: all, or those that are not busy.
SELECT id, namespace, name FROM schedules
WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') NOT IN ('finished', 'file')
  AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND quarantine IS NULL
  AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
  AND (NOT :alone::boolean OR NOT EXISTS (
        SELECT 1 FROM runs r
        WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
          AND (r.status = 'running'
               OR EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack'))
        LIMIT 1 OFFSET 0))
ORDER BY namespace, name
LIMIT :limit;

-- name: over_by_name
-- Read the next schedules that are finished or were switched off by their file, by namespace and name: all, or those
-- that are not busy.
SELECT id, namespace, name FROM schedules
WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') IN ('finished', 'file')
  AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND (NOT :finished::boolean OR disabled_by = 'finished')
  AND quarantine IS NULL
  AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
  AND (NOT :alone::boolean OR NOT EXISTS (
        SELECT 1 FROM runs r
        WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
          AND (r.status = 'running'
               OR EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack'))
        LIMIT 1 OFFSET 0))
ORDER BY namespace, name
LIMIT :limit;

-- name: off_by_name
-- Read the next schedules that were switched off by their file, by namespace and name: all, or those that are not busy.
SELECT id, namespace, name FROM schedules
WHERE disabled_by = 'file' AND enabled = FALSE AND deleted_at IS NULL
  AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND quarantine IS NULL
  AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
  AND (NOT :alone::boolean OR NOT EXISTS (
        SELECT 1 FROM runs r
        WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
          AND (r.status = 'running'
               OR EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack'))
        LIMIT 1 OFFSET 0))
ORDER BY namespace, name
LIMIT :limit;

-- name: listed_by_time
-- Read the next schedules by their next run, and by their id where several run at the same time.
SELECT id, next_run_at FROM schedules
WHERE (next_run_at, id) > (:after_time, :after_id) AND next_run_at IS NOT NULL AND deleted_at IS NULL
  AND (:enabled::boolean IS NULL OR enabled = :enabled::boolean)
  AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
  AND (:namespace::text IS NULL OR namespace = :namespace)
  AND (NOT :ok::boolean
       OR enabled = TRUE AND quarantine IS NULL AND resting IS NULL
          AND (failing_since IS NULL OR consecutive_failures = 0)
          AND NOT EXISTS (
              SELECT 1 FROM runs r
              WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
                AND (r.status = 'running'
                     OR EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack'))
              LIMIT 1 OFFSET 0))
ORDER BY next_run_at, id
LIMIT :limit;

-- name: owned_by_time
-- Read the next schedules of one namespace, which are few, by their next run and by their id.
WITH owned AS MATERIALIZED (
    SELECT id, next_run_at FROM schedules
    WHERE namespace = :namespace AND deleted_at IS NULL
      AND (:enabled::boolean IS NULL OR enabled = :enabled::boolean)
      AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
      AND (NOT :ok::boolean
           OR enabled = TRUE AND quarantine IS NULL AND resting IS NULL
              AND (failing_since IS NULL OR consecutive_failures = 0)
              AND NOT EXISTS (
                  SELECT 1 FROM runs r
                  WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
                    AND (r.status = 'running'
                         OR EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack'))
                  LIMIT 1 OFFSET 0)))
SELECT id, next_run_at FROM owned
WHERE next_run_at IS NOT NULL AND (next_run_at, id) > (:after_time, :after_id)
ORDER BY next_run_at, id
LIMIT :limit;

-- name: without_next_run
-- Read the next schedules that have no next run, by namespace and name: each kind of them from its own index.
SELECT id, namespace, name FROM (
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = TRUE AND deleted_at IS NULL AND next_run_at IS NULL
          AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
          AND (:enabled::boolean IS NULL OR :enabled::boolean)
          AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
          AND (NOT :ok::boolean
               OR quarantine IS NULL AND resting IS NULL AND (failing_since IS NULL OR consecutive_failures = 0)
                  AND NOT EXISTS (
                      SELECT 1 FROM runs r
                      WHERE r.schedule_id = schedules.id AND r.finished_at IS NULL
                        AND (r.status = 'running' OR EXISTS (
                                SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack'))
                      LIMIT 1 OFFSET 0))
        ORDER BY namespace, name
        LIMIT :limit) AS unplanned
    UNION ALL
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') NOT IN ('finished', 'file')
          AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
          AND next_run_at IS NULL AND NOT :ok::boolean
          AND (:enabled::boolean IS NULL OR NOT :enabled::boolean)
          AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
        ORDER BY namespace, name
        LIMIT :limit) AS paused
    UNION ALL
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') IN ('finished', 'file')
          AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
          AND next_run_at IS NULL AND NOT :ok::boolean
          AND (:enabled::boolean IS NULL OR NOT :enabled::boolean)
          AND (:handlers::text IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
        ORDER BY namespace, name
        LIMIT :limit) AS finished) AS all_parts
ORDER BY namespace, name
LIMIT :limit;
