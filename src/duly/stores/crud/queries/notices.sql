-- name: journal_end
-- Read the number of the last entry of the journal.
SELECT coalesce(max(seq), 0) FROM events;

-- name: begin_cursor
-- Set a cursor that is not there yet.
INSERT INTO cursors (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING;

-- name: news_upto
-- Find the last of the next entries of the journal, and count them.
SELECT coalesce(max(seq), :after), count(*) FROM (
    SELECT seq FROM events WHERE seq > :after ORDER BY seq LIMIT :limit
) AS coming;

-- name: news
-- Read entries of some kinds about runs, oldest first.
SELECT seq, name, schedule_id, run_id, at FROM events
WHERE seq > :after AND seq <= :upto AND name = ANY(:names) AND schedule_id IS NOT NULL AND run_id IS NOT NULL
ORDER BY seq;

-- name: add_notice
-- Add a notice, unless it is there; nothing is added about a run that is gone.
INSERT INTO notices (id, kind, schedule_id, run_id, recipient, user_id, channel, address, priority, only_changes,
                     status, is_open, message, due_at, rounds, version, digest, error, told_at, created_at)
SELECT :id::text, :kind::text, :schedule_id::text, :run_id::text, :recipient::text, :user_id::text, :channel::text,
       :address::text, :priority::text, :only_changes::boolean, :status::text, :is_open::boolean, :message::text,
       :due_at::timestamptz, :rounds::bigint, :version::bigint, :digest::text, :error::text, :told_at::timestamptz,
       :created_at::timestamptz
FROM runs WHERE runs.id = :run_id
ON CONFLICT DO NOTHING
RETURNING id;

-- name: recovered_notices
-- Find failures that are not pending any more, and whose schedules work again or are gone.
SELECT n.id, n.kind, n.schedule_id, n.run_id, n.recipient, n.user_id, n.channel, n.address, n.priority,
       n.only_changes, n.status, n.is_open, n.message, n.due_at, n.rounds, n.version, n.digest, n.error, n.told_at,
       n.created_at
FROM notices n LEFT JOIN schedules s ON s.id = n.schedule_id
WHERE n.is_open = TRUE AND n.due_at IS NULL AND (s.id IS NULL OR s.failing_since IS NULL OR s.deleted_at IS NOT NULL)
LIMIT :limit;

-- name: close_notice
-- Close a failure.
UPDATE notices SET is_open = FALSE WHERE id = :id AND is_open = TRUE
RETURNING id;

-- name: last_told
-- Read when a recipient was last told about failures of a schedule.
SELECT told_at FROM notices
WHERE schedule_id = :schedule_id AND recipient = :recipient AND told_at IS NOT NULL AND kind <> 'answer'
ORDER BY created_at DESC LIMIT 1;

-- name: last_digest
-- Read the digest of the last answer that a recipient knows.
SELECT digest FROM notices
WHERE schedule_id = :schedule_id AND recipient = :recipient AND kind = 'answer' AND digest IS NOT NULL
  AND status IN ('sent', 'delivered', 'silent')
ORDER BY created_at DESC, id DESC LIMIT 1;

-- name: free_notices
-- Make what a node was sending due when the node was lost.
UPDATE notices SET due_at = :now, taken_by = NULL
WHERE taken_by IS NOT NULL AND due_at IS NOT NULL
  AND taken_by NOT IN (SELECT id FROM nodes WHERE state IN ('alive', 'stopped'));

-- name: first_due_notice
-- Find the notice that has been due longest.
SELECT id, kind, schedule_id, run_id, recipient, user_id, channel, address, priority, only_changes, status, is_open,
       message, due_at, rounds, version, digest, error, told_at, created_at
FROM notices WHERE due_at <= :now ORDER BY due_at, id LIMIT 1;

-- name: gather_notices
-- Make failures and recoveries of a recipient that are due soon, or reminders, parts of one message.
UPDATE notices SET message = :message, version = 0
WHERE id IN (
    SELECT id FROM notices
    WHERE recipient = :recipient AND message IS NULL AND due_at <= :gather_until AND kind <> 'answer'
      AND priority = :priority
    ORDER BY due_at, id LIMIT :most
);

-- name: name_message
-- Make a notice a message of its own.
UPDATE notices SET message = :message, version = 0 WHERE id = :message;

-- name: take_message
-- Take the notices of a message until a time.
UPDATE notices SET due_at = :until, taken_by = :node_id, version = version + 1
WHERE message = :message AND due_at IS NOT NULL
RETURNING id, kind, schedule_id, run_id, recipient, user_id, channel, address, priority, only_changes, status,
          is_open, message, due_at, rounds, version, digest, error, told_at, created_at;

-- name: end_message
-- Record how the sending of a message ended, unless another engine has taken it meanwhile.
UPDATE notices
SET status = :status, due_at = :due_at, error = :error, rounds = :rounds, told_at = :told_at, digest = :digest,
    taken_by = NULL, message = CASE WHEN :apart THEN NULL ELSE message END
WHERE message = :message AND due_at IS NOT NULL AND version = :version
RETURNING id;

-- name: close_told
-- Close failures whose message has told the recovery, too.
UPDATE notices SET is_open = FALSE WHERE message = :message AND schedule_id = ANY(:ids);

-- name: gathered_notices
-- Read what waits for the digest of a person.
SELECT id, kind, schedule_id, run_id, recipient, user_id, channel, address, priority, only_changes, status, is_open,
       message, due_at, rounds, version, digest, error, told_at, created_at
FROM notices WHERE recipient = :recipient AND due_at IS NOT NULL ORDER BY due_at, id LIMIT :limit;

-- name: end_gathered
-- Give a reminder that waited for a digest the status of its message.
UPDATE reminders
SET status = :status, channel = :channel, last_sent_at = :last_sent_at, updated_at = :now, version = version + 1
WHERE run_id = :run_id AND user_id = :user_id AND status = 'gathered'
RETURNING run_number;

-- name: next_notice
-- Read when the next notice is due.
SELECT min(due_at) FROM notices WHERE due_at IS NOT NULL;

-- name: notices_of_run
-- Read the notices about a run, in order.
SELECT id, kind, schedule_id, run_id, recipient, user_id, channel, address, priority, only_changes, status, is_open,
       message, due_at, rounds, version, digest, error, told_at, created_at
FROM notices WHERE run_id = :run_id ORDER BY created_at, id;

-- name: any_open_notice
-- Find whether a recipient was told of a failure, and not yet of its recovery.
SELECT 1 FROM notices WHERE is_open = TRUE LIMIT 1;

-- name: open_notices
-- Find which of some schedules have an open failure.
SELECT DISTINCT schedule_id FROM notices WHERE is_open = TRUE AND schedule_id = ANY(:ids);

-- name: notices_again
-- Make notices due that wait for a future time: only after a clock turned out to have been ahead.
-- What waits for a digest within a day does so by any clock.
UPDATE notices SET due_at = :now
WHERE due_at > :now AND status = 'pending' AND (kind <> 'reminder' OR due_at > :in_a_day);

-- name: notices_told_again
-- Treat what was told at a future time as told now.
UPDATE notices SET told_at = :now WHERE told_at > :now;
