-- name: begin_reminder
-- Note that a run is a reminder, the next of its schedule; one that is known stays as it is.
INSERT INTO reminders (run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel,
                       last_sent_at, wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at)
VALUES (%(run_id)s, %(schedule_id)s, %(user_id)s,
        (SELECT coalesce(max(run_number), 0) + 1 FROM reminders WHERE schedule_id = %(schedule_id)s),
        %(token)s, %(status)s, %(rounds)s, %(nags)s, %(escalated)s, %(channel)s, %(last_sent_at)s, %(wake_at)s,
        %(silent_since)s, %(silence_told)s, %(failing_since)s, %(version)s, %(created_at)s, %(updated_at)s)
ON CONFLICT (run_id) DO NOTHING;

-- name: close_replaced
-- End the earlier reminders of a schedule whose runs are over.
UPDATE reminders
SET status = CASE WHEN last_sent_at IS NULL THEN 'missed' ELSE 'unacked' END, version = version + 1,
    updated_at = %(updated_at)s
WHERE schedule_id = %(schedule_id)s AND run_id <> %(run_id)s AND status IN ('sending', 'awaiting_ack', 'snoozed')
  AND EXISTS (SELECT 1 FROM runs WHERE runs.id = reminders.run_id AND runs.finished_at IS NOT NULL);

-- name: previous_reminder
-- The latest reminder of a schedule, and whether its run is over; nothing if that is this very run.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at,
       m.updated_at, r.finished_at IS NOT NULL
FROM reminders m JOIN runs r ON r.id = m.run_id
WHERE m.schedule_id = %(schedule_id)s
  AND NOT EXISTS (SELECT 1 FROM reminders WHERE run_id = %(run_id)s)
ORDER BY m.run_number DESC LIMIT 1;

-- name: get_reminder
-- One reminder.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders WHERE run_id = %(run_id)s;

-- name: reminder_by_token
-- The reminder whose buttons carry a token.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders WHERE token = %(token)s;

-- name: update_reminder
-- Write a reminder down, unless it changed since it was read.
UPDATE reminders
SET status = %(status)s, rounds = %(rounds)s, nags = %(nags)s, escalated = %(escalated)s, channel = %(channel)s,
    last_sent_at = %(last_sent_at)s, wake_at = %(wake_at)s, silent_since = %(silent_since)s,
    silence_told = %(silence_told)s, failing_since = %(failing_since)s, updated_at = %(updated_at)s,
    version = version + 1
WHERE run_id = %(run_id)s AND version = %(version)s
RETURNING run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at;

-- name: reminders_of_schedule
-- The reminders of a schedule, the newest first.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders WHERE schedule_id = %(schedule_id)s ORDER BY run_number DESC LIMIT %(limit)s;

-- name: errors_in_a_row
-- Failed reminders of a schedule since one last arrived; also those that were replaced while no channel took them.
SELECT count(*) FROM reminders
WHERE schedule_id = %(schedule_id)s AND (status = 'failed' OR (status = 'missed' AND rounds > 0)) AND run_number > (
    SELECT coalesce(max(run_number), 0) FROM reminders
    WHERE schedule_id = %(schedule_id)s
      AND status IN ('delivered', 'awaiting_ack', 'acked', 'snoozed', 'dismissed', 'unacked')
);

-- name: open_reminders
-- The reminders of a person that have arrived and are not over, the most recently sent first.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at, m.updated_at
FROM reminders m JOIN runs r ON r.id = m.run_id
WHERE m.user_id = %(user_id)s AND m.status IN ('sending', 'awaiting_ack', 'snoozed') AND m.last_sent_at IS NOT NULL
  AND r.finished_at IS NULL
ORDER BY m.last_sent_at DESC, m.run_id DESC;

-- name: latest_reminder
-- The reminder that reached a person last.
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at,
       wake_at, silent_since, silence_told, failing_since, version, created_at, updated_at
FROM reminders WHERE user_id = %(user_id)s AND last_sent_at IS NOT NULL
ORDER BY last_sent_at DESC, run_id DESC LIMIT 1;

