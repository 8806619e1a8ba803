-- name: register
-- Register a node, unless it is registered already.
INSERT INTO nodes (id, host, pid, pid_started, boot_id, lease_seconds, beat_at, handlers, started_at,
                   seen_at, version)
VALUES (%(id)s, %(host)s, %(pid)s, %(pid_started)s, %(boot_id)s, %(lease_seconds)s, clock_timestamp(), %(handlers)s,
        %(started_at)s, %(seen_at)s, %(version)s)
ON CONFLICT (id) DO NOTHING
RETURNING id;

-- name: serve
-- Update the handlers that a node serves.
UPDATE nodes SET handlers = %(handlers)s, beat_at = clock_timestamp(), seen_at = %(seen_at)s WHERE id = %(id)s;

-- name: beat
-- Renew the lease of a node.
UPDATE nodes SET beat_at = clock_timestamp(), seen_at = %(seen_at)s WHERE id = %(id)s AND state = 'alive' RETURNING id;

-- name: living
-- Read the nodes whose lease has not expired, with the handlers they serve.
SELECT id, handlers FROM nodes
WHERE state = 'alive' AND beat_at + make_interval(secs => lease_seconds) >= clock_timestamp()
ORDER BY id;

-- name: lock_node
-- Keep others from marking a node as lost while it leaves.
SELECT id FROM nodes WHERE id = %(id)s FOR UPDATE;

-- name: bury
-- Mark a node as stopped.
UPDATE nodes SET state = 'stopped', seen_at = %(seen_at)s WHERE id = %(id)s AND state = 'alive' RETURNING id;

-- name: needs_rescue
-- Find out whether there is a silent node, a run without a living owner or without any, or a waiting run that was left
-- behind.
SELECT EXISTS (SELECT FROM nodes
               WHERE state = 'alive' AND beat_at + make_interval(secs => lease_seconds) < clock_timestamp())
    OR EXISTS (SELECT FROM runs WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM nodes WHERE state = 'alive'))
    OR EXISTS (SELECT FROM runs WHERE status = 'running' AND owner IS NULL)
    OR EXISTS (SELECT FROM runs AS waiting
               WHERE finished_at IS NULL AND status = 'waiting' AND NOT EXISTS (
                   SELECT FROM runs
                   WHERE schedule_id = waiting.schedule_id AND finished_at IS NULL AND status IN ('pending', 'running')));

-- name: bury_silent
-- Mark nodes whose lease has expired as lost.
UPDATE nodes SET state = 'lost'
WHERE id = ANY(ARRAY(
    SELECT id FROM nodes
    WHERE state = 'alive' AND beat_at + make_interval(secs => lease_seconds) < clock_timestamp()
    ORDER BY id
    FOR UPDATE))
RETURNING id;

-- name: orphans
-- List the owners of runs that are gone or were never registered. Steps from owner to owner, not from run to run: a
-- rescue of very many runs asks before each batch.
WITH RECURSIVE owners (id) AS (
    (SELECT owner FROM runs WHERE owner IS NOT NULL ORDER BY owner LIMIT 1)
    UNION ALL
    SELECT (SELECT owner FROM runs WHERE owner > owners.id ORDER BY owner LIMIT 1) FROM owners WHERE owners.id IS NOT NULL)
SELECT id FROM owners
WHERE id IS NOT NULL AND id NOT IN (SELECT nodes.id FROM nodes WHERE state = 'alive')
ORDER BY id;

-- name: schedules_of_owners
-- List the schedules of some of the runs that these nodes own.
SELECT DISTINCT schedule_id
FROM (SELECT schedule_id FROM runs WHERE owner = ANY(%(owners)s) LIMIT %(limit)s) AS a_part;

-- name: schedules_of_unowned
-- List the schedules of some of the running runs without an owner.
SELECT DISTINCT schedule_id
FROM (SELECT schedule_id FROM runs WHERE status = 'running' AND owner IS NULL LIMIT %(limit)s) AS a_part;

-- name: unowned
-- Read running runs without an owner: no node will settle them.
SELECT r.id, r.owner, r.schedule_id, s.name, r.attempt, r.lost, r.in_line, r.cancel_requested, r.reason, r.started_at,
       s.policy
FROM runs r JOIN schedules s ON s.id = ANY(ARRAY[r.schedule_id])
WHERE r.status = 'running' AND r.owner IS NULL AND r.schedule_id = ANY(%(locked)s)
ORDER BY r.id || ''
LIMIT %(limit)s
FOR NO KEY UPDATE OF r;

