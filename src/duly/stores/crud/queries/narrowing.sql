-- name: ids_of_project
-- Find schedules that have a target in a project; one with several targets more than once.
SELECT schedule_id FROM schedule_targets WHERE project_id = :project LIMIT :most;

-- name: ids_of_token
-- Find schedules that a token made or last changed; one of which both is true twice.
SELECT id FROM (SELECT id FROM schedules WHERE created_by = :token LIMIT :most) AS made
UNION ALL
SELECT id FROM (SELECT id FROM schedules WHERE changed_by = :token LIMIT :most) AS changed;

-- name: ids_of_unreadable
-- Find schedules that cannot be read, deleted ones too.
SELECT id FROM schedules WHERE quarantine IS NOT NULL ORDER BY id LIMIT :most;

-- name: ids_of_switched_off
-- Find schedules that are switched off.
SELECT id FROM (
    SELECT id FROM schedules
    WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') NOT IN ('finished', 'file')
    ORDER BY namespace, name LIMIT :most) AS paused
UNION ALL
SELECT id FROM (
    SELECT id FROM schedules
    WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') IN ('finished', 'file')
    ORDER BY namespace, name LIMIT :most) AS over;

-- name: ids_of_switched_on
-- Find schedules that are switched on.
SELECT id FROM (SELECT id FROM schedules WHERE next_run_at IS NOT NULL ORDER BY next_run_at LIMIT :most) AS planned
UNION ALL
SELECT id FROM (
    SELECT id FROM schedules WHERE enabled = TRUE AND deleted_at IS NULL AND next_run_at IS NULL
    ORDER BY namespace, name LIMIT :most) AS unplanned;
