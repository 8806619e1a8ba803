-- A statement for many rows finds each of them by its index, whatever the planner believes about a table: one that was
-- vacuumed while it was empty seems to have no rows, so that reading all of it seems to cost nothing. Written as
-- `= ANY(ARRAY[x])` a join cannot be made by hashing or merging; as a subquery with a LIMIT or OFFSET it is made row by row;
-- a condition in other words (`IS NOT DISTINCT FROM 'running'`, `coalesce(… IS NULL, FALSE)`, `id || ''`) keeps it from an
-- index that would have to be read whole.

-- name: lock_schedules
-- Lock schedules against changes, planning and promotion. All transactions lock in order of ids, so none waits in a
-- circle.
SELECT count(*) FROM (SELECT FROM schedules WHERE id = ANY(%(ids)s) ORDER BY id FOR NO KEY UPDATE) AS locked;

-- name: note_failed
-- Keep attempts that failed, before their runs forget when they began and where.
INSERT INTO attempts (run_id, fence, attempt, status, started_at, ended_at, node_id, error)
SELECT r.id, r.fence, r.attempt, 'failed', r.started_at, e.finished_at, r.owner, e.error
FROM unnest(%(ids)s, %(fences)s, %(finished)s, %(errors)s) AS e (id, fence, finished_at, error)
JOIN runs r ON r.id = ANY(ARRAY[e.id]) AND r.fence = e.fence AND r.status IS NOT DISTINCT FROM 'running'
ON CONFLICT DO NOTHING;

-- name: settle
-- End attempts that their owner still owns: for good, or until a retry unless the run was asked to stop. One that goes
-- on is due at once if it was made due while it was running, and with 2 its next attempt has the number of this one; one
-- that was never begun, pending and not going on, is as it was before it was claimed. Written like this the status is not
-- looked up in an index: the id is enough.
UPDATE runs r
SET status = CASE WHEN e.retry_at IS NULL THEN e.status WHEN r.cancel_requested THEN 'cancelled' ELSE 'pending' END,
    finished_at = CASE WHEN e.retry_at IS NULL OR r.cancel_requested THEN e.finished_at END,
    due_at = CASE WHEN e.retry_at IS NULL OR r.cancel_requested OR (e.goes_on > 0 AND r.due_at > r.started_at) THEN r.due_at
                  ELSE e.retry_at END,
    result = CASE WHEN e.retry_at IS NULL THEN e.result ELSE r.result END,
    reason = CASE
        WHEN e.retry_at IS NOT NULL AND r.cancel_requested THEN r.reason
        WHEN e.retry_at IS NULL AND e.status = 'cancelled' THEN coalesce(e.reason, r.reason)
        WHEN e.status = 'pending' AND e.goes_on = 0 THEN r.reason
        ELSE e.reason END,
    error = CASE WHEN e.status = 'pending' AND e.goes_on = 0 THEN r.error ELSE e.error END,
    attempt = CASE WHEN e.goes_on = 1 THEN 1 WHEN e.status = 'pending' THEN r.attempt - 1 ELSE r.attempt END,
    lost = CASE e.goes_on WHEN 0 THEN r.lost ELSE 0 END,  -- one that goes on has lost none
    owner = NULL
FROM unnest(
        %(ids)s, %(fences)s, %(statuses)s, %(finished)s, %(results)s, %(errors)s, %(reasons)s, %(retries)s, %(goes_on)s
    ) WITH ORDINALITY AS e (id, fence, status, finished_at, result, error, reason, retry_at, goes_on, number)
WHERE r.id = ANY(ARRAY[e.id]) AND r.fence = e.fence AND r.status IS NOT DISTINCT FROM 'running'
RETURNING e.number, r.status, r.in_line;

-- name: settle_successes
-- End attempts that succeeded, of different schedules, if their owner still owns them, and let the schedules remember
-- that: what `settle` and `note_outcomes` do, for those that need no decision.
WITH settled AS (
    UPDATE runs r
    SET status = 'succeeded', finished_at = e.finished_at, result = e.result, error = NULL, reason = NULL, owner = NULL
    FROM unnest(%(ids)s, %(fences)s, %(schedule_ids)s, %(finished)s, %(results)s)
        WITH ORDINALITY AS e (id, fence, schedule_id, finished_at, result, number)
    WHERE r.id = ANY(ARRAY[e.id]) AND r.fence = e.fence AND r.status IS NOT DISTINCT FROM 'running'
    RETURNING e.number, r.status, r.in_line, e.schedule_id, e.finished_at, e.result
), noted AS (
    UPDATE schedules s
    SET last_status = 'succeeded', last_result = d.result, last_run_at = d.finished_at, total_runs = s.total_runs + 1,
        consecutive_failures = 0, failing_since = NULL
    FROM settled d
    WHERE s.id = ANY(ARRAY[d.schedule_id])
)
SELECT number, status, in_line FROM settled;

