-- name: unusual
-- Of attempts that ended those that are not their owner's to end any more, and those whose end frees a place in line.
WITH told (id, fence) AS (VALUES (?, ?))
SELECT told.id, told.fence, r.in_line
FROM told LEFT JOIN runs r ON r.id = told.id AND r.fence = told.fence AND r.status = 'running'
WHERE r.in_line IS NOT 0;

-- name: settle_final
-- End attempts for good. Who called one off said why; its owner need not know.
WITH told (id, status, finished_at, result, error, reason) AS (VALUES (?, ?, ?, ?, ?, ?))
UPDATE runs
SET status = told.status, finished_at = told.finished_at, result = told.result, error = told.error, owner = NULL,
    reason = CASE told.status WHEN 'cancelled' THEN coalesce(told.reason, runs.reason) ELSE told.reason END
FROM told
WHERE runs.id = told.id;

-- name: settle_retry
-- Make a failed attempt ready for another, if it is still ours and nobody asked it to stop. One that goes on has lost
-- none, and goes on at once when somebody made it due while it was under way.
UPDATE runs
SET status = CASE cancel_requested WHEN 1 THEN 'cancelled' ELSE 'pending' END,
    finished_at = CASE cancel_requested WHEN 1 THEN :finished_at END,
    reason = CASE cancel_requested WHEN 1 THEN reason ELSE :reason END,
    due_at = CASE WHEN cancel_requested = 1 OR (:goes_on = 1 AND due_at > started_at) THEN due_at ELSE :retry_at END,
    attempt = CASE :goes_on WHEN 1 THEN 1 ELSE attempt END,
    lost = CASE :goes_on WHEN 1 THEN 0 ELSE lost END,
    error = :error, owner = NULL
WHERE id = :id
RETURNING status;

-- name: called_off
-- Runs that were called off, with the names of their schedules and why.
SELECT r.id, r.schedule_id, s.name, r.reason
FROM json_each(:ids) AS wanted CROSS JOIN runs r ON r.id = wanted.value CROSS JOIN schedules s ON s.id = r.schedule_id;

-- name: settled_already
-- Whether a settlement that found nothing to do had been made before, by the same owner.
SELECT 1 FROM runs WHERE id = :id AND fence = :fence AND status <> 'running';

-- name: note_outcome
-- What schedules themselves remember of their last runs. When one ran may be unknown; then the time before it stays.
WITH ended (schedule_id, status, ran_at, last_result) AS (VALUES (?, ?, ?, ?))
UPDATE schedules
SET last_status = ended.status,
    last_result = ended.last_result,
    last_run_at = coalesce(ended.ran_at, last_run_at),
    total_runs = total_runs + 1,
    consecutive_failures = CASE ended.status
        WHEN 'succeeded' THEN 0
        WHEN 'cancelled' THEN consecutive_failures
        ELSE consecutive_failures + 1 END,
    failing_since = CASE ended.status
        WHEN 'succeeded' THEN NULL
        WHEN 'cancelled' THEN failing_since
        ELSE coalesce(failing_since, ended.ran_at) END
FROM ended
WHERE schedules.id = ended.schedule_id;

-- name: lines
-- Those of some schedules that have a line: what holds a place, what of it stands in the line, and what waits.
SELECT s.id, s.policy, sum(r.status <> 'waiting'), sum(r.status <> 'waiting' AND r.in_line), sum(r.status = 'waiting')
FROM json_each(:ids) AS wanted CROSS JOIN schedules s ON s.id = wanted.value
CROSS JOIN runs r ON r.schedule_id = s.id AND r.finished_at IS NULL
GROUP BY s.id
HAVING sum(r.status = 'waiting') > 0;

-- name: come_forward
-- Let the first in line come forward.
UPDATE runs
SET status = 'pending', due_at = max(due_at, :now)
WHERE id IN (
    SELECT id FROM runs WHERE schedule_id = :schedule_id AND finished_at IS NULL AND status = 'waiting'
    ORDER BY fire_at, id LIMIT :places
);

