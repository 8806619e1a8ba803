-- name: reached
-- Find the schedules that a caller may see who may not see all, and whether each has a target hidden from the caller.
-- A prompt without targets has one without a project.
SELECT s.id,
       EXISTS (SELECT 1 FROM schedule_targets t
               WHERE t.schedule_id = s.id AND t.project_id <> '' AND t.project_id <> ALL(:projects))
FROM schedules s
WHERE s.id IN (
    SELECT own.id FROM schedules own
    WHERE own.namespace = :namespace AND own.deleted_at IS NULL
      AND (own.id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = ANY(:projects))
           OR NOT EXISTS (SELECT 1 FROM schedule_targets t WHERE t.schedule_id = own.id AND t.project_id <> ''))
    UNION ALL
    SELECT gone.id FROM schedules gone
    WHERE gone.deleted_at IS NOT NULL AND gone.namespace = :namespace
      AND (gone.id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = ANY(:projects))
           OR NOT EXISTS (SELECT 1 FROM schedule_targets t WHERE t.schedule_id = gone.id AND t.project_id <> ''))
    UNION ALL
    SELECT schedule_id FROM schedule_targets WHERE :beyond::boolean AND project_id = ANY(:projects));

-- name: within
-- Find the schedules that have a target in a project.
SELECT DISTINCT schedule_id FROM schedule_targets WHERE project_id = :project ORDER BY schedule_id;