-- name: called_off
-- Read runs that were cancelled, with the names of their schedules and the reasons.
SELECT r.id, r.schedule_id, s.name, r.reason
FROM runs r JOIN schedules s ON s.id = ANY(ARRAY[r.schedule_id])
WHERE r.id = ANY(%(ids)s);

-- name: settled_already
-- Find settlements that the same owner had made before.
SELECT r.id FROM unnest(%(ids)s, %(fences)s) AS e (id, fence) JOIN runs r ON r.id = ANY(ARRAY[e.id]) AND r.fence = e.fence
WHERE r.status <> 'running';

-- name: note_outcomes
-- Let schedules remember their last runs; several runs of one schedule count one after the other. When a run began may
-- be unknown; then the earlier time stays.
WITH tally AS (
    SELECT *,
        count(*) OVER one_by_one AS runs,
        count(*) FILTER (WHERE status NOT IN ('succeeded', 'cancelled')) OVER one_by_one AS failures
    FROM unnest(%(schedule_ids)s, %(statuses)s, %(results)s, %(ran)s)
        WITH ORDINALITY AS o (schedule_id, status, result, ran_at, number)
    WINDOW one_by_one AS (PARTITION BY schedule_id ORDER BY number)
), forgiving AS (
    SELECT *, max(failures) FILTER (WHERE status = 'succeeded') OVER (PARTITION BY schedule_id) AS forgiven
    FROM tally
), latest AS (
    SELECT DISTINCT ON (schedule_id) schedule_id, status, result, ran_at, runs, failures, forgiven,
        -- of the first failure after the last success: it alone brings the count to one more than was forgiven
        max(ran_at) FILTER (WHERE failures = coalesce(forgiven, 0) + 1
                              AND status NOT IN ('succeeded', 'cancelled'))
            OVER (PARTITION BY schedule_id) AS failing_since
    FROM forgiving
    ORDER BY schedule_id, number DESC
)
UPDATE schedules s
SET last_status = l.status,
    last_result = l.result,
    last_run_at = coalesce(l.ran_at, s.last_run_at),
    total_runs = s.total_runs + l.runs,
    consecutive_failures = CASE WHEN l.forgiven IS NULL THEN s.consecutive_failures + l.failures
                                ELSE l.failures - l.forgiven END,
    failing_since = CASE WHEN l.forgiven IS NULL THEN coalesce(s.failing_since, l.failing_since)
                         ELSE l.failing_since END
FROM latest l
WHERE s.id = ANY(ARRAY[l.schedule_id]);

-- name: queue_counts
-- Count, for schedules with waiting runs: runs that hold a place, those of them that belong to the queue, and waiting
-- runs.
SELECT s.id, s.policy, line.placed, line.in_line, line.waiting
FROM schedules s
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status <> 'waiting') AS placed,
           count(*) FILTER (WHERE status <> 'waiting' AND in_line) AS in_line,
           count(*) FILTER (WHERE status = 'waiting') AS waiting
    FROM runs WHERE schedule_id = s.id AND finished_at IS NULL
) AS line
WHERE s.id = ANY(%(ids)s) AND line.waiting > 0;

-- name: stand_in_line
-- Make the runs under way of a schedule part of its queue: a new run waits for them.
UPDATE runs SET in_line = TRUE WHERE schedule_id = ANY(%(ids)s) AND finished_at IS NULL AND NOT in_line;

-- name: come_forward
-- Let the first waiting runs begin, as many as there are places for.
UPDATE runs r
SET status = 'pending', due_at = greatest(r.due_at, %(now)s)
FROM unnest(%(ids)s, %(places)s) AS freed (schedule_id, places)
CROSS JOIN LATERAL (
    SELECT id FROM runs
    WHERE schedule_id = freed.schedule_id AND finished_at IS NULL AND status = 'waiting'
    ORDER BY fire_at, id
    LIMIT freed.places
) AS first
WHERE r.id = ANY(ARRAY[first.id])
RETURNING r.id;

