-- name: begin_reminder
-- Add the reminder of a run for a person, with the number of the run, or the next number of its schedule; an existing
-- one is left unchanged.
INSERT INTO reminders (run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel,
                       last_sent_at, wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at)
VALUES (:run_id, :schedule_id, :user_id,
        coalesce((SELECT max(run_number) FROM reminders WHERE run_id = :run_id),
                 (SELECT coalesce(max(run_number), 0) + 1 FROM reminders WHERE schedule_id = :schedule_id)),
        :token, :status, :rounds, :nags, :escalated, :channel, :last_sent_at, :wake_at,
        :silent_since, :silence_told, :failing_since, :version, :created_at, :updated_at)
ON CONFLICT (run_id, user_id) DO NOTHING
RETURNING run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at;

-- name: close_replaced
-- End the earlier reminders of a schedule whose runs have ended.
UPDATE reminders
SET status = CASE WHEN last_sent_at IS NULL THEN 'missed' ELSE 'unacked' END, version = version + 1,
    updated_at = :updated_at
WHERE schedule_id = :schedule_id AND run_id <> :run_id AND status IN ('sending', 'awaiting_ack', 'snoozed', 'gathered')
  AND EXISTS (SELECT 1 FROM runs WHERE runs.id = reminders.run_id AND runs.finished_at IS NOT NULL);

-- name: previous_reminder
-- Read the latest reminder of a schedule for a person, and whether its run has ended; nothing if this run has a reminder
-- for them already.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at,
       m.updated_at, r.finished_at IS NOT NULL
FROM reminders m JOIN runs r ON r.id = m.run_id
WHERE m.schedule_id = :schedule_id AND m.user_id = :user_id
  AND NOT EXISTS (SELECT 1 FROM reminders WHERE run_id = :run_id AND user_id = :user_id)
ORDER BY m.run_number DESC LIMIT 1;

-- name: get_reminder
-- Read the reminder of a run for a person.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders WHERE run_id = :run_id AND user_id = :user_id;

-- name: reminders_of_run
-- Read the reminders of a run, in the order of the people's ids.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders WHERE run_id = :run_id ORDER BY user_id;

-- name: reminder_by_token
-- Find the reminder whose buttons carry a token.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders WHERE token = :token;

-- name: update_reminder
-- Write a reminder, unless it has changed since it was read.
UPDATE reminders
SET status = :status, rounds = :rounds, nags = :nags, escalated = :escalated, channel = :channel,
    last_sent_at = :last_sent_at, wake_at = :wake_at, silent_since = :silent_since,
    silence_told = :silence_told, failing_since = :failing_since, updated_at = :updated_at,
    version = version + 1
WHERE run_id = :run_id AND user_id = :user_id AND version = :version
RETURNING run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at;

-- name: reminders_of_schedule
-- Read the reminders of the latest runs of a schedule, newest first.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders
WHERE schedule_id = :schedule_id
  AND run_number > (SELECT max(run_number) FROM reminders WHERE schedule_id = :schedule_id) - :limit
ORDER BY run_number DESC, user_id;

-- name: trigger_of_schedule
-- Read the trigger of a schedule.
SELECT trigger FROM schedules WHERE id = :schedule_id;

-- name: latest_of_schedules
-- Read the newest reminders of each schedule, one for each person in the order of their ids, and count the runs that
-- failed since the last one that arrived, with those that were replaced undelivered.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated, m.channel,
       m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at,
       m.updated_at,
       (SELECT count(DISTINCT f.run_number) FROM reminders f
        WHERE f.schedule_id = m.schedule_id AND (f.status = 'failed' OR (f.status = 'missed' AND f.rounds > 0))
          AND f.run_number > (
              SELECT coalesce(max(run_number), 0) FROM reminders
              WHERE schedule_id = m.schedule_id
                AND status IN ('delivered', 'awaiting_ack', 'acked', 'snoozed', 'dismissed', 'unacked')
          ))
FROM reminders m
WHERE m.schedule_id = ANY(:ids)
  AND m.run_number = (SELECT max(run_number) FROM reminders WHERE schedule_id = m.schedule_id)
ORDER BY m.user_id;

-- name: open_reminders
-- Read the reminders of a person that have arrived, or of which the inbox has a copy, and that have not ended, the most
-- recently sent first.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at, m.updated_at
FROM reminders m JOIN runs r ON r.id = m.run_id
WHERE m.user_id = :user_id AND m.status IN ('sending', 'awaiting_ack', 'snoozed') AND r.finished_at IS NULL
  AND (m.last_sent_at IS NOT NULL OR EXISTS (
      SELECT 1 FROM delivery_attempts a
      WHERE a.run_id = m.run_id AND a.user_id = m.user_id AND a.kind = 'copy' AND a.status IN ('sent', 'delivered', 'acked')
  ))