-- name: find_runs
-- Find runs of all schedules, newest first: ids are in the order in which runs were recorded.
SELECT r.id FROM runs r
WHERE r.id >= :from_id AND r.id < :to_id
  AND (:any_status::boolean OR r.status = ANY(:statuses))
  AND (:handlers::text IS NULL OR r.handler LIKE :handlers OR r.handler LIKE :more_handlers)
  AND (:origin::text IS NULL OR r.origin = :origin)
  AND (:project::text IS NULL OR r.schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
  AND (:text::text IS NULL OR lower((SELECT name FROM schedules WHERE id = r.schedule_id)) LIKE :text ESCAPE '!'
       OR lower(r.error) LIKE :text ESCAPE '!'
       OR lower(r.reason) LIKE :text ESCAPE '!')
ORDER BY r.id DESC
LIMIT :limit;

-- name: find_runs_of
-- Find runs of some schedules, newest first. The id is no plain column here: the schedules are few, so they come first.
SELECT r.id FROM runs r
WHERE r.schedule_id = ANY(:ids) AND r.id || '' >= :from_id AND r.id || '' < :to_id
  AND (:any_status::boolean OR r.status = ANY(:statuses))
  AND (:handlers::text IS NULL OR r.handler LIKE :handlers OR r.handler LIKE :more_handlers)
  AND (:origin::text IS NULL OR r.origin = :origin)
  AND (:project::text IS NULL OR r.schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
  AND (:text::text IS NULL OR lower((SELECT name FROM schedules WHERE id = r.schedule_id)) LIKE :text ESCAPE '!'
       OR (r.schedule_id <> ALL(:hidden)
           AND (lower(r.error) LIKE :text ESCAPE '!' OR lower(r.reason) LIKE :text ESCAPE '!')))
ORDER BY r.id DESC
LIMIT :limit;

-- name: count_found_runs
-- Count the same runs of all schedules by what has become of them.
SELECT CASE WHEN r.finished_at IS NULL
                 AND EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack')
            THEN 'awaiting' ELSE r.status END AS outcome, count(*)
FROM runs r
WHERE r.id >= :from_id AND r.id < :to_id
  AND (:any_status::boolean OR r.status = ANY(:statuses))
  AND (:handlers::text IS NULL OR r.handler LIKE :handlers OR r.handler LIKE :more_handlers)
  AND (:origin::text IS NULL OR r.origin = :origin)
  AND (:project::text IS NULL OR r.schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
  AND (:text::text IS NULL OR lower((SELECT name FROM schedules WHERE id = r.schedule_id)) LIKE :text ESCAPE '!'
       OR lower(r.error) LIKE :text ESCAPE '!'
       OR lower(r.reason) LIKE :text ESCAPE '!')
GROUP BY 1;

-- name: count_found_runs_of
-- Count the same runs of some schedules by what has become of them.
SELECT CASE WHEN r.finished_at IS NULL
                 AND EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack')
            THEN 'awaiting' ELSE r.status END AS outcome, count(*)
FROM runs r
WHERE r.schedule_id = ANY(:ids) AND r.id || '' >= :from_id AND r.id || '' < :to_id
  AND (:any_status::boolean OR r.status = ANY(:statuses))
  AND (:handlers::text IS NULL OR r.handler LIKE :handlers OR r.handler LIKE :more_handlers)
  AND (:origin::text IS NULL OR r.origin = :origin)
  AND (:project::text IS NULL OR r.schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
  AND (:text::text IS NULL OR lower((SELECT name FROM schedules WHERE id = r.schedule_id)) LIKE :text ESCAPE '!'
       OR (r.schedule_id <> ALL(:hidden)
           AND (lower(r.error) LIKE :text ESCAPE '!' OR lower(r.reason) LIKE :text ESCAPE '!')))
GROUP BY 1;

-- name: search_runs
-- Search the next runs for a text, newest first: gives those that have it, and last how many were looked at up to which.
WITH looked AS MATERIALIZED (
    SELECT r.id, r.status, r.finished_at,
           (:any_status::boolean OR r.status = ANY(:statuses))
           AND (:handlers::text IS NULL OR r.handler LIKE :handlers OR r.handler LIKE :more_handlers)
           AND (:origin::text IS NULL OR r.origin = :origin)
           AND (:project::text IS NULL
                OR r.schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
           AND (lower((SELECT name FROM schedules WHERE id = r.schedule_id)) LIKE :text ESCAPE '!'
                OR lower(coalesce(r.error, '')) LIKE :text ESCAPE '!'
                OR lower(coalesce(r.reason, '')) LIKE :text ESCAPE '!') AS has_it
    FROM runs r
    WHERE r.id >= :from_id AND r.id < :to_id
    ORDER BY r.id DESC
    LIMIT :most)
SELECT id, CASE WHEN finished_at IS NULL
                     AND EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = looked.id AND m.status = 'awaiting_ack')
                THEN 'awaiting' ELSE status END, 0
FROM looked WHERE has_it
UNION ALL
SELECT min(id), NULL, count(*) FROM looked;

-- name: size_of_runs
-- Count the runs that were recorded in a span.
SELECT count(*) FROM runs r WHERE r.id >= :from_id AND r.id < :to_id;

-- name: size_of_schedules
-- Count all schedules. Without a condition SQLite counts pages of the table, and reads no row.
SELECT (SELECT count(*) FROM schedules) - (SELECT count(*) FROM schedules WHERE deleted_at IS NOT NULL);

-- name: schedules_between
-- Count the schedules from one to another.
SELECT count(*) FROM schedules
WHERE deleted_at IS NULL AND (namespace, name) > (:after_namespace, :after_name)
  AND (namespace, name) <= (:upto_namespace, :upto_name);

-- name: of_any_namespace
-- Find the schedules that have a name, by stepping through the namespaces in the index of names.
WITH RECURSIVE spaces (namespace) AS (
    SELECT min(namespace) FROM schedules WHERE deleted_at IS NULL
    UNION ALL
    SELECT (SELECT min(s.namespace) FROM schedules s WHERE s.deleted_at IS NULL AND s.namespace > spaces.namespace)
    FROM spaces WHERE spaces.namespace IS NOT NULL)
SELECT s.id FROM spaces CROSS JOIN schedules s
WHERE s.namespace = spaces.namespace AND s.name = :name AND s.deleted_at IS NULL
ORDER BY s.namespace;

-- name: still_open
-- Read the unfinished ones of the runs that were recorded in a span.
SELECT r.id, r.status, m.status FROM runs r LEFT JOIN reminders m ON m.run_id = r.id AND m.user_id = (
    SELECT user_id FROM reminders WHERE run_id = r.id ORDER BY status <> 'awaiting_ack', user_id LIMIT 1)
WHERE r.finished_at IS NULL AND r.id || '' >= :from_id AND r.id || '' < :to_id
  AND (:everything::boolean OR r.schedule_id = ANY(:ids));

-- name: count_running
-- Count the runs that are under way.
SELECT count(*) FROM runs r
WHERE r.finished_at IS NULL AND r.status = 'running' AND (:everything::boolean OR r.schedule_id = ANY(:ids));

-- name: marks
-- Read the runs of some schedules with a fire in a span, and all of their unfinished ones, in order of their fires.
SELECT r.id, r.schedule_id, r.status, r.origin, r.fire_at, r.due_at,
       coalesce((SELECT h.begun_at FROM handovers h WHERE h.run_id = r.id ORDER BY h.number DESC LIMIT 1), r.started_at),
       r.finished_at, r.skipped,
       r.first_skipped_at, r.attempt, r.reason, m.status
FROM runs r LEFT JOIN reminders m ON m.run_id = r.id AND m.user_id = (
    SELECT user_id FROM reminders WHERE run_id = r.id ORDER BY status <> 'awaiting_ack', user_id LIMIT 1)
WHERE r.id IN (SELECT id FROM runs WHERE schedule_id = ANY(:ids) AND fire_at >= :start AND fire_at < :end
               UNION SELECT id FROM runs WHERE schedule_id = ANY(:ids) AND finished_at IS NULL)
ORDER BY r.fire_at, r.id
LIMIT :limit;

-- name: costs
-- Sum what the fires of some schedules have cost since a time.
SELECT r.schedule_id, sum(t.cost_usd)
FROM runs r JOIN run_targets t ON t.run_id = r.id
WHERE r.schedule_id = ANY(:ids) AND r.fire_at >= :since AND t.cost_usd IS NOT NULL
GROUP BY r.schedule_id;

-- name: spent_between
-- Sum what all runs that were recorded in a span have cost.
SELECT coalesce(sum(t.cost_usd), 0.0) FROM run_targets t
WHERE t.run_id >= :from_id AND t.run_id < :to_id AND t.cost_usd IS NOT NULL;

-- name: spent_between_of
-- Sum what the runs of some schedules that were recorded in a span have cost.
SELECT coalesce(sum(t.cost_usd), 0.0) FROM run_targets t JOIN runs r ON r.id = t.run_id
WHERE t.run_id >= :from_id AND t.run_id < :to_id AND t.cost_usd IS NOT NULL AND r.schedule_id = ANY(:ids);

-- name: planned
-- Read the schedules that fire before a time, the next one first.
SELECT id, version, next_fire_at, next_run_at, until_at, max_runs, fires FROM schedules
WHERE next_run_at IS NOT NULL AND next_run_at < :until AND next_fire_at IS NOT NULL AND deleted_at IS NULL
  AND quarantine IS NULL
ORDER BY next_run_at, id
LIMIT :limit;

-- name: planned_of
-- Read those of some schedules that fire before a time, the next one first.
SELECT id, version, next_fire_at, next_run_at, until_at, max_runs, fires FROM schedules
WHERE id = ANY(:ids) AND next_run_at IS NOT NULL AND next_run_at < :until AND next_fire_at IS NOT NULL
  AND deleted_at IS NULL AND quarantine IS NULL
ORDER BY next_run_at, id
LIMIT :limit;

-- name: lives
-- Read the nodes that have not ended, and those that lived after a time.
SELECT n.id, n.host, n.pid, n.handlers, n.lease_seconds, n.started_at, coalesce(n.seen_at, n.started_at),
       n.state <> 'alive', n.version, (SELECT count(*) FROM runs r WHERE r.owner = n.id AND r.status = 'running')
FROM nodes n
WHERE n.state = 'alive' OR coalesce(n.seen_at, n.started_at) >= :since
ORDER BY n.started_at, n.id;

-- name: first_life
-- Find out when the first node started.
SELECT min(started_at) FROM nodes;

-- name: doing
-- Say what some schedules are doing: the statuses of their unfinished runs, and of the reminders of these, and when
-- such a reminder goes on.
SELECT DISTINCT r.schedule_id, r.status, m.status, m.wake_at
FROM runs r LEFT JOIN reminders m ON m.run_id = r.id
WHERE r.schedule_id = ANY(:ids) AND r.finished_at IS NULL;

-- name: under_way
-- Find schedules with a run under way: of the runs that a node owns, and of those without an owner. What is distinct is
-- no column, or SQLite would go through all runs in its order.
SELECT coalesce(r.schedule_id, '') FROM runs r
WHERE r.owner IS NOT NULL AND r.status = 'running' AND (:everything::boolean OR r.schedule_id = ANY(:ids))
UNION
SELECT coalesce(r.schedule_id, '') FROM runs r
WHERE r.status = 'running' AND r.owner IS NULL AND (:everything::boolean OR r.schedule_id = ANY(:ids))
LIMIT :limit;

-- name: snoozing
-- Find schedules with a reminder that was put off.
SELECT DISTINCT coalesce(m.schedule_id, '') FROM reminders m
WHERE m.status IN ('sending', 'awaiting_ack', 'snoozed') AND m.status = 'snoozed'
  AND (:everything::boolean OR m.schedule_id = ANY(:ids))
LIMIT :limit;

-- name: awaited
-- Find schedules with a reminder that waits for an answer. What is distinct is no column, or SQLite would go through all
-- reminders in its order.
SELECT DISTINCT coalesce(m.schedule_id, '') FROM reminders m
WHERE m.status IN ('sending', 'awaiting_ack', 'snoozed') AND m.status = 'awaiting_ack'
  AND (:everything::boolean OR m.schedule_id = ANY(:ids))
LIMIT :limit;

-- name: tally_schedules
-- Count schedules by kind and state; no more of them than asked for are looked at.
SELECT count(*), coalesce(sum(paused), 0), coalesce(sum(agent), 0), coalesce(sum(job), 0), coalesce(sum(person), 0),
       coalesce(sum(failing), 0)
FROM (SELECT CASE WHEN NOT enabled AND coalesce(disabled_by, 'person') = 'person' AND quarantine IS NULL
                  THEN 1 ELSE 0 END AS paused,
             CASE WHEN handler LIKE 'prompt:%' THEN 1 ELSE 0 END AS agent,
             CASE WHEN handler LIKE 'job:%' OR handler LIKE 'executor:%' THEN 1 ELSE 0 END AS job,
             CASE WHEN handler = 'message' THEN 1 ELSE 0 END AS person,
             CASE WHEN enabled AND consecutive_failures > 0 AND quarantine IS NULL THEN 1 ELSE 0 END AS failing
      FROM schedules
      WHERE deleted_at IS NULL AND (:everything::boolean OR id = ANY(:ids))
      LIMIT :most) AS counted;
