-- name: unusual
-- Find, among attempts that ended, those whose end frees a place in a queue, and those that another node owns now. In one
-- row: each row costs a step of the driver, and after each the thread that writes waits for the interpreter.
WITH given (id, fence) AS (VALUES (?, ?))
SELECT json_group_array(given.id) FILTER (WHERE r.in_line),
       json_group_array(json_array(given.id, given.fence)) FILTER (WHERE r.in_line IS NULL)
FROM given LEFT JOIN runs r ON r.id = given.id AND r.fence = given.fence AND r.status = 'running'
WHERE r.in_line IS NOT 0;

-- name: note_failed
-- Keep attempts that failed, before their runs forget when they began and where.
WITH given (id, ended_at, error) AS (VALUES (?, ?, ?))
INSERT INTO attempts (run_id, fence, attempt, status, started_at, ended_at, node_id, error)
SELECT r.id, r.fence, r.attempt, 'failed', r.started_at, given.ended_at, r.owner, given.error
FROM given JOIN runs r ON r.id = given.id
WHERE true
ON CONFLICT DO NOTHING;

-- name: settle_final
-- End attempts for good. A cancelled run keeps the reason that was given with the cancellation.
WITH given (id, status, finished_at, result, error, reason) AS (VALUES (?, ?, ?, ?, ?, ?))
UPDATE runs
SET status = given.status, finished_at = given.finished_at, result = given.result, error = given.error, owner = NULL,
    reason = CASE given.status WHEN 'cancelled' THEN coalesce(given.reason, runs.reason) ELSE given.reason END
FROM given
WHERE runs.id = given.id;

-- name: settle_successes
-- What `settle_final` does for attempts that succeeded and have no more to say than a result.
WITH given (id, finished_at, result) AS (VALUES (?, ?, ?))
UPDATE runs
SET status = 'succeeded', finished_at = given.finished_at, result = given.result, error = NULL, owner = NULL, reason = NULL
FROM given
WHERE runs.id = given.id;

-- name: settle_retry
-- Make a run pending for a retry, or cancel it if it was asked to stop. One that goes on has lost no attempt, and is
-- due at once if it was made due while it was running; with 2 its next attempt has the number of this one. One that was
-- never begun is as it was before it was claimed.
UPDATE runs
SET status = CASE cancel_requested WHEN 1 THEN 'cancelled' ELSE 'pending' END,
    finished_at = CASE cancel_requested WHEN 1 THEN :finished_at END,
    reason = CASE WHEN cancel_requested = 1 OR :unbegun = 1 THEN reason ELSE :reason END,
    due_at = CASE WHEN cancel_requested = 1 OR (:goes_on > 0 AND due_at > started_at) THEN due_at ELSE :retry_at END,
    attempt = CASE :goes_on WHEN 1 THEN 1 WHEN 2 THEN attempt - 1 ELSE attempt - :unbegun END,
    lost = CASE :goes_on WHEN 0 THEN lost ELSE 0 END,
    error = CASE :unbegun WHEN 1 THEN error ELSE :error END, owner = NULL
WHERE id = :id
RETURNING status;

-- name: called_off
-- Read runs that were cancelled, with the names of their schedules and the reasons.
SELECT r.id, r.schedule_id, s.name, r.reason
FROM json_each(:ids) AS wanted CROSS JOIN runs r ON r.id = wanted.value CROSS JOIN schedules s ON s.id = r.schedule_id;

-- name: settled_already
-- Find settlements that the same owner had made before.
SELECT 1 FROM runs WHERE id = :id AND fence = :fence AND status <> 'running';

-- name: note_outcome
-- Let schedules remember their last runs. When a run began may be unknown; then the earlier time stays.
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

-- name: note_successes
-- What `note_outcome` does for runs that succeeded.
WITH ended (schedule_id, ran_at, last_result) AS (VALUES (?, ?, ?))
UPDATE schedules
SET last_status = 'succeeded', last_result = ended.last_result, last_run_at = ended.ran_at, total_runs = total_runs + 1,
    consecutive_failures = 0, failing_since = NULL
FROM ended
WHERE schedules.id = ended.schedule_id;

-- name: queue_counts
-- Count, for schedules with waiting runs: runs that hold a place, those of them that belong to the queue, and waiting
-- runs.
SELECT s.id, s.policy, sum(r.status <> 'waiting'), sum(r.status <> 'waiting' AND r.in_line), sum(r.status = 'waiting')
FROM json_each(:ids) AS wanted CROSS JOIN schedules s ON s.id = wanted.value
CROSS JOIN runs r ON r.schedule_id = s.id AND r.finished_at IS NULL
GROUP BY s.id
HAVING sum(r.status = 'waiting') > 0;