-- name: owned
-- Read and lock the running runs of nodes.
SELECT r.id, r.owner, r.schedule_id, s.name, r.attempt, r.lost, r.in_line, r.cancel_requested, r.reason, r.started_at,
       s.policy
FROM runs r JOIN schedules s ON s.id = ANY(ARRAY[r.schedule_id])
WHERE r.owner = ANY(%(owners)s) AND r.status = 'running' AND r.schedule_id = ANY(%(locked)s)
ORDER BY r.id || ''
LIMIT %(limit)s
FOR NO KEY UPDATE OF r;

-- name: note_lost
-- Keep attempts that were lost with their process.
INSERT INTO attempts (run_id, fence, attempt, status, started_at, ended_at, node_id, error)
SELECT r.id, r.fence, r.attempt, 'lost', r.started_at, %(now)s, r.owner, gone.reason
FROM unnest(%(ids)s, %(reasons)s) AS gone (id, reason) JOIN runs r ON r.id = ANY(ARRAY[gone.id])
ON CONFLICT DO NOTHING;

-- name: hand_back
-- Make runs pending again, or cancel those that were asked to stop; their former owner is fenced off. Attempts that are
-- not refunded were lost.
UPDATE runs
SET status = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'pending' END,
    finished_at = CASE WHEN cancel_requested THEN %(now)s END,
    reason = CASE WHEN cancel_requested THEN runs.reason ELSE back.reason END,
    owner = NULL, fence = fence + 1, attempt = attempt - %(refund)s, lost = back.lost, due_at = back.due_at
FROM unnest(%(ids)s, %(reasons)s, %(lost)s, %(due)s) AS back (id, reason, lost, due_at)
WHERE runs.id = ANY(ARRAY[back.id]);

-- name: give_up
-- Mark runs as dead that have ended too many processes.
UPDATE runs
SET status = 'dead', owner = NULL, fence = fence + 1, lost = lost + 1, finished_at = %(now)s, reason = poison.reason
FROM unnest(%(ids)s, %(reasons)s) AS poison (id, reason)
WHERE runs.id = ANY(ARRAY[poison.id]);

-- name: owns_more
-- Find out which of these nodes own runs, and whether there are running runs without an owner.
SELECT gone.id FROM unnest(%(owners)s) AS gone (id)
WHERE EXISTS (SELECT FROM runs WHERE owner = ANY(ARRAY[gone.id]) AND status = 'running')
UNION ALL
SELECT NULL WHERE EXISTS (SELECT FROM runs WHERE status = 'running' AND owner IS NULL);

-- name: lost_attempts
-- Read the attempts of runs that were lost with their process, and when each process was last heard of.
SELECT a.run_id, a.fence, a.started_at, n.seen_at, a.ended_at, n.lease_seconds
FROM attempts a LEFT JOIN nodes n ON n.id = a.node_id
WHERE a.run_id = ANY(%(ids)s) AND a.status = 'lost'
ORDER BY a.run_id, a.fence;

-- name: losses
-- Read when each process that died was last heard of.
SELECT seen_at FROM nodes WHERE state = 'lost' AND seen_at IS NOT NULL ORDER BY seen_at;

-- name: suspects
-- Lock the pending runs whose last attempt, of several, was lost with its process. Rows that another transaction holds
-- are skipped: their schedules are not locked here, so waiting for them could be a deadlock.
SELECT r.id, r.lost FROM runs r JOIN attempts a ON a.run_id = r.id AND a.fence = r.fence - 1
WHERE r.status = 'pending' AND r.lost > 1 AND a.status = 'lost'
FOR NO KEY UPDATE OF r SKIP LOCKED;

-- name: clear
-- Clear runs that were suspected of ending their process, after another was found to have done it: they begin at once.
UPDATE runs SET lost = 0, due_at = least(due_at, %(now)s) WHERE id = ANY(%(ids)s);

-- name: stranded
-- List schedules whose runs wait although no place is taken.
SELECT DISTINCT schedule_id FROM runs AS waiting
WHERE finished_at IS NULL AND status = 'waiting' AND NOT EXISTS (
    SELECT FROM runs
    WHERE schedule_id = waiting.schedule_id AND finished_at IS NULL AND status IN ('pending', 'running'));

-- name: lock_awake
-- Lock the planned schedules of a handler.
SELECT id FROM schedules WHERE handler = %(handler)s AND next_run_at IS NOT NULL ORDER BY id FOR NO KEY UPDATE;

-- name: rest
-- Stop planning the schedules of a handler that no node serves.
UPDATE schedules SET next_run_at = NULL WHERE id = ANY(%(ids)s);