-- name: stand_in_line
-- A line is waiting for whatever is under way in its schedule.
UPDATE runs SET in_line = 1
WHERE schedule_id IN (SELECT value FROM json_each(:ids)) AND finished_at IS NULL AND in_line = 0;

-- name: due
-- Schedules whose time has come, the most overdue first; all in one row, for every row would be a step of the driver.
-- Their JSON has no control characters and so needs no quoting, which takes longer than all the rest.
SELECT json_group_array(json_array(
           id, namespace, name, handler, next_fire_at, next_run_at, until_at, max_runs, fires, enabled,
           created_by, changed_by)),
       group_concat(replace(trigger, char(30), char(31)), char(30)),
       group_concat(replace(action, char(30), char(31)), char(30)),
       group_concat(replace(policy, char(30), char(31)), char(30))
FROM (
    SELECT id, namespace, name, handler, next_fire_at, next_run_at, until_at, max_runs, fires, enabled,
           created_by, changed_by, trigger, action, policy
    FROM schedules
    WHERE next_run_at <= :now
    ORDER BY next_run_at
    LIMIT :limit
);

-- name: by_ids
-- The same of given schedules, due or not, a row each.
SELECT id, namespace, name, handler, next_fire_at, next_run_at, until_at, max_runs, fires, enabled,
       created_by, changed_by, trigger, action, policy
FROM schedules
WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL;

-- name: active
-- Unfinished runs of a batch of schedules, by status; an attempt already made tells a retry from a fresh run.
SELECT schedule_id, status, attempt > 0 AS tried, count(*) AS number
FROM runs
WHERE finished_at IS NULL AND schedule_id IN (SELECT value FROM json_each(:ids))
GROUP BY schedule_id, status, tried;

-- name: supersede
-- Close the runs of a schedule that wait for another attempt: a new fire takes their place. One in which nothing went
-- wrong has not failed.
UPDATE runs
SET status = CASE WHEN error IS NULL THEN 'cancelled' ELSE 'failed' END, finished_at = :now,
    reason = 'superseded by the next fire'
WHERE schedule_id = :schedule_id AND finished_at IS NULL AND status = 'pending' AND attempt > 0
RETURNING id, status, error, started_at, attempt;