-- name: come_forward
-- Let the first waiting runs begin. By the index of unfinished runs: the one that has them in order has all others, too.
UPDATE runs
SET status = 'pending', due_at = max(due_at, :now)
WHERE id IN (
    SELECT id FROM runs INDEXED BY runs_active WHERE schedule_id = :schedule_id AND finished_at IS NULL AND status = 'waiting'
    ORDER BY fire_at, id LIMIT :places
);

-- name: stand_in_line
-- Make the runs under way of a schedule part of its queue: a new run waits for them.
UPDATE runs SET in_line = 1
WHERE schedule_id IN (SELECT value FROM json_each(:ids)) AND finished_at IS NULL AND in_line = 0;

-- name: due
-- Read due schedules, the most overdue first; all in one row, because every row costs a step of the driver, and a list
-- for each column, because a list for each schedule is twice as much to read. The JSON in the last three has no control
-- characters and so needs no quoting, which would take longer than all the rest.
SELECT json_group_array(id), json_group_array(namespace), json_group_array(name), json_group_array(handler),
       json_group_array(next_fire_at), json_group_array(next_run_at), json_group_array(until_at),
       json_group_array(max_runs), json_group_array(fires), json_group_array(enabled),
       json_group_array(created_by), json_group_array(changed_by),
       group_concat(replace(trigger, char(30), char(31)), char(30)),
       group_concat(replace(action, char(30), char(31)), char(30)),
       group_concat(replace(policy, char(30), char(31)), char(30))
FROM (
    SELECT id, namespace, name, handler, next_fire_at, next_run_at, until_at, max_runs, fires, enabled,
           created_by, changed_by, trigger, action, policy
    FROM schedules
    WHERE next_run_at <= :until
    ORDER BY next_run_at
    LIMIT :limit
);

-- name: by_ids
-- Read given schedules, due or not, for planning.
SELECT id, namespace, name, handler, next_fire_at, next_run_at, until_at, max_runs, fires, enabled,
       created_by, changed_by, trigger, action, policy
FROM schedules
WHERE id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL;

-- name: active
-- Count the unfinished runs of a batch of schedules by status; an attempt already made tells a retry from a new run, unless
-- the run is elsewhere. Only of those that may be retries is that looked up.
SELECT schedule_id, status, count(*) AS number,
       CASE WHEN status = 'pending' AND attempt > 0
            THEN NOT EXISTS (SELECT 1 FROM runs_elsewhere e WHERE e.run_id = runs.id) END AS retrying
FROM runs
WHERE finished_at IS NULL AND schedule_id IN (SELECT value FROM json_each(:ids))
GROUP BY schedule_id, status, retrying;

-- name: supersede
-- Close the runs of a schedule that wait for a retry: a new fire takes their place. A run without an error has not
-- failed; one that is elsewhere does not wait.
UPDATE runs
SET status = CASE WHEN error IS NULL THEN 'cancelled' ELSE 'failed' END, finished_at = :now,
    reason = 'superseded by the next fire'
WHERE schedule_id = :schedule_id AND finished_at IS NULL AND status = 'pending' AND attempt > 0
  AND NOT EXISTS (SELECT 1 FROM runs_elsewhere e WHERE e.run_id = runs.id)
RETURNING id, status, error, started_at, attempt;