ORDER BY coalesce(m.last_sent_at, m.created_at) DESC, m.run_id DESC;

-- name: latest_reminder
-- Read the reminder that was delivered to a person last.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders WHERE user_id = :user_id AND last_sent_at IS NOT NULL
ORDER BY last_sent_at DESC, run_id DESC LIMIT 1;

-- name: add_attempt
-- Record a send before it happens, with the next number of its run.
INSERT INTO delivery_attempts (run_id, job_id, run_number, attempt_number, user_id, channel, address, kind, status,
                               error_message, permanent, retry_at, message_id, created_at, sent_at, delivered_at,
                               acked_at)
VALUES (:run_id, :job_id, :run_number,
        (SELECT coalesce(max(attempt_number), 0) + 1 FROM delivery_attempts WHERE run_id = :run_id),
        :user_id, :channel, :address, :kind, :status, :error_message, :permanent, :retry_at,
        :message_id, :created_at, :sent_at, :delivered_at, :acked_at)
RETURNING id, run_id, job_id, run_number, attempt_number, user_id, channel, address, kind, status, error_message,
       permanent, retry_at, message_id, created_at, sent_at, delivered_at, acked_at;

-- name: end_attempt
-- Record the result of a send; an acknowledgement that came earlier is kept.
UPDATE delivery_attempts
SET status = CASE status WHEN 'acked' THEN status ELSE :status END, error_message = :error_message,
    permanent = :permanent, retry_at = :retry_at, message_id = coalesce(:message_id, message_id),
    sent_at = :sent_at, delivered_at = :delivered_at
WHERE run_id = :run_id AND attempt_number = :attempt_number;

-- name: attempts_of
-- Read all sends of a run, in order.
SELECT id, run_id, job_id, run_number, attempt_number, user_id, channel, address, kind, status, error_message,
       permanent, retry_at, message_id, created_at, sent_at, delivered_at, acked_at
FROM delivery_attempts WHERE run_id = :run_id ORDER BY attempt_number;

-- name: attempt_by_message
-- Find the send of a vendor's message; the latest one if the vendor has used an id twice.
SELECT id, run_id, job_id, run_number, attempt_number, user_id, channel, address, kind, status, error_message,
       permanent, retry_at, message_id, created_at, sent_at, delivered_at, acked_at
FROM delivery_attempts WHERE channel = :channel AND message_id = :message_id ORDER BY id DESC LIMIT 1;

-- name: answer_reminder
-- Give a reminder that has not ended the status of an answer. The answer also ends the debt of silence and of earlier
-- undelivered runs.
UPDATE reminders
SET status = :status, wake_at = :wake_at, silent_since = NULL, silence_told = FALSE,
    escalated = CASE WHEN failing_since < created_at THEN FALSE ELSE escalated END, failing_since = NULL,
    version = version + 1, updated_at = :now
WHERE run_id = :run_id AND user_id = :user_id AND status IN ('sending', 'awaiting_ack', 'snoozed')
RETURNING run_id;

-- name: end_for_others
-- Give the open reminders of the other people the status of the answer. Their next step, which is due now, shows it.
UPDATE reminders
SET status = :status, wake_at = :now, silent_since = NULL, silence_told = FALSE,
    escalated = CASE WHEN failing_since < created_at THEN FALSE ELSE escalated END, failing_since = NULL,
    version = version + 1, updated_at = :now
WHERE run_id = :run_id AND user_id <> :user_id AND status IN ('sending', 'awaiting_ack', 'snoozed')
RETURNING run_id;

-- name: answer_late
-- Give a reminder whose run is over the status of an answer: it arrived and wanted none, or waits for a digest, or was
-- not answered in time and no other has come since, or its run is dead and it may have arrived all the same.
UPDATE reminders SET status = :status, version = version + 1, updated_at = :now
WHERE run_id = :run_id AND user_id = :user_id
  AND (status IN ('delivered', 'gathered')
       OR (status = 'unacked' AND updated_at > :late_since AND NOT EXISTS (
           SELECT 1 FROM reminders n WHERE n.schedule_id = reminders.schedule_id AND n.run_number > reminders.run_number
       ))
       OR (status = 'failed' AND EXISTS (SELECT 1 FROM runs WHERE id = :run_id AND status = 'dead')))
RETURNING run_id;

