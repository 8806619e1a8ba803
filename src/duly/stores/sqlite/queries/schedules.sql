-- part: columns
-- The columns of a schedule, in the order in which they are written.
id, namespace, name, trigger, action, policy, handler, description, source, created_by, max_runs, start_at, end_at,
until_at, timezone, display_title, calendar_event_id, enabled, next_fire_at, next_run_at, watermark, fires, version,
last_run_at, last_status, last_result, consecutive_failures, total_runs, quarantine, created_at, updated_at, deleted_at,
disabled_by, token_scope, created_via, original_text, resting, resting_since, failing_since, changed_by;

-- part: is_wanted
-- What a list of schedules may be narrowed to.
AND (:enabled IS NULL OR enabled = :enabled)
  AND (:handler IS NULL OR handler = :handler)
  AND (:source IS NULL OR source = :source)
  AND (:quarantined IS NULL OR (quarantine IS NOT NULL) = :quarantined);

-- part: has_text_and_project
-- The same, of what is looked for in each row.
AND (:text IS NULL OR instr(lower_case(name), :text) OR instr(lower_case(coalesce(description, '')), :text)
       OR instr(lower_case(action), :text))
  AND (:project IS NULL OR EXISTS (
        SELECT 1 FROM schedule_targets t WHERE t.schedule_id = schedules.id AND t.project_id = :project));

-- name: named
-- Read schedules that have one of the given names.
SELECT s.* FROM schedules s
JOIN json_each(:names) AS wanted ON s.namespace = wanted.value ->> 0 AND s.name = wanted.value ->> 1
WHERE s.deleted_at IS NULL;

-- name: insert_schedule
-- Add schedules.
INSERT INTO schedules ({columns})
VALUES ({columns: ?});

-- name: replace_schedule
-- Write everything of a schedule except its id.
UPDATE schedules SET {columns but id: @ = ?}
WHERE id = ?;

-- name: retime
-- Write only the times of schedules of which nothing else has changed: whole rows of very many would take twice as
-- long.
UPDATE schedules
SET next_fire_at = retimed.value ->> 1, next_run_at = retimed.value ->> 2, updated_at = retimed.value ->> 3
FROM json_each(:retimed) AS retimed
WHERE schedules.id = retimed.value ->> 0;

-- name: get_schedules
-- Read schedules by id, deleted ones too.
SELECT * FROM schedules WHERE id IN (SELECT value FROM json_each(:ids));

-- name: find_schedule
-- Find the schedule that has a name now.
SELECT * FROM schedules WHERE namespace = :namespace AND name = :name AND deleted_at IS NULL;

-- name: list_schedules
-- Read a page of schedules that are not deleted, in order of namespace and name: from its place in the index of names
-- on, so that it costs what is read, and not what is stored.
SELECT * FROM schedules
WHERE deleted_at IS NULL
  AND (namespace, name) > (:after_namespace, :after_name)
  AND namespace <= coalesce(:namespace, x'ff') -- which is behind every text
  {is_wanted}
  AND (:resting IS NULL OR (resting IS NOT NULL) = :resting)
  AND (:token IS NULL OR created_by = :token OR changed_by = :token)
  {has_text_and_project}
ORDER BY namespace, name
LIMIT :limit;

-- name: list_resting_schedules
-- Read a page of schedules that rest, in order of namespace and name, from the index that has no others.
SELECT * FROM schedules
WHERE resting IS NOT NULL AND deleted_at IS NULL
  AND (namespace, name) > (:after_namespace, :after_name)
  AND namespace <= coalesce(:namespace, x'ff') -- which is behind every text
  {is_wanted}
  AND (:token IS NULL OR created_by = :token OR changed_by = :token)
  {has_text_and_project}
ORDER BY namespace, name
LIMIT :limit;

-- name: list_few_schedules
-- Read a page of schedules that are not deleted out of few, in order of namespace and name.
WITH found AS MATERIALIZED (
    SELECT id, namespace, name FROM schedules
    WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL
      {is_wanted}
      AND (:resting IS NULL OR (resting IS NOT NULL) = :resting)
      AND (:token IS NULL OR created_by = :token OR changed_by = :token)
      AND (:project IS NULL OR EXISTS (
            SELECT 1 FROM schedule_targets t WHERE t.schedule_id = schedules.id AND t.project_id = :project))),
page AS MATERIALIZED (
    SELECT id FROM found
    WHERE (namespace, name) > (:after_namespace, :after_name) AND namespace <= coalesce(:namespace, x'ff')
    ORDER BY namespace, name
    LIMIT :limit)
SELECT * FROM schedules WHERE id IN (SELECT id FROM page)
ORDER BY namespace, name;

-- name: list_switched_off_schedules
-- Read a page of schedules that are switched off, in order of namespace and name: each kind of them from its own index.
WITH page AS MATERIALIZED (
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') NOT IN ('finished', 'file')
          AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= coalesce(:namespace, x'ff')
        ORDER BY namespace, name
        LIMIT :limit) AS paused
    UNION ALL
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') IN ('finished', 'file')
          AND (namespace, name) > (:after_namespace, :after_name) AND namespace <= coalesce(:namespace, x'ff')
        ORDER BY namespace, name
        LIMIT :limit) AS over
    ORDER BY namespace, name
    LIMIT :limit)
SELECT * FROM schedules WHERE id IN (SELECT id FROM page)
ORDER BY namespace, name;

-- name: list_deleted_schedules
-- Read a page of deleted schedules in order of namespace and name.
SELECT * FROM schedules
WHERE deleted_at IS NOT NULL
  AND (:namespace IS NULL OR namespace = :namespace)
  {is_wanted}
  AND (:resting IS NULL OR (resting IS NOT NULL) = :resting)
  AND (:token IS NULL OR created_by = :token OR changed_by = :token)
  {has_text_and_project}
  AND (namespace, name) > (:after_namespace, :after_name)
ORDER BY namespace, name
LIMIT :limit;

-- name: review_resting
-- List schedules that a daemon is responsible for and that rest. They are few: a partial index finds them.
SELECT * FROM schedules
WHERE resting IS NOT NULL AND deleted_at IS NULL AND handler <> 'message'
  AND (source = 'toml' OR created_via IS NOT NULL) AND id > :after
ORDER BY id
LIMIT :limit;

-- name: review_planned
-- List schedules that a daemon is responsible for and that are planned.
SELECT * FROM schedules
WHERE next_run_at IS NOT NULL AND deleted_at IS NULL AND handler <> 'message'
  AND (source = 'toml' OR created_via IS NOT NULL) AND id > :after
ORDER BY id
LIMIT :limit;

-- name: cancel_unstarted
-- Cancel the runs of deleted schedules that have not started.
UPDATE runs
SET status = 'cancelled', finished_at = :now, reason = :reason
WHERE schedule_id = :schedule_id AND finished_at IS NULL AND status <> 'running'
RETURNING id;

-- name: ask_to_stop
-- Ask the running runs of deleted schedules to stop.
UPDATE runs SET cancel_requested = 1, reason = :reason WHERE schedule_id = :schedule_id AND finished_at IS NULL AND status = 'running';