-- name: due
-- Read and lock due schedules, the most overdue first, without those that another node is planning.
SELECT id, namespace, name, trigger, action, policy, handler,
       next_fire_at, next_run_at, until_at, max_runs, fires, enabled, created_by, changed_by
FROM schedules
WHERE next_run_at <= %(until)s
ORDER BY next_run_at, id
LIMIT %(limit)s
FOR NO KEY UPDATE SKIP LOCKED;

-- name: by_ids
-- Read given schedules, due or not, for planning.
SELECT id, namespace, name, trigger, action, policy, handler,
       next_fire_at, next_run_at, until_at, max_runs, fires, enabled, created_by, changed_by
FROM schedules
WHERE id = ANY(%(ids)s) AND coalesce(deleted_at IS NULL, FALSE)
ORDER BY id
FOR NO KEY UPDATE;

-- name: active
-- Count the unfinished runs of a batch of schedules: those in a place, those of them that wait for a retry, and the
-- waiting ones. Only of those that may wait for a retry is it looked up whether they are elsewhere.
SELECT schedule_id,
       count(*) FILTER (WHERE status <> 'waiting'),
       count(*) FILTER (WHERE CASE WHEN status = 'pending' AND attempt > 0
                                   THEN NOT EXISTS (SELECT 1 FROM runs_elsewhere e WHERE e.run_id = runs.id OFFSET 0) END),
       count(*) FILTER (WHERE status = 'waiting')
FROM runs
WHERE finished_at IS NULL AND schedule_id = ANY(%(ids)s)
GROUP BY schedule_id;

-- name: supersede
-- Close runs that wait for a retry: a new fire takes their place. A run without an error has not failed; one that is
-- elsewhere does not wait.
UPDATE runs
SET status = CASE WHEN error IS NULL THEN 'cancelled' ELSE 'failed' END, finished_at = %(now)s,
    reason = 'superseded by the next fire'
WHERE finished_at IS NULL AND schedule_id = ANY(%(ids)s) AND status IS NOT DISTINCT FROM 'pending' AND attempt > 0
  AND CASE WHEN attempt > 0 THEN NOT EXISTS (SELECT 1 FROM runs_elsewhere e WHERE e.run_id = runs.id OFFSET 0) END
RETURNING id, schedule_id, status, error, started_at, attempt;

-- name: write_down
-- Write the decision of a planner: new states of schedules, and runs. A fire that has its run already keeps it; a run
-- that is running belongs to the node from the start.
WITH advanced AS (
    UPDATE schedules s
    SET enabled = a.enabled, next_fire_at = a.next_fire_at, next_run_at = a.next_run_at,
        watermark = coalesce(a.watermark, s.watermark), fires = a.fires, quarantine = a.quarantine,
        disabled_by = a.disabled_by
    FROM unnest(
        %(advanced)s, %(enabled)s, %(next_fires)s, %(next_runs)s, %(watermarks)s, %(numbers_of_fires)s, %(quarantines)s,
        %(disabled_by)s
    ) AS a (id, enabled, next_fire_at, next_run_at, watermark, fires, quarantine, disabled_by)
    WHERE s.id = ANY(ARRAY[a.id])
)
INSERT INTO runs (id, schedule_id, origin, fire_at, due_at, handler, lane, status, in_line, reason, skipped,
                  first_skipped_at, attempt, fence, owner, started_at, finished_at)
SELECT n.*,
       CASE n.status WHEN 'running' THEN 1 ELSE 0 END,
       CASE n.status WHEN 'running' THEN 1 ELSE 0 END,
       CASE n.status WHEN 'running' THEN %(node_id)s END,
       CASE n.status WHEN 'running' THEN greatest(%(now)s, n.due_at) END,
       CASE WHEN n.status NOT IN ('waiting', 'pending', 'running') THEN %(now)s END
FROM unnest(
    %(ids)s, %(schedule_ids)s, %(origins)s, %(fires)s, %(dues)s, %(handlers)s, %(lanes)s, %(statuses)s, %(in_line)s,
    %(reasons)s, %(skipped)s, %(first_skipped)s
) AS n (id, schedule_id, origin, fire_at, due_at, handler, lane, status, in_line, reason, skipped, first_skipped_at)
ON CONFLICT (schedule_id, fire_at, origin) DO NOTHING
RETURNING id;