-- name: late_reminders
-- Read the reminders of a person that were given up without an answer since a time, and that no other of their schedule
-- has followed; the most recently sent first.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at, m.updated_at
FROM reminders m JOIN schedules s ON s.id = m.schedule_id
WHERE m.user_id = :user_id AND m.status = 'unacked' AND m.updated_at > :since AND m.last_sent_at IS NOT NULL
  AND s.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM reminders n WHERE n.schedule_id = m.schedule_id AND n.run_number > m.run_number)
ORDER BY m.last_sent_at DESC, m.run_id DESC;

-- name: left_behind
-- Read reminders that have not ended although their runs have, oldest first; not those that the next fire replaces.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at,
       m.updated_at, s.namespace, s.name, s.action, r.reason
FROM reminders m JOIN runs r ON r.id = m.run_id JOIN schedules s ON s.id = m.schedule_id
WHERE m.status IN ('sending', 'awaiting_ack', 'snoozed') AND r.status IN ('dead', 'failed')
  AND r.reason IS DISTINCT FROM 'superseded by the next fire'
ORDER BY m.created_at
LIMIT :limit;

-- name: send_again
-- Make a reminder that waits for an answer be delivered again.
UPDATE reminders
SET status = 'sending', rounds = 0, wake_at = NULL, version = version + 1, updated_at = :now
WHERE run_id = :run_id AND user_id = :user_id AND status = 'awaiting_ack'
RETURNING run_id;

-- name: add_answer
-- Add the answer of a person.
INSERT INTO reminder_acks (run_id, job_id, user_id, run_number, response, snooze_minutes, snooze_until, channel,
                           message_id, response_text, responded_at)
VALUES (:run_id, :job_id, :user_id, :run_number, :response, :snooze_minutes, :snooze_until,
        :channel, :message_id, :response_text, :responded_at);

-- name: ack_attempt
-- Mark the latest send to a person that arrived as acknowledged.
UPDATE delivery_attempts SET status = 'acked', acked_at = :now
WHERE id = (
    SELECT id FROM delivery_attempts
    WHERE run_id = :run_id AND user_id = :user_id AND kind IN ('reminder', 'ack_prompt', 'copy')
      AND status IN ('sent', 'delivered')
    ORDER BY attempt_number DESC LIMIT 1
);

-- name: answers_of
-- Read the answers to a run, in order.
SELECT run_id, job_id, user_id, run_number, response, snooze_minutes, snooze_until, channel, message_id, response_text,
       responded_at
FROM reminder_acks WHERE run_id = :run_id ORDER BY id;

-- name: put_inbox
-- Add a message to the inbox, unless there is one with its key.
INSERT INTO inbox (user_id, run_id, key, text, token, created_at, read_at)
VALUES (:user_id, :run_id, :key, :text, :token, :created_at, :read_at)
ON CONFLICT (key) DO NOTHING
RETURNING id, user_id, run_id, key, text, token, created_at, read_at, length(text);

-- name: inbox_item
-- Read the message with a key.
SELECT id, user_id, run_id, key, text, token, created_at, read_at, length(text) FROM inbox WHERE key = :key;

-- name: list_inbox
-- Read the messages of a person, newest first; of long texts only the beginning.
SELECT id, user_id, run_id, key, substr(text, 1, coalesce(:longest::int, length(text))), token, created_at, read_at,
       length(text)
FROM inbox
WHERE user_id = :user_id AND (:everything OR read_at IS NULL)
  AND (:before::bigint IS NULL OR id < :before::bigint)
ORDER BY id DESC LIMIT :limit;

-- name: mark_read
-- Mark messages of a person as read.
UPDATE inbox SET read_at = :now
WHERE user_id = :user_id AND read_at IS NULL AND id = ANY(:ids)
RETURNING id;

-- name: first_sight
-- Record a message that came in; returns nothing when it was recorded before.
INSERT INTO inbound_seen (channel, message_id, at) VALUES (:channel, :message_id, :now)
ON CONFLICT DO NOTHING
RETURNING message_id;

-- name: seen
-- Find out whether a message that came in was recorded before.
SELECT 1 FROM inbound_seen WHERE channel = :channel AND message_id = :message_id;

-- name: overdue_messages
-- List schedules of reminders whose time has passed without a run, the most overdue first.
SELECT id FROM schedules WHERE next_run_at <= :now AND handler = 'message' ORDER BY next_run_at LIMIT :limit;

-- name: get_cursor
-- Read how far something was read.
SELECT value FROM cursors WHERE name = :name;

-- name: set_cursor
-- Record how far something was read.
INSERT INTO cursors (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value;
