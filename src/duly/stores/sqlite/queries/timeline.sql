-- name: runs_by_id
-- Read runs with the names of their schedules, newest first.
SELECT r.*, s.namespace, s.name FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.id IN (SELECT value FROM json_each(:ids))
ORDER BY r.id DESC;

-- name: tally_runs
-- Count the runs that were recorded in a span, by the stretch of their fires and by what has become of them.
SELECT (r.fire_at - :origin) / CAST(:width * 1000000 AS INTEGER) AS stretch,
       CASE WHEN r.finished_at IS NULL
                 AND EXISTS (SELECT 1 FROM reminders m WHERE m.run_id = r.id AND m.status = 'awaiting_ack')
            THEN 'awaiting' ELSE r.status END AS outcome,
       count(*), sum(max(r.skipped, 1))
FROM runs r
WHERE r.id >= :from_id AND r.id < :to_id
  AND (:everything OR r.schedule_id IN (SELECT value FROM json_each(:ids)))
GROUP BY 1, 2;

-- name: stretches
-- Count the runs of some schedules with a fire in a span, by stretch and by what has become of them.
SELECT r.schedule_id, (r.fire_at - :start) / CAST(:width * 1000000 AS INTEGER), r.status, sum(max(r.skipped, 1))
FROM runs r
WHERE r.schedule_id IN (SELECT value FROM json_each(:ids)) AND r.fire_at >= :start AND r.fire_at < :end
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3;

-- name: last_marks
-- Read the last runs of some schedules in order of their fires. CROSS: the few schedules come first.
SELECT r.id, r.schedule_id, r.status, r.origin, r.fire_at, r.due_at,
       coalesce((SELECT h.begun_at FROM handovers h WHERE h.run_id = r.id ORDER BY h.number DESC LIMIT 1), r.started_at),
       r.finished_at, r.skipped,
       r.first_skipped_at, r.attempt, r.reason, m.status
FROM json_each(:ids) s CROSS JOIN runs r LEFT JOIN reminders m ON m.run_id = r.id AND m.user_id = (
    SELECT user_id FROM reminders WHERE run_id = r.id ORDER BY status <> 'awaiting_ack', user_id LIMIT 1)
WHERE r.id IN (SELECT id FROM runs WHERE schedule_id = s.value ORDER BY fire_at DESC, origin DESC LIMIT :count)
ORDER BY r.fire_at, r.id;

-- name: search_schedules
-- Search the next schedules for a text, in order of namespace and name: gives those that have it, and last how many were
-- looked at up to which.
WITH looked AS MATERIALIZED (
    SELECT id, namespace, name,
           (:enabled IS NULL OR enabled = :enabled)
           AND (:handlers IS NULL OR handler LIKE :handlers OR handler LIKE :more_handlers)
           -- One call for the three texts: it takes longer than all the rest. No text goes over the end of a line.
           AND instr(lower_case(name || char(10) || coalesce(description, '') || char(10) || action), :text)
           AND (:project IS NULL OR EXISTS (
                SELECT 1 FROM schedule_targets t WHERE t.schedule_id = schedules.id AND t.project_id = :project))
               AS has_it
    FROM schedules
    WHERE deleted_at IS NULL AND (namespace, name) > (:after_namespace, :after_name)
      AND namespace <= coalesce(:namespace, x'ff') -- which is behind every text
    ORDER BY namespace, name
    LIMIT :most)
SELECT id, namespace, name, 0 FROM looked WHERE has_it
UNION ALL
SELECT * FROM (SELECT NULL, namespace, name, (SELECT count(*) FROM looked)
               FROM looked ORDER BY namespace DESC, name DESC LIMIT 1) AS last;

-- name: size_of_namespace
-- Count the schedules of one namespace or of all, up to a number.
SELECT count(*) FROM (
    SELECT 1 FROM schedules
    WHERE deleted_at IS NULL AND namespace >= coalesce(:namespace, '') AND namespace <= coalesce(:namespace, x'ff')
    LIMIT coalesce(:most, -1));

-- name: ranked_of
-- Read a page of some schedules by rank, namespace and name.
WITH active AS MATERIALIZED (
    SELECT r.schedule_id, max(r.status = 'running') AS running, max(coalesce(m.status = 'awaiting_ack', 0)) AS awaiting,
           max(coalesce(m.status = 'snoozed', 0)) AS snoozed
    FROM runs r LEFT JOIN reminders m ON m.run_id = r.id
    WHERE r.schedule_id IN (SELECT value FROM json_each(:ids)) AND r.finished_at IS NULL GROUP BY r.schedule_id),
judged AS (
    SELECT s.id, s.namespace, s.name, s.next_run_at,
           CASE WHEN s.quarantine IS NOT NULL THEN 'unreadable'
                WHEN NOT s.enabled AND s.disabled_by = 'finished' THEN 'finished'
                WHEN NOT s.enabled AND s.disabled_by = 'file' THEN 'off'
                WHEN NOT s.enabled THEN 'paused'
                ELSE 'on' END AS lever,
           s.resting IS NOT NULL AS resting, s.failing_since IS NOT NULL AND s.consecutive_failures > 0 AS failing,
           coalesce(a.running, 0) AS running, coalesce(a.awaiting, 0) AS awaiting,
           coalesce(a.snoozed, 0) AS snoozed
    FROM schedules s LEFT JOIN active a ON a.schedule_id = s.id
    WHERE s.deleted_at IS NULL
      AND s.id IN (SELECT value FROM json_each(:ids))
      AND (:handlers IS NULL OR s.handler LIKE :handlers OR s.handler LIKE :more_handlers)
      AND (:namespace IS NULL OR s.namespace = :namespace)
      AND (:enabled IS NULL OR s.enabled = :enabled)
      AND (:project IS NULL OR EXISTS (
            SELECT 1 FROM schedule_targets t WHERE t.schedule_id = s.id AND t.project_id = :project))
      AND (:text IS NULL OR instr(lower_case(s.name), :text) OR instr(lower_case(coalesce(s.description, '')), :text)
           OR instr(lower_case(s.action), :text))),
placed AS (
    SELECT id, namespace, name,
           CASE :order
               WHEN 'attention' THEN CASE WHEN lever = 'unreadable' THEN 0 WHEN awaiting THEN 1
                   WHEN lever = 'on' AND failing THEN 2 WHEN lever = 'on' AND resting THEN 3 WHEN running THEN 4
                   WHEN lever = 'on' THEN 5 WHEN lever = 'paused' THEN 6 ELSE 7 END
               WHEN 'next' THEN coalesce(next_run_at, 9000000000000000000)
               ELSE 0 END AS rank
    FROM judged
    WHERE CASE :state WHEN 'failing' THEN lever = 'on' AND failing WHEN 'awaiting' THEN awaiting WHEN 'snoozed' THEN snoozed
              WHEN 'running' THEN running WHEN 'resting' THEN lever = 'on' AND resting
              WHEN 'ok' THEN lever = 'on' AND NOT failing AND NOT resting AND NOT awaiting AND NOT running
              ELSE :state IS NULL OR lever = :state END)
SELECT id, rank, namespace, name FROM placed
WHERE rank <= :last_rank
  AND (:after_rank IS NULL OR (rank, namespace, name) > (:after_rank, :after_namespace, :after_name))
ORDER BY rank, namespace, name
LIMIT :limit;