-- name: waiting
-- Read when the next schedule is due, and for each handler of this node when the first run in the shared lane is due,
-- the first run of all owners, and the first of these that is not due yet.
SELECT NULL, (SELECT next_run_at FROM schedules WHERE next_run_at IS NOT NULL ORDER BY next_run_at LIMIT 1), NULL, NULL
UNION ALL
SELECT served.handler, shared.due_at, owners.due_at, later.due_at
FROM unnest(%(handlers)s) AS served (handler)
LEFT JOIN LATERAL (
    SELECT due_at FROM runs WHERE status = 'pending' AND handler = served.handler AND lane = ''
    ORDER BY due_at LIMIT 1
) AS shared ON TRUE
LEFT JOIN LATERAL (
    SELECT due_at FROM runs WHERE status = 'pending' AND lane <> '' AND handler = served.handler
    ORDER BY due_at LIMIT 1
) AS owners ON TRUE
LEFT JOIN LATERAL (
    SELECT due_at FROM runs
    WHERE status = 'pending' AND lane <> '' AND handler = served.handler AND due_at > %(now)s
    ORDER BY due_at LIMIT 1
) AS later ON TRUE
WHERE shared.due_at IS NOT NULL OR owners.due_at IS NOT NULL;

-- name: oldest
-- Count, by handler, the runs of the shared lane that are longest due among all of some handlers.
SELECT handler, count(*)
FROM (
    SELECT served.handler
    FROM unnest(%(handlers)s, %(since)s) AS served (handler, since)
    CROSS JOIN LATERAL (
        SELECT due_at, id FROM runs
        WHERE status = 'pending' AND handler = served.handler AND lane = ''
          AND due_at >= served.since AND due_at <= %(now)s
        ORDER BY due_at, id
        LIMIT %(limit)s
    ) AS ready
    ORDER BY ready.due_at, ready.id
    LIMIT %(limit)s
) AS first
GROUP BY handler;

