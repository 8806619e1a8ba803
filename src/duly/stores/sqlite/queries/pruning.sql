-- Forgetting what is old, a given number of rows at a time. Runs, schedules and nodes may have to stay although they are
-- old: of these a batch is a range of an index, and `…_to_prune` gives its last row; when it gives none, fewer rows are
-- left than asked for. What stays is looked at once per round that way, and not with every batch.

-- name: prune_runs
-- Forget finished runs made before a time; one skipped ahead keeps its fire from coming back, so not before that.
DELETE FROM runs WHERE id > :after AND id <= :upto AND finished_at IS NOT NULL AND fire_at < :before
RETURNING 1;

-- name: prune_schedules
-- Forget deleted schedules that have no runs left.
DELETE FROM schedules
WHERE (deleted_at, id) > (:after_at, :after) AND (deleted_at, id) <= (:upto_at, :upto)
  AND deleted_at < :before AND NOT EXISTS (SELECT 1 FROM runs WHERE schedule_id = schedules.id)
RETURNING 1;

-- name: prune_nodes
-- Forget nodes that are gone and own nothing.
DELETE FROM nodes
WHERE state <> 'alive' AND (started_at, id) > (:after_at, :after) AND (started_at, id) <= (:upto_at, :upto)
  AND started_at < :before AND NOT EXISTS (SELECT 1 FROM runs WHERE owner = nodes.id)
RETURNING 1;

-- name: prune_events
-- Forget old journal entries.
DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE at < :before ORDER BY at, seq LIMIT :limit)
RETURNING 1;

-- name: prune_inbound
-- Forget which messages came in long ago: nobody sends those again.
DELETE FROM inbound_seen WHERE (channel, message_id) IN (
    SELECT channel, message_id FROM inbound_seen WHERE at < :before ORDER BY at LIMIT :limit)
RETURNING 1;

-- name: prune_inbox
-- Forget messages that were read long ago.
DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE read_at < :before ORDER BY read_at LIMIT :limit)
RETURNING 1;

-- name: prune_codes
-- Forget pairing codes that have expired.
DELETE FROM pairing_codes WHERE hash IN (
    SELECT hash FROM pairing_codes WHERE expires_at < :before ORDER BY expires_at LIMIT :limit)
RETURNING 1;