-- name: add_attempt
-- Record a send before it happens, under the next number of its run.
INSERT INTO delivery_attempts (run_id, job_id, run_number, attempt_number, user_id, channel, address, kind, status,
                               error_message, permanent, retry_at, message_id, created_at, sent_at, delivered_at,
                               acked_at)
VALUES (%(run_id)s, %(job_id)s, %(run_number)s,
        (SELECT coalesce(max(attempt_number), 0) + 1 FROM delivery_attempts WHERE run_id = %(run_id)s),
        %(user_id)s, %(channel)s, %(address)s, %(kind)s, %(status)s, %(error_message)s, %(permanent)s, %(retry_at)s,
        %(message_id)s, %(created_at)s, %(sent_at)s, %(delivered_at)s, %(acked_at)s)
RETURNING id, run_id, job_id, run_number, attempt_number, user_id, channel, address, kind, status, error_message,
       permanent, retry_at, message_id, created_at, sent_at, delivered_at, acked_at;

-- name: end_attempt
-- What became of a send; an acknowledgement that was quicker stays.
UPDATE delivery_attempts
SET status = CASE status WHEN 'acked' THEN status ELSE %(status)s END, error_message = %(error_message)s,
    permanent = %(permanent)s, retry_at = %(retry_at)s, message_id = coalesce(%(message_id)s, message_id),
    sent_at = %(sent_at)s, delivered_at = %(delivered_at)s
WHERE run_id = %(run_id)s AND attempt_number = %(attempt_number)s;

-- name: attempts_of
-- Everything sent for a run, in order.
SELECT id, run_id, job_id, run_number, attempt_number, user_id, channel, address, kind, status, error_message,
       permanent, retry_at, message_id, created_at, sent_at, delivered_at, acked_at
FROM delivery_attempts WHERE run_id = %(run_id)s ORDER BY attempt_number;

-- name: attempt_by_message
-- What a provider's message was sent for; the latest, should it have given an id twice.
SELECT id, run_id, job_id, run_number, attempt_number, user_id, channel, address, kind, status, error_message,
       permanent, retry_at, message_id, created_at, sent_at, delivered_at, acked_at
FROM delivery_attempts WHERE channel = %(channel)s AND message_id = %(message_id)s ORDER BY id DESC LIMIT 1;

-- name: lock_reminder
-- Keep others from changing a reminder.
SELECT run_id FROM reminders WHERE run_id = %(run_id)s FOR NO KEY UPDATE;

-- name: make_due
-- Have an unfinished run looked at now; one that is under way goes on at once when its step is done.
UPDATE runs
SET due_at = CASE status WHEN 'running' THEN greatest(%(now)s, started_at + interval '1 microsecond') ELSE %(now)s END
WHERE id = %(run_id)s AND finished_at IS NULL
RETURNING id;

-- name: answer_reminder
-- Give a reminder that is not over the status an answer asks for. Nobody has to be told of silence then, nor of what
-- earlier runs could not deliver.
UPDATE reminders
SET status = %(status)s, wake_at = %(wake_at)s, silent_since = NULL, silence_told = FALSE,
    escalated = CASE WHEN failing_since < created_at THEN FALSE ELSE escalated END, failing_since = NULL,
    version = version + 1, updated_at = %(now)s
WHERE run_id = %(run_id)s AND status IN ('sending', 'awaiting_ack', 'snoozed')
RETURNING run_id;

-- name: answer_late
-- The same for one that failed because its run was given up: it may have arrived all the same.
UPDATE reminders SET status = %(status)s, version = version + 1, updated_at = %(now)s
WHERE run_id = %(run_id)s AND status = 'failed'
  AND EXISTS (SELECT 1 FROM runs WHERE id = %(run_id)s AND status = 'dead')
RETURNING run_id;

-- name: left_behind
-- Reminders that go on although their runs are over, oldest first; the next fire sees to those it replaces.
SELECT m.run_id, m.schedule_id, m.user_id, m.run_number, m.token, m.status, m.rounds, m.nags, m.escalated,
       m.channel, m.last_sent_at, m.wake_at, m.silent_since, m.silence_told, m.failing_since, m.version, m.created_at,
       m.updated_at, s.namespace, s.name, s.action, r.reason
