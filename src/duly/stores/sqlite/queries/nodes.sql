-- name: register
-- A node joins.
INSERT INTO nodes (id, host, pid, pid_started, boot_id, lease_seconds, beat_at, handlers, started_at)
VALUES (:id, :host, :pid, :pid_started, :boot_id, :lease_seconds, :beat_at, :handlers, :started_at)
ON CONFLICT (id) DO UPDATE SET handlers = excluded.handlers, beat_at = excluded.beat_at, doubted = 0;

-- name: known_node
-- Whether a node has joined before.
SELECT 1 FROM nodes WHERE id = :id;

-- name: beat
-- A node is alive.
UPDATE nodes SET beat_at = :beat_at, doubted = 0 WHERE id = :id AND state = 'alive' RETURNING id;

-- name: is_undoubted
-- Whether a node is there and no other node doubts it.
SELECT 1 FROM nodes WHERE id = :id AND state = 'alive' AND NOT doubted;

-- name: doubt
-- A node is silent, and is told so before others act on it.
UPDATE nodes SET doubted = 1 WHERE id = :id;

-- name: living
-- Nodes not known to be gone.
SELECT id, boot_id, host, pid, pid_started, beat_at, lease_seconds, doubted, handlers FROM nodes WHERE state = 'alive';

-- name: bury
-- A node is gone.
UPDATE nodes SET state = :state WHERE id = :id AND state = 'alive' RETURNING id;

-- name: owned
-- What a node left behind.
SELECT r.id, r.schedule_id, s.name, r.attempt, r.lost, r.in_line, r.started_at, s.policy
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.owner = :owner AND r.status = 'running';

-- name: unowned
-- Runs under way that belong to no node: nothing will ever settle them.
SELECT r.id, r.schedule_id, s.name, r.attempt, r.lost, r.in_line, r.started_at, s.policy
FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.status = 'running' AND r.owner IS NULL;

-- name: has_unowned
-- Whether there are such runs.
SELECT 1 FROM runs WHERE status = 'running' AND owner IS NULL LIMIT 1;

-- name: requeue
-- Make a run ready again for a given time; its former owner is fenced off. An attempt that is not refunded was lost.
UPDATE runs
SET status = CASE cancel_requested WHEN 1 THEN 'cancelled' ELSE 'pending' END,
    finished_at = CASE cancel_requested WHEN 1 THEN :now END,
    reason = CASE cancel_requested WHEN 1 THEN reason ELSE :reason END,
    owner = NULL, fence = fence + 1, attempt = attempt - :refund, lost = :lost, due_at = :due_at
WHERE id = :id
RETURNING status;

-- name: give_up
-- A run has taken too many processes down with it.
UPDATE runs
SET status = 'dead', owner = NULL, fence = fence + 1, lost = :lost, finished_at = :now, reason = :reason
WHERE id = :id;

-- name: clear_waiting
-- A run was given up, so the runs that still wait to be begun again after its deaths are cleared.
UPDATE runs SET lost = 0 WHERE status = 'pending' AND lost > 0;

-- name: orphans
-- Runs owned by nodes that are gone or were never there.
SELECT DISTINCT owner FROM runs
WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM nodes WHERE state = 'alive');

-- name: stranded
-- Schedules whose runs wait in line although no place is taken.
SELECT DISTINCT schedule_id FROM runs AS waiting
WHERE finished_at IS NULL AND status = 'waiting' AND NOT EXISTS (
    SELECT 1 FROM runs WHERE schedule_id = waiting.schedule_id AND finished_at IS NULL AND status <> 'waiting');

-- name: rest
-- Nobody plans what nobody serves.
UPDATE schedules SET next_run_at = NULL WHERE handler = :handler AND next_run_at IS NOT NULL;
