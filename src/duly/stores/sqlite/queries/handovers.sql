-- name: intend_handovers
-- Write down handovers of runs that are neither over nor called off; one whose number its run has already stays as it is.
WITH given (
    run_id, number, schedule_id, executor, task, queue, state, token_hash, reports, lease_seconds, run_seconds,
    intended_at, sent_at, sent, begin_by, tell_at, begun_at, heard_at, ended_at, ended_fence, worker, start,
    cancel_asked, result, error
) AS (VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))
INSERT INTO handovers
SELECT given.* FROM given CROSS JOIN runs r ON r.id = given.run_id AND r.finished_at IS NULL AND r.cancel_requested = 0
WHERE true
ON CONFLICT DO NOTHING;

-- name: change_handovers
-- Write handovers that are there.
WITH given (
    run_id, number, schedule_id, executor, task, queue, state, token_hash, reports, lease_seconds, run_seconds,
    intended_at, sent_at, sent, begin_by, tell_at, begun_at, heard_at, ended_at, ended_fence, worker, start,
    cancel_asked, result, error
) AS (VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))
UPDATE handovers
SET schedule_id = given.schedule_id, executor = given.executor, task = given.task, queue = given.queue, state =
    given.state, token_hash = given.token_hash, reports = given.reports, lease_seconds = given.lease_seconds,
    run_seconds = given.run_seconds, intended_at = given.intended_at, sent_at = given.sent_at, sent = given.sent,
    begin_by = given.begin_by, tell_at = given.tell_at, begun_at = given.begun_at, heard_at = given.heard_at, ended_at =
    given.ended_at, ended_fence = given.ended_fence, worker = given.worker, start = given.start, cancel_asked =
    given.cancel_asked, result = given.result, error = given.error
FROM given
WHERE handovers.run_id = given.run_id AND handovers.number = given.number;

-- name: wake_runs
-- Make unfinished runs due now; a running one goes on at once when its step is done.
UPDATE runs SET due_at = CASE status WHEN 'running' THEN max(:now, started_at + 1) ELSE min(due_at, :now) END
WHERE id IN (SELECT value FROM json_each(:ids)) AND finished_at IS NULL AND status IN ('pending', 'running')
RETURNING id;

-- name: late_handovers
-- Find open handovers past a time: to begin by, of the lease since the last sign of life that could be heard, or of the run.
-- A worker that was not heard may have ended in time, and has a lease to say so.
SELECT run_id, number FROM handovers
WHERE executor IN (SELECT value FROM json_each(:executors)) AND state IN ('intended', 'handed_over')
  AND begin_by <= :now AND cancel_asked = FALSE
UNION ALL
SELECT run_id, number FROM handovers
WHERE executor IN (SELECT value FROM json_each(:executors)) AND state = 'begun' AND cancel_asked = FALSE
  AND (
      :now - max(coalesce(heard_at, intended_at), :hearing_since) > lease_seconds * 1000000
      OR (:now - begun_at > run_seconds * 1000000
          AND (begun_at >= :hearing_since OR :now - :hearing_since > lease_seconds * 1000000))
  )
ORDER BY run_id, number LIMIT :limit;
