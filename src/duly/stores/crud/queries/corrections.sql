-- name: placed_ahead
-- List schedules that were planned or changed at a future time. Reads all of them, and only when a clock turned out to
-- have been ahead: an index would make every fire slower.
SELECT id FROM schedules
WHERE id > :after AND (watermark > :now OR updated_at > :now)
ORDER BY id LIMIT :limit;

-- name: reminders_ahead
-- List reminders that were written at a future time.
SELECT run_id FROM reminders
WHERE run_id > :after AND (updated_at > :now OR last_sent_at > :now)
ORDER BY run_id LIMIT :limit;

-- name: count_placed
-- Count the schedules that a correction has placed again.
UPDATE clock SET schedules = schedules + :schedules WHERE id = 1;

-- name: count_hastened
-- Count the runs that a correction has made due earlier.
UPDATE clock SET runs = runs + :runs WHERE id = 1;

-- name: end_correction
-- End a correction, so that planning goes on.
UPDATE clock
SET correcting = NULL, corrected_at = :now, ahead_seconds = :ahead_seconds,
    corrected_schedules = schedules, corrected_runs = runs, schedules = 0, runs = 0
WHERE id = 1 AND correcting = :decided_until
RETURNING corrected_schedules, corrected_runs;

-- name: last_correction
-- Read the result of the last correction.
SELECT corrected_at, ahead_seconds, corrected_schedules, corrected_runs FROM clock
WHERE id = 1 AND corrected_at IS NOT NULL;
