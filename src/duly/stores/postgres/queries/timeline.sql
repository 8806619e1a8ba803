-- name: runs_by_id
-- Read runs with the names of their schedules, newest first.
SELECT r.id, r.schedule_id, r.origin, r.fire_at, s.namespace, s.name, r.handler, r.status, r.due_at, r.attempt, r.lost,
       r.fence, r.owner, r.started_at, r.finished_at, r.result, r.error, r.reason, r.skipped, r.first_skipped_at,
       r.progress, r.cancel_requested
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.id = ANY(%(ids)s)
ORDER BY r.id DESC;

-- name: tally_runs
-- Count the runs that were recorded in a span, by the stretch of their fires and by what has become of them.
SELECT floor(extract(epoch FROM r.fire_at - %(origin)s) / %(width)s::float8)::bigint AS stretch,
       CASE WHEN r.finished_at IS NULL
                 AND EXISTS (SELECT FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack')
            THEN 'awaiting' ELSE r.status END AS outcome,
       count(*), sum(greatest(r.skipped, 1))
FROM runs r
WHERE r.id >= %(from_id)s AND r.id < %(to_id)s
  AND (%(everything)s OR r.schedule_id = ANY(%(ids)s))
GROUP BY 1, 2;

-- name: stretches
-- Count the runs of some schedules with a fire in a span, by stretch and by what has become of them.
SELECT r.schedule_id, floor(extract(epoch FROM r.fire_at - %(start)s) / %(width)s::float8)::bigint, r.status,
       sum(greatest(r.skipped, 1))
FROM runs r
WHERE r.schedule_id = ANY(%(ids)s) AND r.fire_at >= %(start)s AND r.fire_at < %(end)s
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3;

-- name: last_marks
-- Read the last runs of some schedules in order of their fires.
SELECT r.id, r.schedule_id, r.status, r.origin, r.fire_at, r.due_at,
       coalesce((SELECT h.begun_at FROM handovers h WHERE h.run_id = r.id ORDER BY h.number DESC LIMIT 1), r.started_at),
       r.finished_at, r.skipped,
       r.first_skipped_at, r.attempt, r.reason, m.status
FROM unnest(%(ids)s::text[]) s(id)
CROSS JOIN LATERAL (SELECT * FROM runs WHERE schedule_id = s.id ORDER BY fire_at DESC, origin DESC LIMIT %(count)s) r
LEFT JOIN reminders m ON m.run_id = r.id AND m.user_id = (
    SELECT user_id FROM reminders WHERE run_id = r.id ORDER BY status <> 'awaiting_ack', user_id LIMIT 1)
ORDER BY r.fire_at, r.id;

-- name: search_schedules
-- Search the next schedules for a text, in order of namespace and name: gives those that have it, and last how many were
-- looked at up to which.
WITH looked AS MATERIALIZED (
    SELECT id, namespace, name,
           (%(enabled)s::boolean IS NULL OR enabled = %(enabled)s)
           AND (%(handlers)s::text IS NULL OR handler LIKE %(handlers)s OR handler LIKE %(more_handlers)s)
           -- As given, too: a database without a language knows the small letters of English only.
           AND (strpos(lower(name COLLATE "default"), lower(%(text)s)) > 0 OR strpos(name, %(text)s) > 0
                OR strpos(lower(description), lower(%(text)s)) > 0 OR strpos(description, %(text)s) > 0
                OR strpos(lower(action), lower(%(text)s)) > 0 OR strpos(action, %(text)s) > 0)
           AND (%(project)s::text IS NULL OR EXISTS (
                SELECT FROM schedule_targets t
                WHERE t.schedule_id = schedules.id AND t.project_id = %(project)s OFFSET 0)) AS has_it
    FROM schedules
    WHERE deleted_at IS NULL AND (namespace, name) > (%(after_namespace)s, %(after_name)s)
      AND namespace <= coalesce(%(namespace)s, U&'\+10FFFF') -- which is behind every text
    ORDER BY namespace, name
    LIMIT %(most)s)
SELECT id, namespace, name, 0 FROM looked WHERE has_it
UNION ALL
SELECT * FROM (SELECT NULL, namespace, name, (SELECT count(*) FROM looked)
               FROM looked ORDER BY namespace DESC, name DESC LIMIT 1) AS last;

-- name: size_of_namespace
-- Count the schedules of one namespace or of all, up to a number.
SELECT count(*) FROM (
    SELECT 1 FROM schedules
    WHERE deleted_at IS NULL AND namespace >= coalesce(%(namespace)s, '')
      AND namespace <= coalesce(%(namespace)s, U&'\+10FFFF')
    LIMIT %(most)s) AS counted;

-- name: ranked_of
-- Read a page of some schedules by rank, namespace and name.
WITH active AS MATERIALIZED (
    SELECT r.schedule_id, bool_or(r.status = 'running') AS running,
           bool_or(coalesce(m.status = 'awaiting_ack', false)) AS awaiting,
           bool_or(coalesce(m.status = 'snoozed', false)) AS snoozed
    FROM runs r LEFT JOIN reminders m ON m.run_id = r.id
    WHERE r.schedule_id = ANY(%(ids)s) AND r.finished_at IS NULL GROUP BY r.schedule_id),
judged AS (
    SELECT s.id, s.namespace, s.name, s.next_run_at,
           CASE WHEN s.quarantine IS NOT NULL THEN 'unreadable'
                WHEN NOT s.enabled AND s.disabled_by = 'finished' THEN 'finished'
                WHEN NOT s.enabled AND s.disabled_by = 'file' THEN 'off'
                WHEN NOT s.enabled THEN 'paused'
                ELSE 'on' END AS lever,
           s.resting IS NOT NULL AS resting, s.failing_since IS NOT NULL AND s.consecutive_failures > 0 AS failing,
           coalesce(a.running, false) AS running, coalesce(a.awaiting, false) AS awaiting,
           coalesce(a.snoozed, false) AS snoozed
    FROM schedules s LEFT JOIN active a ON a.schedule_id = s.id
    WHERE s.deleted_at IS NULL
      AND s.id = ANY(%(ids)s)
      AND (%(handlers)s::text IS NULL OR s.handler LIKE %(handlers)s OR handler LIKE %(more_handlers)s)
      AND (%(namespace)s::text IS NULL OR s.namespace = %(namespace)s)
      AND (%(enabled)s::boolean IS NULL OR s.enabled = %(enabled)s)
      AND (%(project)s::text IS NULL OR EXISTS (
            SELECT FROM schedule_targets t WHERE t.schedule_id = s.id AND t.project_id = %(project)s OFFSET 0))
      AND (%(text)s::text IS NULL
           OR strpos(lower(s.name COLLATE "default"), lower(%(text)s)) > 0 OR strpos(s.name, %(text)s) > 0
           OR strpos(lower(s.description), lower(%(text)s)) > 0 OR strpos(s.description, %(text)s) > 0
           OR strpos(lower(s.action), lower(%(text)s)) > 0 OR strpos(s.action, %(text)s) > 0)),
placed AS (
    SELECT id, namespace, name,
           CASE %(order)s::text
               WHEN 'attention' THEN CASE WHEN lever = 'unreadable' THEN 0 WHEN awaiting THEN 1
                   WHEN lever = 'on' AND failing THEN 2 WHEN lever = 'on' AND resting THEN 3 WHEN running THEN 4
                   WHEN lever = 'on' THEN 5 WHEN lever = 'paused' THEN 6 ELSE 7 END
               WHEN 'next' THEN coalesce((extract(epoch FROM next_run_at) * 1000000)::bigint, 9000000000000000000)
               ELSE 0 END AS rank
    FROM judged
    WHERE CASE %(state)s::text WHEN 'failing' THEN lever = 'on' AND failing WHEN 'awaiting' THEN awaiting WHEN 'snoozed' THEN snoozed
              WHEN 'running' THEN running WHEN 'resting' THEN lever = 'on' AND resting
              WHEN 'ok' THEN lever = 'on' AND NOT failing AND NOT resting AND NOT awaiting AND NOT running
              ELSE %(state)s IS NULL OR lever = %(state)s END)
SELECT id, rank, namespace, name FROM placed
WHERE rank <= %(last_rank)s
  AND (%(after_rank)s::bigint IS NULL
       OR (rank, namespace, name) > (%(after_rank)s, %(after_namespace)s, %(after_name)s))
ORDER BY rank, namespace, name
LIMIT %(limit)s;
