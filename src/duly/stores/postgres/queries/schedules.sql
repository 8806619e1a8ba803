-- part: columns
-- The columns of a schedule, in the order in which they are written.
id, namespace, name, trigger, action, policy, handler, description, source, created_by, max_runs, start_at, end_at,
until_at, timezone, display_title, calendar_event_id, enabled, next_fire_at, next_run_at, watermark, fires, version,
last_run_at, last_status, last_result, consecutive_failures, total_runs, quarantine, created_at, updated_at, deleted_at,
disabled_by, token_scope, created_via, original_text, resting, resting_since, failing_since, changed_by;

-- part: is_wanted
-- What a list of schedules may be narrowed to.
AND (%(enabled)s::boolean IS NULL OR enabled = %(enabled)s)
  AND (%(handler)s::text IS NULL OR handler = %(handler)s)
  AND (%(source)s::text IS NULL OR source = %(source)s)
  AND (%(quarantined)s::boolean IS NULL OR (quarantine IS NOT NULL) = %(quarantined)s);

-- part: has_text_and_project
-- The same, of what is looked for in each row. As given, too: a database without a language knows the small letters of
-- English only.
AND (%(text)s::text IS NULL
       OR strpos(lower(name COLLATE "default"), lower(%(text)s)) > 0 OR strpos(name, %(text)s) > 0
       OR strpos(lower(description), lower(%(text)s)) > 0 OR strpos(description, %(text)s) > 0
       OR strpos(lower(action), lower(%(text)s)) > 0 OR strpos(action, %(text)s) > 0)
  -- With an offset: it is asked of each row, and the project's schedules are not read first.
  AND (%(project)s::text IS NULL OR EXISTS (
        SELECT FROM schedule_targets t WHERE t.schedule_id = schedules.id AND t.project_id = %(project)s OFFSET 0));

-- name: named
-- Find which schedules have one of the given names; each is looked up by itself.
SELECT s.id
FROM unnest(%(namespaces)s, %(names)s) AS wanted (namespace, name)
CROSS JOIN LATERAL (
    SELECT id FROM schedules WHERE namespace = wanted.namespace AND name = wanted.name AND deleted_at IS NULL LIMIT 1
) AS s;

-- name: insert_schedules
-- Add schedules.
INSERT INTO schedules ({columns})
SELECT * FROM unnest({columns: %(@)s});

-- name: replace_schedules
-- Write everything of schedules except their ids.
UPDATE schedules s SET {columns but id: @ = n.@}
FROM unnest({columns: %(@)s}) AS n ({columns})
WHERE s.id = ANY(ARRAY[n.id]);

-- name: get_schedules
-- Read schedules by id, deleted ones too.
SELECT {columns}
FROM schedules WHERE id = ANY(%(ids)s);

-- name: find_schedule
-- Find the schedule that has a name now.
SELECT {columns}
FROM schedules WHERE namespace = %(namespace)s AND name = %(name)s AND deleted_at IS NULL;

-- name: list_schedules
-- Read a page of schedules that are not deleted, in order of namespace and name: from its place in the index of names
-- on, so that it costs what is read, and not what is stored.
SELECT {columns}
FROM schedules
WHERE deleted_at IS NULL
  AND (namespace, name) > (%(after_namespace)s, %(after_name)s) AND namespace <= %(last_namespace)s
  {is_wanted}
  AND (%(resting)s::boolean IS NULL OR (resting IS NOT NULL) = %(resting)s)
  AND (%(token)s::text IS NULL OR created_by = %(token)s OR changed_by = %(token)s)
  {has_text_and_project}
ORDER BY namespace, name
LIMIT %(limit)s;

-- name: list_resting_schedules
-- Read a page of schedules that rest, in order of namespace and name, from the index that has no others.
SELECT {columns}
FROM schedules
WHERE resting IS NOT NULL AND deleted_at IS NULL
  AND (namespace, name) > (%(after_namespace)s, %(after_name)s) AND namespace <= %(last_namespace)s
  {is_wanted}
  AND (%(token)s::text IS NULL OR created_by = %(token)s OR changed_by = %(token)s)
  {has_text_and_project}
ORDER BY namespace, name
LIMIT %(limit)s;

