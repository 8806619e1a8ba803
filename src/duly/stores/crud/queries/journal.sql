-- name: journal
-- The journal from a place on.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: list_events
-- A page of the journal, the newest entries first.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events
WHERE seq > :after AND seq < :before
  AND (:since::timestamptz IS NULL OR at >= :since)
  AND (:until::timestamptz IS NULL OR at < :until)
  AND (:any_name OR name = ANY(:names))
  AND (:namespace::text IS NULL
       OR schedule_id IN (SELECT id FROM schedules WHERE namespace = :namespace))
  AND (:project::text IS NULL
       OR schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
ORDER BY seq DESC
LIMIT :limit;

-- name: list_events_of_schedule
-- The same of one schedule, and of one of its runs.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events
WHERE schedule_id = :schedule_id AND seq > :after AND seq < :before
  AND (:since::timestamptz IS NULL OR at >= :since)
  AND (:until::timestamptz IS NULL OR at < :until)
  AND (:run_id::text IS NULL OR run_id = :run_id)
  AND (:any_name OR name = ANY(:names))
  AND (:namespace::text IS NULL
       OR schedule_id IN (SELECT id FROM schedules WHERE namespace = :namespace))
  AND (:project::text IS NULL
       OR schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
ORDER BY seq DESC
LIMIT :limit;

-- name: list_events_of_run
-- The same of one run.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events
WHERE run_id = :run_id AND seq > :after AND seq < :before
  AND (:since::timestamptz IS NULL OR at >= :since)
  AND (:until::timestamptz IS NULL OR at < :until)
  AND (:any_name OR name = ANY(:names))
  AND (:namespace::text IS NULL
       OR schedule_id IN (SELECT id FROM schedules WHERE namespace = :namespace))
  AND (:project::text IS NULL
       OR schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = :project))
ORDER BY seq DESC
LIMIT :limit;