-- name: record
-- Fires become runs; a fire that has its run already keeps it.
INSERT INTO runs (id, schedule_id, origin, fire_at, due_at, handler, lane, status, in_line, attempt, fence, owner,
                  started_at, finished_at, reason, skipped, first_skipped_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (schedule_id, fire_at, origin) DO NOTHING;

-- name: recorded
-- Which of these runs there are.
SELECT id FROM runs WHERE id IN (SELECT value FROM json_each(:ids));

-- name: advance
-- Move schedules on.
WITH decided (id, enabled, next_fire_at, next_run_at, watermark, fires, quarantine, disabled_by) AS (
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
)
UPDATE schedules
SET enabled = decided.enabled, next_fire_at = decided.next_fire_at, next_run_at = decided.next_run_at,
    watermark = coalesce(decided.watermark, schedules.watermark), fires = decided.fires,
    quarantine = decided.quarantine, disabled_by = decided.disabled_by
FROM decided
WHERE schedules.id = decided.id;

-- name: waiting
-- When the next schedule is due; and of each handler this node serves the first run in the shared lane, the first of all
-- owners, and the first of these that is not due yet.
SELECT NULL, min(next_run_at), NULL, NULL FROM schedules WHERE next_run_at IS NOT NULL
UNION ALL
SELECT served.value,
       (SELECT min(due_at) FROM runs WHERE status = 'pending' AND handler = served.value AND lane = ''),
       (SELECT min(due_at) FROM runs WHERE status = 'pending' AND lane <> '' AND handler = served.value),
       (SELECT min(due_at) FROM runs
        WHERE status = 'pending' AND lane <> '' AND handler = served.value AND due_at > :now)
FROM json_each(:handlers) AS served;

-- name: claimable
-- Pending runs in the shared lane that this node can serve, the longest due first. Of each handler no more are looked
-- at than may be claimed.
SELECT r.id, r.schedule_id, s.namespace, s.name, r.origin, r.fire_at, r.due_at, r.handler, r.attempt, r.fence,
       s.action, s.policy, s.created_by, s.changed_by
FROM json_each(:handlers) AS served
CROSS JOIN runs r ON r.id IN (
    SELECT id FROM runs WHERE status = 'pending' AND handler = served.value AND lane = '' AND due_at <= :now
    ORDER BY due_at, id LIMIT :limit)
CROSS JOIN schedules s ON s.id = r.schedule_id
ORDER BY r.due_at, r.id
LIMIT :limit;

-- name: ready_shared
-- The same where owners' runs are due, too: only what is needed to decide which of all runs are claimed.
SELECT r.due_at, r.id, r.lane
FROM json_each(:handlers) AS served
CROSS JOIN runs r ON r.id IN (
    SELECT id FROM runs WHERE status = 'pending' AND handler = served.value AND lane = '' AND due_at <= :now
    ORDER BY due_at, id LIMIT :limit)
ORDER BY r.due_at, r.id
LIMIT :limit;

-- name: ready_owners
-- The owners' runs that are longest due, whatever their lanes.
SELECT r.due_at, r.id, r.lane
FROM json_each(:handlers) AS served
CROSS JOIN runs r ON r.id IN (
    SELECT id FROM runs WHERE status = 'pending' AND lane <> '' AND handler = served.value AND due_at <= :now
    ORDER BY due_at, id LIMIT :limit)
ORDER BY r.due_at, r.id
LIMIT :limit;

-- name: ready_by_lane
-- Owners' runs lane by lane, so many of each. The lanes are found by stepping through the index from one to the next, so
-- that a lane with very many runs costs no more than one with few; of full lanes no run is looked at.
WITH RECURSIVE lanes (handler, lane) AS (
    SELECT served.value,
           (SELECT min(lane) FROM runs WHERE status = 'pending' AND handler = served.value AND lane > '')
    FROM json_each(:handlers) AS served
    UNION ALL
    SELECT lanes.handler,
           (SELECT min(lane) FROM runs
            WHERE status = 'pending' AND handler = lanes.handler AND lane > lanes.lane)
    FROM lanes WHERE lanes.lane IS NOT NULL
)
SELECT r.due_at, r.id, r.lane
FROM lanes
CROSS JOIN runs r ON r.id IN (
    SELECT id FROM runs
    WHERE status = 'pending' AND handler = lanes.handler AND lane = lanes.lane AND due_at <= :now
    ORDER BY due_at, id LIMIT :limit)
WHERE lanes.lane IS NOT NULL AND lanes.lane NOT IN (SELECT value FROM json_each(:full));

-- name: chosen
-- Runs that were chosen to be claimed.
SELECT r.id, r.schedule_id, s.namespace, s.name, r.origin, r.fire_at, r.due_at, r.handler, r.attempt, r.fence,
       s.action, s.policy, s.created_by, s.changed_by
FROM json_each(:ids) AS wanted
CROSS JOIN runs r ON r.id = wanted.value
CROSS JOIN schedules s ON s.id = r.schedule_id;

-- name: claim
-- Take runs: the attempt counts from here, and the fence keeps out whoever had one before.
WITH taken (id, owner, started_at) AS (VALUES (?, ?, ?))
UPDATE runs
SET status = 'running', owner = taken.owner, attempt = attempt + 1, fence = fence + 1, started_at = taken.started_at
FROM taken
WHERE runs.id = taken.id;

-- name: quarantine_run
-- A run that nobody can read is over; who stands in line behind it is helped by the next rescue.
UPDATE runs SET status = 'dead', finished_at = :now, reason = :reason WHERE id = :id;

-- name: adopt
-- Everything this node owns.
SELECT r.id, r.schedule_id, s.namespace, s.name, r.origin, r.fire_at, r.due_at, r.handler, r.attempt, r.fence,
       s.action, s.policy, s.created_by, s.changed_by
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.owner = :node_id AND r.status = 'running';

-- name: event
-- An entry in the journal.
INSERT INTO events (at, name, schedule_id, run_id, node_id, data) VALUES (?, ?, ?, ?, ?, ?);
