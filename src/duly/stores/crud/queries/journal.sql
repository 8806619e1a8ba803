-- name: journal
-- Read the journal after a number, oldest entries first.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: list_events
-- Read a page of the journal, newest entries first.
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
-- Read a page of the journal about one schedule, and perhaps one of its runs, newest entries first.
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
-- Read a page of the journal about one run, newest entries first.
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

-- name: list_lately
-- Read entries of one kind since a time, newest first.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events
WHERE name = :name AND at >= :since ORDER BY at DESC, seq DESC LIMIT :limit;