-- name: claim
-- Claim pending runs of the shared lane that this node serves, the longest due first, except those that other nodes are
-- claiming. The attempt counts from here, and the fence refuses the settlement of an earlier owner. Each run is found
-- once: the scan begins with the first pending run, behind entries of the index that wait for a vacuum, ends with the
-- last one that is taken, and the rows it has locked are updated where they are.
WITH taken AS MATERIALIZED (
    SELECT ready.place
    FROM unnest(%(handlers)s, %(numbers)s, %(since)s) AS served (handler, number, since)
    CROSS JOIN LATERAL (
        SELECT ctid AS place FROM runs
        WHERE status = 'pending' AND handler = served.handler AND lane = ''
          AND due_at >= served.since AND due_at <= %(now)s
        ORDER BY due_at, id
        LIMIT served.number
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS ready
), claimed AS (
    UPDATE runs r
    SET status = 'running', owner = %(node_id)s, attempt = r.attempt + 1, fence = r.fence + 1, started_at = %(now)s
    WHERE r.ctid = ANY(ARRAY(SELECT place FROM taken)) AND r.status IS NOT DISTINCT FROM 'pending'
    RETURNING r.id, r.schedule_id, r.origin, r.fire_at, r.due_at, r.handler, r.attempt, r.fence
)
SELECT c.id, c.schedule_id, s.namespace, s.name, c.origin, c.fire_at, c.due_at, c.handler, c.attempt, c.fence,
       s.action, s.policy, s.created_by, s.changed_by
FROM claimed c JOIN schedules s ON s.id = ANY(ARRAY[c.schedule_id])
ORDER BY c.due_at, c.id;

-- name: ready
-- Read due runs where runs of owners are among them: of the shared lane as many as there are places, of all owners
-- those longest due. Times are numbers here, because some may lie outside the calendar of the client.
SELECT extract(epoch FROM due_at)::float8, id, lane
FROM (
    SELECT ready.*
    FROM unnest(%(shared)s) AS served (handler)
    CROSS JOIN LATERAL (
        SELECT due_at, id, lane FROM runs
        WHERE status = 'pending' AND handler = served.handler AND lane = '' AND due_at <= %(now)s
        ORDER BY due_at, id
        LIMIT %(limit)s
    ) AS ready
    ORDER BY due_at, id
    LIMIT %(limit)s
) AS of_all
UNION ALL
SELECT extract(epoch FROM due_at)::float8, id, lane
FROM (
    SELECT ready.*
    FROM unnest(%(owners)s) AS served (handler)
    CROSS JOIN LATERAL (
        SELECT due_at, id, lane FROM runs
        WHERE status = 'pending' AND lane <> '' AND handler = served.handler AND due_at <= %(now)s
        ORDER BY due_at, id
        LIMIT %(window)s
    ) AS ready
    ORDER BY due_at, id
    LIMIT %(window)s
) AS of_owners;

-- name: ready_by_lane
-- Read due runs of owners lane by lane, so many of each. The lanes are found by stepping through the index from one to
-- the next, so that a lane with very many runs costs no more than one with few; runs of full lanes are not read.
WITH RECURSIVE lanes (handler, lane) AS (
    SELECT served.handler, first.lane
    FROM unnest(%(owners)s) AS served (handler)
    CROSS JOIN LATERAL (
        SELECT lane FROM runs WHERE status = 'pending' AND handler = served.handler AND lane > ''
        ORDER BY lane LIMIT 1
    ) AS first
    UNION ALL
    SELECT lanes.handler, next.lane
    FROM lanes
    CROSS JOIN LATERAL (
        SELECT lane FROM runs WHERE status = 'pending' AND handler = lanes.handler AND lane > lanes.lane
        ORDER BY lane LIMIT 1
    ) AS next
)
SELECT extract(epoch FROM ready.due_at)::float8, ready.id, lanes.lane
FROM lanes
CROSS JOIN LATERAL (
    SELECT due_at, id FROM runs
    WHERE status = 'pending' AND handler = lanes.handler AND lane = lanes.lane AND due_at <= %(now)s
    ORDER BY due_at, id
    LIMIT %(limit)s
) AS ready
WHERE NOT lanes.lane = ANY(%(full)s);

-- name: claim_chosen
-- Claim runs that were chosen, except those that other nodes have claimed meanwhile.
WITH taken AS MATERIALIZED (
    SELECT r.id FROM runs r
    WHERE r.id = ANY(%(ids)s) AND r.status IS NOT DISTINCT FROM 'pending'
    ORDER BY r.id
    FOR NO KEY UPDATE SKIP LOCKED
), claimed AS (
    UPDATE runs r
    SET status = 'running', owner = %(node_id)s, attempt = r.attempt + 1, fence = r.fence + 1, started_at = %(now)s
    WHERE r.id = ANY(ARRAY(SELECT id FROM taken))
    RETURNING r.id, r.schedule_id, r.origin, r.fire_at, r.due_at, r.handler, r.attempt, r.fence
)
SELECT c.id, c.schedule_id, s.namespace, s.name, c.origin, c.fire_at, c.due_at, c.handler, c.attempt, c.fence,
       s.action, s.policy, s.created_by, s.changed_by
FROM claimed c JOIN schedules s ON s.id = ANY(ARRAY[c.schedule_id])
ORDER BY c.due_at, c.id;

-- name: quarantine_runs
-- Quarantine runs that cannot be decoded; the next rescue promotes runs that wait for them.
UPDATE runs SET status = 'dead', owner = NULL, finished_at = %(now)s, reason = unreadable.reason
FROM unnest(%(ids)s, %(reasons)s) AS unreadable (id, reason)
WHERE runs.id = ANY(ARRAY[unreadable.id]);

-- name: adopt
-- Read every run that this node owns.
SELECT r.id, r.schedule_id, s.namespace, s.name, r.origin, r.fire_at, r.due_at, r.handler, r.attempt, r.fence,
       s.action, s.policy, s.created_by, s.changed_by
FROM runs r JOIN schedules s ON s.id = ANY(ARRAY[r.schedule_id])
WHERE r.owner = %(node_id)s AND r.status = 'running'
ORDER BY r.id || '';

-- name: events
-- Add entries to the journal.
INSERT INTO events (at, name, schedule_id, run_id, node_id, data)
SELECT * FROM unnest(%(at)s, %(names)s, %(schedule_ids)s, %(run_ids)s, %(node_ids)s, %(data)s);

-- name: announce
-- Wake the engines of other nodes: something may be due earlier than they expect.
SELECT pg_notify('duly_changed', '');
