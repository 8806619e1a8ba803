-- name: in_need
-- Find the schedules that cannot be read, fail or rest, each by its own small index.
SELECT id FROM schedules WHERE quarantine IS NOT NULL AND deleted_at IS NULL
UNION
SELECT id FROM schedules
WHERE failing_since IS NOT NULL AND enabled = TRUE AND consecutive_failures > 0 AND deleted_at IS NULL
UNION
SELECT id FROM schedules WHERE resting IS NOT NULL AND deleted_at IS NULL;

-- name: switched_on
-- Find the schedules that are switched on; when there are very many, more than asked for, and not all.
SELECT id FROM (SELECT id FROM schedules WHERE next_run_at IS NOT NULL ORDER BY next_run_at LIMIT :most) AS planned
UNION ALL
SELECT id FROM (
    SELECT id FROM schedules WHERE enabled = TRUE AND deleted_at IS NULL AND next_run_at IS NULL
    ORDER BY namespace, name LIMIT :most) AS unplanned;

-- name: listed_by_name
-- Read the next schedules by namespace and name: all, or those that are all right.
SELECT id, namespace, name FROM schedules
WHERE deleted_at IS NULL AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND (NOT :ok::boolean OR enabled = TRUE AND quarantine IS NULL AND resting IS NULL
       AND (failing_since IS NULL OR consecutive_failures = 0))
  AND (:enabled::boolean IS NULL OR enabled = :enabled::boolean)
  AND (:handlers::text IS NULL OR handler LIKE :handlers)
  AND id <> ALL(:without)
ORDER BY namespace, name
LIMIT :limit;

-- name: paused_by_name
-- Read the next schedules that are paused, by namespace and name.
SELECT id, namespace, name FROM schedules
WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') NOT IN ('finished', 'file')
  AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND quarantine IS NULL
  AND (:handlers::text IS NULL OR handler LIKE :handlers)
  AND id <> ALL(:without)
ORDER BY namespace, name
LIMIT :limit;

-- name: over_by_name
-- Read the next schedules that are finished or were switched off by their file, by namespace and name.
SELECT id, namespace, name FROM schedules
WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') IN ('finished', 'file')
  AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
  AND (:disabled_by::text IS NULL OR disabled_by = :disabled_by)
  AND quarantine IS NULL
  AND (:handlers::text IS NULL OR handler LIKE :handlers)
  AND id <> ALL(:without)
ORDER BY namespace, name
LIMIT :limit;

-- name: listed_by_time
-- Read the next schedules by their next run, and by their id where several run at the same time.
SELECT id, next_run_at FROM schedules
WHERE (next_run_at, id) > (:after_time, :after_id) AND next_run_at IS NOT NULL AND deleted_at IS NULL
  AND (NOT :ok::boolean OR enabled = TRUE AND quarantine IS NULL AND resting IS NULL
       AND (failing_since IS NULL OR consecutive_failures = 0))
  AND (:enabled::boolean IS NULL OR enabled = :enabled::boolean)
  AND (:handlers::text IS NULL OR handler LIKE :handlers)
  AND (:namespace::text IS NULL OR namespace = :namespace)
  AND id <> ALL(:without)
ORDER BY next_run_at, id
LIMIT :limit;

-- name: without_next_run
-- Read the next schedules that have no next run, by namespace and name: each kind of them from its own index.
SELECT id, namespace, name FROM (
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = TRUE AND deleted_at IS NULL AND next_run_at IS NULL
          AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
          AND (NOT :ok::boolean OR quarantine IS NULL AND resting IS NULL
               AND (failing_since IS NULL OR consecutive_failures = 0))
          AND (:enabled::boolean IS NULL OR :enabled::boolean)
          AND (:handlers::text IS NULL OR handler LIKE :handlers)
          AND id <> ALL(:without)
        ORDER BY namespace, name
        LIMIT :limit) AS unplanned
    UNION ALL
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') NOT IN ('finished', 'file')
          AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
          AND next_run_at IS NULL AND NOT :ok::boolean
          AND (:enabled::boolean IS NULL OR NOT :enabled::boolean)
          AND (:handlers::text IS NULL OR handler LIKE :handlers)
        ORDER BY namespace, name
        LIMIT :limit) AS paused
    UNION ALL
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') IN ('finished', 'file')
          AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= :last_namespace
          AND next_run_at IS NULL AND NOT :ok::boolean
          AND (:enabled::boolean IS NULL OR NOT :enabled::boolean)
          AND (:handlers::text IS NULL OR handler LIKE :handlers)
        ORDER BY namespace, name
        LIMIT :limit) AS finished) AS all_parts
ORDER BY namespace, name
LIMIT :limit;
