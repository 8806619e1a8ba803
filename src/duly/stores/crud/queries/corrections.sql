-- name: placed_ahead
-- Schedules that were planned or changed at a time that is still to come. Looks at all of them, and only when a clock
-- turned out to have been ahead: an index would cost every fire.
SELECT id FROM schedules
WHERE id > :after AND (watermark > :now OR updated_at > :now)
ORDER BY id LIMIT :limit;

-- name: reminders_ahead
-- Reminders that were written down at a time that is still to come.
SELECT run_id FROM reminders
WHERE run_id > :after AND (updated_at > :now OR last_sent_at > :now)
ORDER BY run_id LIMIT :limit;

-- name: count_placed
-- Schedules go on from the corrected time.
UPDATE clock SET schedules = schedules + :schedules WHERE id = 1;

-- name: count_hastened
-- Runs are due earlier than they stood.
UPDATE clock SET runs = runs + :runs WHERE id = 1;

-- name: end_correction
-- Planning goes on.
UPDATE clock
SET correcting = NULL, corrected_at = :now, ahead_seconds = :ahead_seconds,
    corrected_schedules = schedules, corrected_runs = runs, schedules = 0, runs = 0
WHERE id = 1 AND correcting = :decided_until
RETURNING corrected_schedules, corrected_runs;

-- name: last_correction
-- What the last correction came to.
SELECT corrected_at, ahead_seconds, corrected_schedules, corrected_runs FROM clock
WHERE id = 1 AND corrected_at IS NOT NULL;
