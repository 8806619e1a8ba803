-- name: keep_undo
-- Keep a step that can be taken back.
INSERT INTO undos (token, owner, kind, sentence, data, made_at, expires_at, used_at)
VALUES (:token, :owner, :kind, :sentence, :data, :made_at, :expires_at, :used_at)
ON CONFLICT (token) DO NOTHING;

-- name: get_undo
-- Read a step that can be taken back.
SELECT token, owner, kind, sentence, data, made_at, expires_at, used_at FROM undos WHERE token = :token;

-- name: last_undo
-- Read the latest step of a caller that can still be taken back.
SELECT token, owner, kind, sentence, data, made_at, expires_at, used_at FROM undos
WHERE owner = :owner AND used_at IS NULL AND expires_at > :now
ORDER BY made_at DESC, seq DESC LIMIT 1;

-- name: use_undo
-- Note that a step was taken back.
UPDATE undos SET used_at = :now WHERE token = :token AND used_at IS NULL RETURNING token;

-- name: forget_skip
-- Delete the record of a fire that was skipped ahead of its time.
DELETE FROM runs
WHERE id = :run_id AND status = 'skipped' AND origin = 'schedule'
RETURNING id;

-- name: latest_answer
-- Read when a person answered a reminder last.
SELECT responded_at FROM reminder_acks WHERE run_id = :run_id AND user_id = :user_id ORDER BY id DESC LIMIT 1;

-- name: reopen_reminder
-- Give a reminder the state it had before an answer.
UPDATE reminders
SET status = :status, wake_at = :wake_at, silent_since = :silent_since, silence_told = :silence_told,
    escalated = :escalated, failing_since = :failing_since, version = version + 1, updated_at = :now
WHERE run_id = :run_id AND user_id = :user_id AND status = :answered
RETURNING run_id;

-- name: reopenable_run
-- Find out whether the run of a reminder can wait again: it has ended well, or waits for its next step.
SELECT r.id FROM runs r JOIN schedules s ON s.id = r.schedule_id
WHERE r.id = :run_id AND r.status IN ('succeeded', 'pending') AND r.cancel_requested = FALSE AND s.deleted_at IS NULL;

-- name: reopen_run
-- Let the run of a reminder wait again.
UPDATE runs SET status = 'pending', due_at = :due_at, finished_at = NULL, result = NULL, error = NULL, reason = NULL
WHERE id = :run_id;

-- name: remove_answer
-- Remove the answer that was taken back.
DELETE FROM reminder_acks WHERE run_id = :run_id AND user_id = :user_id AND responded_at = :responded_at RETURNING id;

-- name: unack_attempt
-- Take the acknowledgement off the send that had it.
UPDATE delivery_attempts SET status = 'delivered', acked_at = NULL
WHERE run_id = :run_id AND user_id = :user_id AND status = 'acked' AND acked_at = :responded_at
RETURNING id;

-- name: uncount_run
-- Take a run that goes on again off the count of its schedule.
UPDATE schedules SET total_runs = total_runs - 1
WHERE id = :schedule_id AND total_runs > 0
  AND EXISTS (SELECT 1 FROM runs WHERE id = :run_id AND finished_at IS NOT NULL)
RETURNING id;

-- name: mark_seen
-- Note that an item was seen.
INSERT INTO seen_items (item, mark, by, at) VALUES (:item, :mark, :by, :at)
ON CONFLICT (item, mark) DO UPDATE SET by = excluded.by, at = excluded.at;

-- name: seen_items
-- Read the marks of some items.
SELECT item, mark, by, at FROM seen_items WHERE item = ANY(:items);

-- name: awaiting_reminders
-- Read reminders that wait for an answer, those that have waited longest first.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at,
       m.updated_at, s.namespace, s.name, s.action
FROM reminders m JOIN runs r ON r.id = m.run_id JOIN schedules s ON s.id = m.schedule_id
WHERE m.status IN ('sending', 'awaiting_ack', 'snoozed') AND m.status = 'awaiting_ack' AND r.finished_at IS NULL
  AND s.deleted_at IS NULL
ORDER BY m.created_at, m.run_id
LIMIT :limit;

-- name: unacked_reminders
-- Read reminders that were given up without an answer since a time, the newest of their schedules.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at,
       m.updated_at, s.namespace, s.name, s.action
FROM reminders m JOIN schedules s ON s.id = m.schedule_id
WHERE m.status = 'unacked' AND m.updated_at >= :since AND s.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM reminders l WHERE l.schedule_id = m.schedule_id AND l.run_number > m.run_number)
ORDER BY m.updated_at DESC, m.run_id
LIMIT :limit;

-- name: answers_of_person
-- Read the answers of a person since a time, newest first.
SELECT run_id, job_id, user_id, run_number, response, snooze_minutes, snooze_until, channel, message_id, response_text,
       responded_at
FROM reminder_acks WHERE user_id = :user_id AND responded_at >= :since
ORDER BY responded_at DESC, id DESC LIMIT :limit;

-- name: channel_counts
-- Count what was sent and what failed on each channel since a time, and read the last send.
SELECT c.channel, c.last_at, l.status, l.error_message, c.failures, c.waiting
FROM (SELECT channel, max(created_at) AS last_at, max(id) AS last_id,
             coalesce(sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END), 0) AS failures,
             coalesce(sum(CASE WHEN status = 'pending' THEN 1 ELSE 0 END), 0) AS waiting
      FROM delivery_attempts WHERE created_at >= :since GROUP BY channel) c
JOIN delivery_attempts l ON l.id = c.last_id
ORDER BY c.channel;

-- name: failing_addresses
-- Count what failed at each address of a channel since a time, where the last send did; the latest first.
SELECT l.channel, c.last_at, l.status, l.error_message, c.failures, c.waiting
FROM (SELECT max(created_at) AS last_at, max(id) AS last_id,
             coalesce(sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END), 0) AS failures,
             coalesce(sum(CASE WHEN status = 'pending' THEN 1 ELSE 0 END), 0) AS waiting
      FROM delivery_attempts WHERE created_at >= :since AND channel = :channel GROUP BY address) c
JOIN delivery_attempts l ON l.id = c.last_id
WHERE l.status = 'failed'
ORDER BY c.last_at DESC, l.id DESC;

-- name: get_kept_answer
-- Read the request that used a key before.
SELECT owner, key, fingerprint, result, at FROM kept_answers WHERE owner = :owner AND key = :key;

-- name: keep_answer
-- Keep the key of a request, in the place of one that is too old.
INSERT INTO kept_answers (owner, key, fingerprint, result, at) VALUES (:owner, :key, :fingerprint, :result, :at)
ON CONFLICT (owner, key) DO UPDATE
SET fingerprint = excluded.fingerprint, result = excluded.result, at = excluded.at
WHERE kept_answers.at < :stale
RETURNING key;

-- name: complete_answer
-- Write the result of a request.
UPDATE kept_answers SET result = :result WHERE owner = :owner AND key = :key RETURNING key;

-- name: drop_answer
-- Forget a request that failed.
DELETE FROM kept_answers WHERE owner = :owner AND key = :key AND result IS NULL RETURNING key;
