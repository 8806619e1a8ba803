-- Deletes old rows, a given number at a time. Runs, schedules and nodes may have to stay although they are old: of these
-- a batch is a range of an index, and `…_to_prune` returns its last row; when it returns none, fewer rows are left than
-- asked for. So a row that stays is read once per round, and not with every batch.

-- name: prune_runs
-- Delete finished runs made before a time. A run that was skipped ahead of its time keeps its fire from coming again,
-- so it stays until then.
DELETE FROM runs WHERE id > :after AND id <= :upto AND finished_at IS NOT NULL AND fire_at < :before
RETURNING 1;

-- name: prune_schedules
-- Delete old deleted schedules that have no runs left.
DELETE FROM schedules
WHERE (deleted_at, id) > (:after_at, :after) AND (deleted_at, id) <= (:upto_at, :upto)
  AND deleted_at < :before AND NOT EXISTS (SELECT 1 FROM runs WHERE schedule_id = schedules.id)
RETURNING 1;

-- name: prune_nodes
-- Delete old nodes that are gone and own nothing.
DELETE FROM nodes
WHERE state <> 'alive' AND (started_at, id) > (:after_at, :after) AND (started_at, id) <= (:upto_at, :upto)
  AND started_at < :before AND coalesce(seen_at, started_at) < :before
  AND NOT EXISTS (SELECT 1 FROM runs WHERE owner = nodes.id)
RETURNING 1;

-- name: prune_events
-- Delete old entries of the journal, kind by kind, as the index has them.
DELETE FROM events WHERE seq IN (
    WITH RECURSIVE kinds (name) AS (
        SELECT min(name) FROM events
        UNION ALL
        SELECT (SELECT min(name) FROM events WHERE name > kinds.name) FROM kinds WHERE kinds.name IS NOT NULL
    )
    SELECT seq FROM kinds CROSS JOIN events ON events.name = kinds.name AND events.at < :before
    LIMIT :limit)
RETURNING 1;

-- name: prune_inbound
-- Delete old records of messages that came in: no vendor sends them again.
DELETE FROM inbound_seen WHERE (channel, message_id) IN (
    SELECT channel, message_id FROM inbound_seen WHERE at < :before ORDER BY at LIMIT :limit)
RETURNING 1;

-- name: prune_inbox
-- Delete messages that were read long ago.
DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE read_at < :before ORDER BY read_at LIMIT :limit)
RETURNING 1;

-- name: prune_codes
-- Delete pairing codes that have expired.
DELETE FROM pairing_codes WHERE hash IN (
    SELECT hash FROM pairing_codes WHERE expires_at < :before ORDER BY expires_at LIMIT :limit)
RETURNING 1;

-- name: prune_undos
-- Delete steps that can no longer be taken back.
DELETE FROM undos WHERE token IN (
    SELECT token FROM undos WHERE expires_at < :before ORDER BY expires_at LIMIT :limit)
RETURNING 1;

-- name: prune_seen
-- Delete old notes that items were seen.
DELETE FROM seen_items WHERE (item, mark) IN (
    SELECT item, mark FROM seen_items WHERE at < :before ORDER BY at LIMIT :limit)
RETURNING 1;

-- name: prune_answers
-- Delete answers to requests that are too old to be repeated.
DELETE FROM kept_answers WHERE (owner, key) IN (
    SELECT owner, key FROM kept_answers WHERE at < :before ORDER BY at LIMIT :limit)
RETURNING 1;