-- name: record
-- Make runs of fires; a fire that has its run already keeps it.
INSERT INTO runs (id, schedule_id, origin, fire_at, due_at, handler, lane, status, in_line, attempt, fence, owner,
                  started_at, finished_at, reason, skipped, first_skipped_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (schedule_id, fire_at, origin) DO NOTHING;

-- name: record_begun
-- What `record` does for runs of schedules that begin at once in the shared lane. The node that owns them, and the time
-- at which they begin unless they are due later, follow the rows.
WITH given (id, schedule_id, fire_at, due_at, handler, in_line) AS (VALUES (?, ?, ?, ?, ?, ?))
INSERT INTO runs (id, schedule_id, origin, fire_at, due_at, handler, lane, status, in_line, attempt, fence, owner,
                  started_at, skipped)
SELECT id, schedule_id, 'schedule', fire_at, due_at, handler, '', 'running', in_line, 1, 1, ?, max(due_at, ?), 0
FROM given
WHERE true
ON CONFLICT (schedule_id, fire_at, origin) DO NOTHING;

-- name: recorded
-- Find which of these runs exist.
SELECT id FROM runs WHERE id IN (SELECT value FROM json_each(:ids));

-- name: advance
-- Write the new states of schedules.
WITH decided (id, next_fire_at, next_run_at, watermark, fires, enabled, quarantine, disabled_by) AS (
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
)
UPDATE schedules
SET enabled = decided.enabled, next_fire_at = decided.next_fire_at, next_run_at = decided.next_run_at,
    watermark = coalesce(decided.watermark, schedules.watermark), fires = decided.fires,
    quarantine = decided.quarantine, disabled_by = decided.disabled_by
FROM decided
WHERE schedules.id = decided.id;

-- name: advance_usual
-- What `advance` does for schedules that go on: neither over nor quarantined.
WITH decided (id, next_fire_at, next_run_at, watermark, fires) AS (VALUES (?, ?, ?, ?, ?))
UPDATE schedules
SET enabled = 1, next_fire_at = decided.next_fire_at, next_run_at = decided.next_run_at,
    watermark = coalesce(decided.watermark, schedules.watermark), fires = decided.fires, quarantine = NULL,
    disabled_by = NULL
FROM decided
WHERE schedules.id = decided.id;

-- name: waiting
-- Read when the next schedule is due, and for each handler of this node when the first run in the shared lane is due,
-- the first run of all owners, and the first of these that is not due yet.
SELECT NULL, min(next_run_at), NULL, NULL FROM schedules WHERE next_run_at IS NOT NULL
UNION ALL
SELECT served.value,
       (SELECT min(due_at) FROM runs WHERE status = 'pending' AND handler = served.value AND lane = ''),
       (SELECT min(due_at) FROM runs WHERE status = 'pending' AND lane <> '' AND handler = served.value),
       (SELECT min(due_at) FROM runs
        WHERE status = 'pending' AND lane <> '' AND handler = served.value AND due_at > :now)
FROM json_each(:handlers) AS served;

-- name: claimable
-- Read pending runs in the shared lane that this node serves, the longest due first. Of each handler no more are read
-- than may be claimed.
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
-- Read due runs in the shared lane where runs of owners are due, too: only the columns that decide which runs are
-- claimed.
SELECT r.due_at, r.id, r.lane
FROM json_each(:handlers) AS served
CROSS JOIN runs r ON r.id IN (
    SELECT id FROM runs WHERE status = 'pending' AND handler = served.value AND lane = '' AND due_at <= :now
    ORDER BY due_at, id LIMIT :limit)
ORDER BY r.due_at, r.id
LIMIT :limit;

-- name: ready_owners
-- Read the runs of owners that are longest due, of all lanes.
SELECT r.due_at, r.id, r.lane
FROM json_each(:handlers) AS served
CROSS JOIN runs r ON r.id IN (
    SELECT id FROM runs WHERE status = 'pending' AND lane <> '' AND handler = served.value AND due_at <= :now
    ORDER BY due_at, id LIMIT :limit)
ORDER BY r.due_at, r.id
LIMIT :limit;

-- name: ready_by_lane
-- Read due runs of owners lane by lane, so many of each. The lanes are found by stepping through the index from one to
-- the next, so that a lane with very many runs costs no more than one with few; runs of full lanes are not read.
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
-- Read runs that were chosen to be claimed.
SELECT r.id, r.schedule_id, s.namespace, s.name, r.origin, r.fire_at, r.due_at, r.handler, r.attempt, r.fence,
       s.action, s.policy, s.created_by, s.changed_by
FROM json_each(:ids) AS wanted
CROSS JOIN runs r ON r.id = wanted.value
CROSS JOIN schedules s ON s.id = r.schedule_id;

-- name: claim
-- Claim runs: the attempt counts from here, and the fence refuses the settlement of an earlier owner.
WITH taken (id, owner, started_at) AS (VALUES (?, ?, ?))
UPDATE runs
SET status = 'running', owner = taken.owner, attempt = attempt + 1, fence = fence + 1, started_at = taken.started_at
FROM taken
WHERE runs.id = taken.id;

-- name: quarantine_run
-- Quarantine a run that cannot be decoded; the next rescue promotes runs that wait for it.
UPDATE runs SET status = 'dead', finished_at = :now, reason = :reason WHERE id = :id;

-- name: adopt
-- Read every run that this node owns.
SELECT r.id, r.schedule_id, s.namespace, s.name, r.origin, r.fire_at, r.due_at, r.handler, r.attempt, r.fence,
       s.action, s.policy, s.created_by, s.changed_by
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.owner = :node_id AND r.status = 'running';

-- name: event
-- Add an entry to the journal.
INSERT INTO events (at, name, schedule_id, run_id, node_id, data) VALUES (?, ?, ?, ?, ?, ?);
