-- name: register
-- Register a node, or update the handlers it serves.
INSERT INTO nodes (id, host, pid, pid_started, boot_id, lease_seconds, beat_at, handlers, started_at, seen_at,
                   version)
VALUES (:id, :host, :pid, :pid_started, :boot_id, :lease_seconds, :beat_at, :handlers, :started_at, :seen_at, :version)
ON CONFLICT (id) DO UPDATE SET handlers = excluded.handlers, beat_at = excluded.beat_at, seen_at = excluded.seen_at,
                               doubted = 0;

-- name: known_node
-- Find out whether a node is registered.
SELECT 1 FROM nodes WHERE id = :id;

-- name: beat
-- Renew the lease of a node.
UPDATE nodes SET beat_at = :beat_at, seen_at = :seen_at, doubted = 0 WHERE id = :id AND state = 'alive' RETURNING id;

-- name: is_undoubted
-- Find out whether a node is registered and no other node doubts it.
SELECT 1 FROM nodes WHERE id = :id AND state = 'alive' AND NOT doubted;

-- name: doubt
-- Mark a silent node as doubted, so that it can beat before its runs are rescued.
UPDATE nodes SET doubted = 1 WHERE id = :id;

-- name: living
-- Read the nodes not known to be gone.
SELECT id, boot_id, host, pid, pid_started, beat_at, lease_seconds, doubted, handlers FROM nodes WHERE state = 'alive';

-- name: bury
-- Mark a node as gone.
UPDATE nodes SET state = :state, seen_at = coalesce(:seen_at, seen_at) WHERE id = :id AND state = 'alive' RETURNING id;

-- name: owned
-- Read the running runs of a node.
SELECT r.id, r.schedule_id, s.name, r.attempt, r.lost, r.in_line, r.started_at, s.policy
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.owner = :owner AND r.status = 'running'
LIMIT :limit;

-- name: unowned
-- Read running runs without an owner: no node will settle them.
SELECT r.id, r.schedule_id, s.name, r.attempt, r.lost, r.in_line, r.started_at, s.policy
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.status = 'running' AND r.owner IS NULL
LIMIT :limit;

-- name: has_unowned
-- Find out whether there are running runs without an owner.
SELECT 1 FROM runs WHERE status = 'running' AND owner IS NULL LIMIT 1;

-- name: note_lost
-- Keep attempts that were lost with their process.
INSERT INTO attempts (run_id, fence, attempt, status, started_at, ended_at, node_id, error)
SELECT id, fence, attempt, 'lost', started_at, :now, owner, :reason
FROM runs WHERE id IN (SELECT value FROM json_each(:ids))
ON CONFLICT DO NOTHING;

-- name: requeue
-- Make a run pending again at a given time, or cancel it; its former owner is fenced off. An attempt that is not
-- refunded was lost.
UPDATE runs
SET status = CASE cancel_requested WHEN 1 THEN 'cancelled' ELSE 'pending' END,
    finished_at = CASE cancel_requested WHEN 1 THEN :now END,
    reason = CASE cancel_requested WHEN 1 THEN reason ELSE :reason END,
    owner = NULL, fence = fence + 1, attempt = attempt - :refund, lost = :lost, due_at = :due_at
WHERE id = :id
RETURNING status;

-- name: give_up
-- Mark a run as dead that has ended too many processes.
UPDATE runs
SET status = 'dead', owner = NULL, fence = fence + 1, lost = :lost, finished_at = :now, reason = :reason
WHERE id = :id;

-- name: lost_attempts
-- Read the attempts of runs that were lost with their process, and when each process was last heard of.
SELECT a.run_id, a.fence, a.started_at, n.seen_at, a.ended_at, n.lease_seconds
FROM attempts a LEFT JOIN nodes n ON n.id = a.node_id
WHERE a.run_id IN (SELECT value FROM json_each(:ids)) AND a.status = 'lost'
ORDER BY a.run_id, a.fence;

-- name: losses
-- Read when each process that died was last heard of.
SELECT seen_at FROM nodes WHERE state = 'lost' AND seen_at IS NOT NULL ORDER BY seen_at;

-- name: suspects
-- Read the pending runs whose last attempt, of several, was lost with its process.
SELECT r.id, r.lost FROM runs r JOIN attempts a ON a.run_id = r.id AND a.fence = r.fence - 1
WHERE r.status = 'pending' AND r.lost > 1 AND a.status = 'lost';

-- name: clear
-- Clear runs that were suspected of ending their process, after another was found to have done it: they begin at once.
UPDATE runs SET lost = 0, due_at = min(due_at, :now) WHERE id IN (SELECT value FROM json_each(:ids));

-- name: orphans
-- List the owners of runs that are gone or were never registered. Steps from owner to owner, not from run to run: a
-- rescue of very many runs asks before each batch.
WITH RECURSIVE owners (id) AS (
    SELECT min(owner) FROM runs WHERE owner IS NOT NULL
    UNION ALL
    SELECT (SELECT min(owner) FROM runs WHERE owner > owners.id) FROM owners WHERE owners.id IS NOT NULL)
SELECT id FROM owners WHERE id IS NOT NULL AND id NOT IN (SELECT nodes.id FROM nodes WHERE state = 'alive');

-- name: stranded
-- List schedules whose runs wait although no place is taken.
SELECT DISTINCT schedule_id FROM runs AS waiting
WHERE finished_at IS NULL AND status = 'waiting' AND NOT EXISTS (
    SELECT 1 FROM runs WHERE schedule_id = waiting.schedule_id AND finished_at IS NULL AND status <> 'waiting');

-- name: rest
-- Stop planning the schedules of a handler that no node serves.
UPDATE schedules SET next_run_at = NULL WHERE handler = :handler AND next_run_at IS NOT NULL;
