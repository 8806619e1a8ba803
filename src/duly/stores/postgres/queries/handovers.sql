-- name: lock_schedules_of_runs
-- Lock the schedules of runs, in the order of all transactions that change several runs.
SELECT count(*) FROM (
    SELECT FROM schedules WHERE id = ANY(ARRAY(SELECT schedule_id FROM runs WHERE id = ANY(%(ids)s)))
    ORDER BY id FOR NO KEY UPDATE
) AS locked;

-- name: lock_runs
-- Keep others from changing runs. In order: transactions that lock in another order block each other.
SELECT count(*) FROM (SELECT FROM runs WHERE id = ANY(%(ids)s) ORDER BY id FOR NO KEY UPDATE) AS locked;

-- name: intend_handovers
-- Write down handovers of runs that are neither over nor called off; one whose number its run has already stays as it is.
INSERT INTO handovers
SELECT given.*
FROM unnest(
    %(run_id)s, %(number)s, %(schedule_id)s, %(executor)s, %(task)s, %(queue)s, %(state)s, %(token_hash)s, %(reports)s,
    %(lease_seconds)s, %(run_seconds)s, %(intended_at)s, %(sent_at)s, %(sent)s, %(begin_by)s, %(tell_at)s, %(begun_at)s,
    %(heard_at)s, %(ended_at)s, %(ended_fence)s, %(worker)s, %(start)s, %(cancel_asked)s, %(result)s, %(error)s
) AS given (
    run_id, number, schedule_id, executor, task, queue, state, token_hash, reports, lease_seconds, run_seconds,
    intended_at, sent_at, sent, begin_by, tell_at, begun_at, heard_at, ended_at, ended_fence, worker, start,
    cancel_asked, result, error
)
JOIN runs r ON r.id = ANY(ARRAY[given.run_id]) AND coalesce(r.finished_at IS NULL AND NOT r.cancel_requested, FALSE)
ON CONFLICT DO NOTHING;

-- name: change_handovers
-- Write handovers that are there.
UPDATE handovers
SET schedule_id = given.schedule_id, executor = given.executor, task = given.task, queue = given.queue, state =
    given.state, token_hash = given.token_hash, reports = given.reports, lease_seconds = given.lease_seconds,
    run_seconds = given.run_seconds, intended_at = given.intended_at, sent_at = given.sent_at, sent = given.sent,
    begin_by = given.begin_by, tell_at = given.tell_at, begun_at = given.begun_at, heard_at = given.heard_at, ended_at =
    given.ended_at, ended_fence = given.ended_fence, worker = given.worker, start = given.start, cancel_asked =
    given.cancel_asked, result = given.result, error = given.error
FROM unnest(
    %(run_id)s, %(number)s, %(schedule_id)s, %(executor)s, %(task)s, %(queue)s, %(state)s, %(token_hash)s, %(reports)s,
    %(lease_seconds)s, %(run_seconds)s, %(intended_at)s, %(sent_at)s, %(sent)s, %(begin_by)s, %(tell_at)s, %(begun_at)s,
    %(heard_at)s, %(ended_at)s, %(ended_fence)s, %(worker)s, %(start)s, %(cancel_asked)s, %(result)s, %(error)s
) AS given (
    run_id, number, schedule_id, executor, task, queue, state, token_hash, reports, lease_seconds, run_seconds,
    intended_at, sent_at, sent, begin_by, tell_at, begun_at, heard_at, ended_at, ended_fence, worker, start,
    cancel_asked, result, error
)
WHERE handovers.run_id = ANY(ARRAY[given.run_id]) AND handovers.number = given.number;

-- name: wake_runs
-- Make unfinished runs due now; a running one goes on at once when its step is done.
UPDATE runs
SET due_at = CASE status WHEN 'running' THEN greatest(%(now)s, started_at + interval '1 microsecond')
                         ELSE least(due_at, %(now)s) END
WHERE id = ANY(%(ids)s) AND coalesce(finished_at IS NULL, FALSE) AND coalesce(status IN ('pending', 'running'), FALSE)
RETURNING id;

-- name: late_handovers
-- Find open handovers past a time: to begin by, of the lease since the last sign of life that could be heard, or of the run.
-- A worker that was not heard may have ended in time, and has a lease to say so.
SELECT run_id, number FROM handovers
WHERE executor = ANY(%(executors)s) AND state IN ('intended', 'handed_over')
  AND begin_by <= %(now)s AND NOT cancel_asked
UNION ALL
SELECT run_id, number FROM handovers
WHERE executor = ANY(%(executors)s) AND state = 'begun' AND NOT cancel_asked
  AND (
      %(now)s - greatest(coalesce(heard_at, intended_at), %(hearing_since)s) > make_interval(secs => lease_seconds)
      OR (%(now)s - begun_at > make_interval(secs => run_seconds)
          AND (begun_at >= %(hearing_since)s
               OR %(now)s::timestamptz - %(hearing_since)s::timestamptz > make_interval(secs => lease_seconds)))
  )
ORDER BY run_id, number LIMIT %(limit)s;
