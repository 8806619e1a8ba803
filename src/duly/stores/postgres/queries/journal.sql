-- name: journal
-- The journal from a place on.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events WHERE seq > %(after)s ORDER BY seq LIMIT %(limit)s;

-- name: list_events
-- A page of the journal, the newest entries first.
SELECT seq, at, name, schedule_id, run_id, node_id, data FROM events
WHERE seq > %(after)s AND seq < %(before)s
  AND (%(since)s::timestamptz IS NULL OR at >= %(since)s)
  AND (%(until)s::timestamptz IS NULL OR at < %(until)s)
  AND (%(schedule_id)s::text IS NULL OR schedule_id = %(schedule_id)s)
  AND (%(run_id)s::text IS NULL OR run_id = %(run_id)s)
  AND (%(any_name)s OR name = ANY(%(names)s))
  AND (%(namespace)s::text IS NULL
       OR schedule_id IN (SELECT id FROM schedules WHERE namespace = %(namespace)s))
  AND (%(project)s::text IS NULL
       OR schedule_id IN (SELECT schedule_id FROM schedule_targets WHERE project_id = %(project)s))
ORDER BY seq DESC
LIMIT %(limit)s;
