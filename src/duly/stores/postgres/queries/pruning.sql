-- Deletes old rows, a given number at a time. Runs, schedules and nodes may have to stay although they are old: of these
-- a batch is a range of an index, and `…_to_prune` returns its last row; when it returns none, fewer rows are left than
-- asked for. So a row that stays is read once per round, and not with every batch.
-- Rows that another transaction has locked stay until the next round.

-- name: do_not_wait_for_disk
-- Let this transaction end before it is on disk: if the server fails, it may not have happened, and never in part.
SET LOCAL synchronous_commit = off;

-- name: prune_runs
-- Delete finished runs made before a time. A run that was skipped ahead of its time keeps its fire from coming again,
-- so it stays until then. (With an array the rows are chosen once, in every plan.)
DELETE FROM runs WHERE id = ANY(ARRAY(
    SELECT id FROM runs
    WHERE id > %(after)s AND id <= %(upto)s AND finished_at IS NOT NULL AND fire_at < %(before)s
    ORDER BY id
    FOR UPDATE SKIP LOCKED))
RETURNING 1;

-- name: prune_schedules
-- Delete old deleted schedules that have no runs left.
DELETE FROM schedules WHERE id = ANY(ARRAY(
    SELECT id FROM schedules
    WHERE (deleted_at, id) > (%(after_at)s, %(after)s) AND (deleted_at, id) <= (%(upto_at)s, %(upto)s)
      AND deleted_at < %(before)s AND NOT EXISTS (SELECT FROM runs WHERE schedule_id = schedules.id)
    ORDER BY deleted_at, id
    FOR UPDATE SKIP LOCKED))
RETURNING 1;

-- name: prune_nodes
-- Delete old nodes that are gone and own nothing.
DELETE FROM nodes WHERE id = ANY(ARRAY(
    SELECT id FROM nodes
    WHERE state <> 'alive' AND (started_at, id) > (%(after_at)s, %(after)s)
      AND (started_at, id) <= (%(upto_at)s, %(upto)s)
      AND started_at < %(before)s AND coalesce(seen_at, started_at) < %(before)s
      AND NOT EXISTS (SELECT FROM runs WHERE owner = nodes.id)
    ORDER BY started_at, id
    FOR UPDATE SKIP LOCKED))
RETURNING 1;

-- name: prune_events
-- Delete old entries of the journal.
DELETE FROM events WHERE seq = ANY(ARRAY(
    SELECT seq FROM events WHERE at < %(before)s ORDER BY at, seq LIMIT %(limit)s FOR UPDATE SKIP LOCKED))
RETURNING 1;

-- name: prune_inbound
-- Delete old records of messages that came in: no vendor sends them again.
DELETE FROM inbound_seen WHERE (channel, message_id) IN (
    SELECT channel, message_id FROM inbound_seen WHERE at < %(before)s ORDER BY at LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED)
RETURNING 1;

-- name: prune_inbox
-- Delete messages that were read long ago.
DELETE FROM inbox WHERE id = ANY(ARRAY(
    SELECT id FROM inbox WHERE read_at < %(before)s ORDER BY read_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED))
RETURNING 1;

-- name: prune_codes
-- Delete pairing codes that have expired.
DELETE FROM pairing_codes WHERE hash = ANY(ARRAY(
    SELECT hash FROM pairing_codes WHERE expires_at < %(before)s ORDER BY expires_at LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED))
RETURNING 1;

-- name: prune_undos
-- Delete steps that can no longer be taken back.
DELETE FROM undos WHERE token IN (
    SELECT token FROM undos WHERE expires_at < %(before)s ORDER BY expires_at LIMIT %(limit)s)
RETURNING 1;

-- name: prune_seen
-- Delete old notes that items were seen.
DELETE FROM seen_items WHERE (item, mark) IN (
    SELECT item, mark FROM seen_items WHERE at < %(before)s ORDER BY at LIMIT %(limit)s)
RETURNING 1;

-- name: prune_answers
-- Delete answers to requests that are too old to be repeated.
DELETE FROM kept_answers WHERE (owner, key) IN (
    SELECT owner, key FROM kept_answers WHERE at < %(before)s ORDER BY at LIMIT %(limit)s)
RETURNING 1;