FROM reminders m JOIN runs r ON r.id = m.run_id JOIN schedules s ON s.id = m.schedule_id
WHERE m.status IN ('sending', 'awaiting_ack', 'snoozed') AND r.status IN ('dead', 'failed')
  AND r.reason IS DISTINCT FROM 'superseded by the next fire'
ORDER BY m.created_at
LIMIT %(limit)s;

-- name: send_again
-- Have a reminder that waits for an answer delivered anew.
UPDATE reminders
SET status = 'sending', rounds = 0, wake_at = NULL, version = version + 1, updated_at = %(now)s
WHERE run_id = %(run_id)s AND status = 'awaiting_ack'
RETURNING run_id;

-- name: add_answer
-- What a person said.
INSERT INTO reminder_acks (run_id, job_id, user_id, run_number, response, snooze_minutes, snooze_until, channel,
                           message_id, response_text, responded_at)
VALUES (%(run_id)s, %(job_id)s, %(user_id)s, %(run_number)s, %(response)s, %(snooze_minutes)s, %(snooze_until)s,
        %(channel)s, %(message_id)s, %(response_text)s, %(responded_at)s);

-- name: ack_attempt
-- The latest send that arrived is acknowledged.
UPDATE delivery_attempts SET status = 'acked', acked_at = %(now)s
WHERE id = (
    SELECT id FROM delivery_attempts
    WHERE run_id = %(run_id)s AND kind IN ('reminder', 'ack_prompt', 'copy') AND status IN ('sent', 'delivered')
    ORDER BY attempt_number DESC LIMIT 1
);

-- name: answers_of
-- What was said about a run, in order.
SELECT run_id, job_id, user_id, run_number, response, snooze_minutes, snooze_until, channel, message_id, response_text,
       responded_at
FROM reminder_acks WHERE run_id = %(run_id)s ORDER BY id;

-- name: put_inbox
-- A message into the inbox; the same again is kept once.
INSERT INTO inbox (user_id, run_id, key, text, token, created_at, read_at)
VALUES (%(user_id)s, %(run_id)s, %(key)s, %(text)s, %(token)s, %(created_at)s, %(read_at)s)
ON CONFLICT (key) DO NOTHING;

-- name: inbox_item
-- The message of a key.
SELECT id, user_id, run_id, key, text, token, created_at, read_at, length(text) FROM inbox WHERE key = %(key)s;

-- name: list_inbox
-- A person's messages, the newest first; of long texts only the beginning.
SELECT id, user_id, run_id, key, substr(text, 1, coalesce(%(longest)s::int, length(text))), token, created_at, read_at,
       length(text)
FROM inbox
WHERE user_id = %(user_id)s AND (%(everything)s OR read_at IS NULL)
  AND (%(before)s::bigint IS NULL OR id < %(before)s::bigint)
ORDER BY id DESC LIMIT %(limit)s;

-- name: mark_read
-- A person has seen some messages.
UPDATE inbox SET read_at = %(now)s
WHERE user_id = %(user_id)s AND read_at IS NULL AND id = ANY(%(ids)s)
RETURNING id;

-- name: first_sight
-- Remember a message that came in; gives nothing when it is known.
INSERT INTO inbound_seen (channel, message_id, at) VALUES (%(channel)s, %(message_id)s, %(now)s)
ON CONFLICT DO NOTHING
RETURNING message_id;

-- name: seen
-- Whether a message that came in is known.
SELECT 1 FROM inbound_seen WHERE channel = %(channel)s AND message_id = %(message_id)s;

-- name: overdue_messages
-- Schedules with messages whose time has passed without a run, the most overdue first.
SELECT id FROM schedules WHERE next_run_at <= %(now)s AND handler = 'message' ORDER BY next_run_at LIMIT %(limit)s;

-- name: get_cursor
-- How far something was read.
SELECT value FROM cursors WHERE name = %(name)s;

-- name: set_cursor
-- Note how far something was read.
INSERT INTO cursors (name, value) VALUES (%(name)s, %(value)s) ON CONFLICT (name) DO UPDATE SET value = excluded.value;
