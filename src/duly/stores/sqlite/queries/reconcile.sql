-- name: call_off_unbegun
-- Cancel runs that have not begun meanwhile.
UPDATE runs
SET status = 'cancelled', finished_at = :now, reason = :reason
WHERE id IN (SELECT value FROM json_each(:ids)) AND status IN ('pending', 'waiting')
RETURNING id;

-- name: in_namespace
-- Read all columns of some schedules of a namespace in one text, and the last of their ids. The + makes SQLite read
-- them in the order in which they are stored: with very many, looking each up by its name takes twice as long.
SELECT json_group_array(json_array(
       id, namespace, name, trigger, action, policy, handler, description, source, created_by, max_runs, start_at, end_at,
       until_at, timezone, display_title, calendar_event_id, enabled, next_fire_at, next_run_at, watermark, fires, version,
       last_run_at, last_status, last_result, consecutive_failures, total_runs, quarantine, created_at, updated_at,
       deleted_at, disabled_by, token_scope, created_via, original_text, resting, resting_since,
       failing_since, changed_by)), max(id)
FROM (
    SELECT * FROM schedules
    WHERE +namespace = :namespace AND deleted_at IS NULL AND id > :after
    ORDER BY id
    LIMIT :limit
);
