-- name: latest_handover
-- Read the handover of a run with the highest number.
SELECT run_id, number, schedule_id, executor, task, queue, state, token_hash, reports, lease_seconds, run_seconds,
       intended_at, sent_at, sent, begin_by, tell_at, begun_at, heard_at, ended_at, ended_fence, worker, start,
       cancel_asked, result, error
FROM handovers WHERE run_id = :run_id ORDER BY number DESC LIMIT 1;

-- name: latest_handovers
-- Read the handover with the highest number of each of some runs.
SELECT h.run_id, h.number, h.schedule_id, h.executor, h.task, h.queue, h.state, h.token_hash, h.reports,
       h.lease_seconds, h.run_seconds, h.intended_at, h.sent_at, h.sent, h.begin_by, h.tell_at, h.begun_at, h.heard_at,
       h.ended_at, h.ended_fence, h.worker, h.start, h.cancel_asked, h.result, h.error
FROM handovers h
WHERE h.run_id = ANY(:ids) AND h.number = (SELECT max(number) FROM handovers later WHERE later.run_id = h.run_id);

-- name: handovers_of_run
-- Read the handovers of a run, in order of their numbers.
SELECT run_id, number, schedule_id, executor, task, queue, state, token_hash, reports, lease_seconds, run_seconds,
       intended_at, sent_at, sent, begin_by, tell_at, begun_at, heard_at, ended_at, ended_fence, worker, start,
       cancel_asked, result, error
FROM handovers WHERE run_id = :run_id ORDER BY number;

-- name: standing_handovers
-- Read handovers, each with the number of the latest of its run, whether the run is over or called off, and the fence of the run.
-- Those of other runs and numbers that are asked for may be among them.
SELECT h.run_id, h.number, h.schedule_id, h.executor, h.task, h.queue, h.state, h.token_hash, h.reports,
       h.lease_seconds, h.run_seconds, h.intended_at, h.sent_at, h.sent, h.begin_by, h.tell_at, h.begun_at, h.heard_at,
       h.ended_at, h.ended_fence, h.worker, h.start, h.cancel_asked, h.result, h.error,
       (SELECT max(number) FROM handovers later WHERE later.run_id = h.run_id),
       (SELECT finished_at IS NOT NULL OR cancel_requested = TRUE FROM runs WHERE id = h.run_id), (SELECT fence FROM runs WHERE id = h.run_id)
FROM handovers h
WHERE h.run_id = ANY(:ids) AND h.number = ANY(:numbers);

-- name: intended_tokens
-- Read the tokens of handovers that are intended: what was written twice is known by it.
SELECT run_id, number, token_hash FROM handovers WHERE run_id = ANY(:ids) AND state = 'intended';

-- name: replace_handovers
-- Ask for the end of open handovers whose run has a later one.
UPDATE handovers SET cancel_asked = TRUE
WHERE run_id = ANY(:ids) AND state IN ('intended', 'handed_over', 'begun')
  AND number < (SELECT max(number) FROM handovers later WHERE later.run_id = handovers.run_id);

-- name: progress_of_handover
-- Record the progress of a run whose latest handover has begun and has this number.
UPDATE runs SET progress = :data
WHERE id = :run_id AND coalesce(finished_at IS NULL, FALSE)
  AND EXISTS (SELECT 1 FROM handovers WHERE run_id = :run_id AND number = :number AND state = 'begun')
  AND NOT EXISTS (SELECT 1 FROM handovers WHERE run_id = :run_id AND number > :number)
RETURNING id;

-- name: handovers_over
-- Find open handovers whose end was asked for.
SELECT run_id, number FROM handovers
WHERE executor = ANY(:executors) AND cancel_asked = TRUE AND state IN ('intended', 'handed_over', 'begun')
ORDER BY run_id, number LIMIT :limit;

-- name: handovers_to_tell
-- Find handovers that no worker has begun for so long that people should hear of it.
SELECT run_id, number FROM handovers
WHERE executor = ANY(:executors) AND state = 'handed_over' AND tell_at <= :now AND cancel_asked = FALSE
ORDER BY run_id, number LIMIT :limit;

-- name: open_unbegun
-- List open handovers of an executor that have not begun.
SELECT run_id, number, schedule_id, executor, task, queue, state, token_hash, reports, lease_seconds, run_seconds,
       intended_at, sent_at, sent, begin_by, tell_at, begun_at, heard_at, ended_at, ended_fence, worker, start,
       cancel_asked, result, error
FROM handovers
WHERE executor = :executor AND state IN ('intended', 'handed_over') AND (run_id, number) > (:run_id, :number)
ORDER BY run_id, number LIMIT :limit;

-- name: open_begun
-- List open handovers of an executor that have begun.
SELECT run_id, number, schedule_id, executor, task, queue, state, token_hash, reports, lease_seconds, run_seconds,
       intended_at, sent_at, sent, begin_by, tell_at, begun_at, heard_at, ended_at, ended_fence, worker, start,
       cancel_asked, result, error
FROM handovers
WHERE executor = :executor AND state = 'begun' AND (run_id, number) > (:run_id, :number)
ORDER BY run_id, number LIMIT :limit;

-- name: count_handovers
-- Count the open handovers of each executor. It reads the indexes of open ones.
SELECT executor, sum(waiting)::bigint, sum(begun)::bigint, min(oldest)
FROM (
    SELECT executor, count(*) AS waiting, 0 AS begun, min(intended_at) AS oldest
    FROM handovers WHERE state IN ('intended', 'handed_over') GROUP BY executor
    UNION ALL
    SELECT executor, 0, count(*), NULL FROM handovers WHERE state = 'begun' GROUP BY executor
) AS counted
GROUP BY executor ORDER BY executor;

-- name: handovers_ahead
-- List runs with open handovers that were written at a future time: only after a clock turned out to have been ahead.
SELECT DISTINCT run_id FROM handovers
WHERE run_id > :after AND state IN ('intended', 'handed_over', 'begun')
  AND (intended_at > :now OR sent_at > :now OR begun_at > :now OR heard_at > :now)
ORDER BY run_id LIMIT :limit;

-- name: handovers_again
-- Set times of open handovers that were written at a future time to now; what they wait for stays as far away as it was.
UPDATE handovers
SET begin_by = CASE WHEN intended_at > :now THEN :now::timestamptz + (begin_by - intended_at) ELSE begin_by END,
    tell_at = CASE WHEN coalesce(sent_at, intended_at) > :now
                   THEN :now::timestamptz + (tell_at - coalesce(sent_at, intended_at)) ELSE tell_at END,
    intended_at = CASE WHEN intended_at > :now THEN :now ELSE intended_at END,
    sent_at = CASE WHEN sent_at > :now THEN :now ELSE sent_at END,
    begun_at = CASE WHEN begun_at > :now THEN :now ELSE begun_at END,
    heard_at = CASE WHEN heard_at > :now THEN :now ELSE heard_at END
WHERE run_id = ANY(:ids) AND state IN ('intended', 'handed_over', 'begun');
