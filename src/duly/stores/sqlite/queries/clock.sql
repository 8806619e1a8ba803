-- name: clock
-- Read the times by which the store has decided.
SELECT decided_until, correcting, ahead_until FROM clock WHERE id = 1;

-- name: begin_correction
-- Begin a correction: no turn plans anything until it ends. Decisions made ahead from now on are found by the next one.
UPDATE clock
SET correcting = decided_until, decided_until = :now,
    ahead_until = max(coalesce(ahead_until, decided_until), decided_until)
WHERE id = 1;

-- name: decided
-- Note that something was decided at a time. Written twice a second at most: it is a page of its own in every commit,
-- and a step back of less than five seconds is not corrected anyway.
INSERT INTO clock (id, decided_until) VALUES (1, :at)
ON CONFLICT (id) DO UPDATE SET decided_until = excluded.decided_until
WHERE clock.decided_until < excluded.decided_until - 500000;

-- name: taken
-- Read the instants of schedules, from their next fire on, that have runs already.
SELECT r.schedule_id, r.fire_at
FROM json_each(:due) AS due CROSS JOIN runs r ON r.schedule_id = due.value ->> 0 AND r.fire_at >= due.value ->> 1
WHERE r.origin = 'schedule';

-- name: still_ahead
-- Find those of some schedules that are still placed ahead of the present.
SELECT * FROM schedules
WHERE id IN (SELECT value FROM json_each(:ids)) AND (watermark > :now OR updated_at > :now)
ORDER BY id;

-- name: fires_ahead
-- Read the recorded runs of fires of some schedules whose time is still to come.
SELECT r.schedule_id, r.id, r.fire_at, r.status, r.fence, r.finished_at, r.first_skipped_at
FROM json_each(:ids) AS wanted CROSS JOIN runs r ON r.schedule_id = wanted.value AND r.fire_at > :now
WHERE r.origin = 'schedule'
ORDER BY r.schedule_id, r.fire_at;

-- name: place
-- Let schedules go on from the corrected time.
WITH placed (id, enabled, disabled_by, next_fire_at, next_run_at, watermark, fires, updated_at) AS (
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
)
UPDATE schedules
SET enabled = placed.enabled, disabled_by = placed.disabled_by, next_fire_at = placed.next_fire_at,
    next_run_at = placed.next_run_at, watermark = placed.watermark, fires = placed.fires,
    updated_at = placed.updated_at
FROM placed
WHERE schedules.id = placed.id;

-- name: leave_to_their_time
-- Give up the keys of fires that were not carried out; runs without a first attempt become records of such fires. Of
-- two records of one fire the later one stays.
UPDATE OR REPLACE runs
SET origin = 'clock',
    reason = CASE WHEN reason IS NULL THEN :reason ELSE reason || '; ' || :reason END,
    status = CASE WHEN finished_at IS NULL THEN 'skipped' ELSE status END,
    skipped = CASE WHEN finished_at IS NULL THEN 1 ELSE skipped END,
    finished_at = coalesce(finished_at, :now)
WHERE id IN (SELECT value FROM json_each(:ids)) AND status <> 'running';

-- name: waiting_ahead
-- Read runs that wait for a future time, with the policy that says how long they may wait. They are searched among the
-- unfinished runs, which are few: otherwise SQLite would read all runs in order of ids.
SELECT r.id, r.due_at, s.policy, r.attempt, r.error IS NOT NULL
FROM runs r INDEXED BY runs_active JOIN schedules s ON s.id = r.schedule_id
WHERE r.finished_at IS NULL AND r.status IN ('pending', 'waiting') AND r.due_at > :now AND r.id > :after
ORDER BY r.id
LIMIT :limit;

-- name: due_again
-- Make runs that still wait due earlier.
WITH hastened (id, due_at) AS (
    SELECT ids.value, dues.value FROM json_each(:ids) AS ids JOIN json_each(:dues) AS dues ON dues.key = ids.key
)
UPDATE runs SET due_at = hastened.due_at
FROM hastened
WHERE runs.id = hastened.id AND runs.finished_at IS NULL AND runs.status <> 'running' AND runs.due_at > hastened.due_at
RETURNING runs.id;

-- name: reminders_again
-- Set times of reminders that were written at a future time to now; what they wait for stays as far away as it was.
UPDATE reminders
SET wake_at = CASE WHEN wake_at > :now THEN :now + max(0, wake_at - updated_at) ELSE wake_at END,
    last_sent_at = min(last_sent_at, :now), silent_since = min(silent_since, :now),
    failing_since = min(failing_since, :now), updated_at = min(updated_at, :now), version = version + 1
WHERE run_id IN (SELECT value FROM json_each(:ids)) AND (updated_at > :now OR last_sent_at > :now);

-- name: attempts_again
-- Do the same for the times at which a vendor accepts messages again.
UPDATE delivery_attempts
SET retry_at = CASE WHEN created_at > :now THEN :now + max(0, retry_at - created_at) ELSE :now END
WHERE run_id IN (SELECT value FROM json_each(:ids)) AND retry_at > :now;