-- name: list_few_schedules
-- Read a page of schedules that are not deleted out of few, in order of namespace and name.
WITH found AS MATERIALIZED (
    SELECT id, namespace, name FROM schedules
    WHERE id = ANY(%(ids)s) AND deleted_at IS NULL
      {is_wanted}
      AND (%(resting)s::boolean IS NULL OR (resting IS NOT NULL) = %(resting)s)
      AND (%(token)s::text IS NULL OR created_by = %(token)s OR changed_by = %(token)s)
      AND (%(project)s::text IS NULL OR EXISTS (
            SELECT 1 FROM schedule_targets t WHERE t.schedule_id = schedules.id AND t.project_id = %(project)s OFFSET 0))),
page AS MATERIALIZED (
    SELECT id FROM found
    WHERE (namespace, name) > (%(after_namespace)s, %(after_name)s) AND namespace <= %(last_namespace)s
    ORDER BY namespace, name
    LIMIT %(limit)s)
SELECT {columns}
FROM schedules WHERE id = ANY(ARRAY(SELECT id FROM page))
ORDER BY namespace, name;

-- name: list_switched_off_schedules
-- Read a page of schedules that are switched off, in order of namespace and name: each kind of them from its own index.
WITH page AS MATERIALIZED (
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') NOT IN ('finished', 'file')
          AND (namespace, name) > (%(after_namespace)s, %(after_name)s) AND namespace <= %(last_namespace)s
        ORDER BY namespace, name
        LIMIT %(limit)s) AS paused
    UNION ALL
    SELECT * FROM (
        SELECT id, namespace, name FROM schedules
        WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') IN ('finished', 'file')
          AND (namespace, name) > (%(after_namespace)s, %(after_name)s) AND namespace <= %(last_namespace)s
        ORDER BY namespace, name
        LIMIT %(limit)s) AS over
    ORDER BY namespace, name
    LIMIT %(limit)s)
SELECT {columns}
FROM schedules WHERE id = ANY(ARRAY(SELECT id FROM page))
ORDER BY namespace, name;

-- name: list_deleted_schedules
-- Read a page of deleted schedules in order of namespace and name.
SELECT {columns}
FROM schedules
WHERE deleted_at IS NOT NULL
  AND (namespace, name) > (%(after_namespace)s, %(after_name)s) AND namespace <= %(last_namespace)s
  {is_wanted}
  AND (%(resting)s::boolean IS NULL OR (resting IS NOT NULL) = %(resting)s)
  AND (%(token)s::text IS NULL OR created_by = %(token)s OR changed_by = %(token)s)
  {has_text_and_project}
ORDER BY namespace, name
LIMIT %(limit)s;

-- name: review_resting
-- List schedules that a daemon is responsible for and that rest. They are few: a partial index finds them.
SELECT {columns}
FROM schedules
WHERE resting IS NOT NULL AND deleted_at IS NULL AND handler <> 'message'
  AND (source = 'toml' OR created_via IS NOT NULL) AND id > %(after)s
ORDER BY id
LIMIT %(limit)s;

-- name: review_planned
-- List schedules that a daemon is responsible for and that are planned.
SELECT {columns}
FROM schedules
WHERE next_run_at IS NOT NULL AND deleted_at IS NULL AND handler <> 'message'
  AND (source = 'toml' OR created_via IS NOT NULL) AND id > %(after)s
ORDER BY id
LIMIT %(limit)s;

-- name: cancel_unstarted
-- Cancel the runs of deleted schedules that have not started.
UPDATE runs
SET status = 'cancelled', finished_at = deleted.at, reason = %(reason)s
FROM unnest(%(ids)s, %(at)s) AS deleted (schedule_id, at)
CROSS JOIN LATERAL (
    SELECT id FROM runs
    WHERE schedule_id = deleted.schedule_id AND finished_at IS NULL AND status IN ('waiting', 'pending')
    OFFSET 0
) AS unstarted
WHERE runs.id = ANY(ARRAY[unstarted.id]) AND runs.status IN ('waiting', 'pending')
RETURNING runs.id, runs.schedule_id;

-- name: ask_to_stop
-- Ask the running runs of deleted schedules to stop.
UPDATE runs SET cancel_requested = TRUE, reason = %(reason)s
WHERE schedule_id = ANY(%(ids)s) AND finished_at IS NULL AND status = 'running';
