-- name: server_time
-- Read the clock of the server.
SELECT clock_timestamp();

-- name: clock
-- Read the times by which the store has decided, and the clock of the server.
SELECT decided_until, correcting, ahead_until, clock_timestamp() FROM clock WHERE id = 1;

-- name: begin_turn
-- Read the same for a turn, whose statements are planned once for all values: each finds its rows by an index, so no
-- value calls for another plan, and with a few rows planning costs more than running.
SELECT decided_until, correcting, ahead_until, clock_timestamp(),
       set_config('plan_cache_mode', 'force_generic_plan', TRUE)
FROM clock WHERE id = 1;

-- name: lock_clock
-- Keep other nodes from beginning a correction at the same time.
SELECT id FROM clock WHERE id = 1 FOR NO KEY UPDATE;

-- name: begin_correction
-- Begin a correction: no turn plans anything until it ends. Decisions made ahead from now on are found by the next one.
UPDATE clock
SET correcting = decided_until, decided_until = %(now)s,
    ahead_until = greatest(ahead_until, decided_until)
WHERE id = 1;

-- name: decided
-- Note that something was decided at a time. Written twice a second at most, as the one row is every node's. A node that finds
-- the row locked leaves the note to the other one, which notes about the same time: no node waits for one that is frozen.
-- Only a time ahead of the server's clock waits for its turn, because the note of such a time must not be lost.
WITH fresh AS (INSERT INTO clock (id, decided_until) VALUES (1, %(at)s) ON CONFLICT (id) DO NOTHING)
UPDATE clock SET decided_until = %(at)s
WHERE id = 1 AND decided_until < %(at)s - INTERVAL '0.5 seconds'
  AND (
      %(at)s > clock_timestamp() + INTERVAL '5 seconds'
      OR id IN (SELECT c.id FROM clock c WHERE c.id = 1 FOR NO KEY UPDATE SKIP LOCKED)
  );

-- name: taken
-- Read the instants of schedules, from their next fire on, that have runs already.
SELECT due.id, r.fire_at
FROM unnest(%(ids)s, %(fires)s) AS due (id, next_fire_at)
CROSS JOIN LATERAL (
    SELECT fire_at FROM runs WHERE schedule_id = due.id AND fire_at >= due.next_fire_at AND origin = 'schedule' OFFSET 0
) AS r;

-- name: still_ahead
-- Find those of some schedules that are still placed ahead of the present.
SELECT id FROM schedules WHERE id = ANY(%(ids)s) AND (watermark > %(now)s OR updated_at > %(now)s) ORDER BY id;

-- name: fires_ahead
-- Read the recorded runs of fires of some schedules whose time is still to come.
SELECT r.schedule_id, r.id, r.fire_at, r.status, r.fence, r.finished_at, r.first_skipped_at
FROM runs r
WHERE r.schedule_id = ANY(%(ids)s) AND r.fire_at > %(now)s AND r.origin = 'schedule'
ORDER BY r.schedule_id, r.fire_at
FOR NO KEY UPDATE;

-- name: place
-- Let schedules go on from the corrected time.
UPDATE schedules s
SET enabled = p.enabled, disabled_by = p.disabled_by, next_fire_at = p.next_fire_at, next_run_at = p.next_run_at,
    watermark = p.watermark, fires = p.fires, updated_at = p.updated_at
FROM unnest(
    %(ids)s, %(enabled)s, %(disabled_by)s, %(next_fires)s, %(next_runs)s, %(watermarks)s, %(fires)s, %(updated)s
) AS p (id, enabled, disabled_by, next_fire_at, next_run_at, watermark, fires, updated_at)
WHERE s.id = ANY(ARRAY[p.id]);

-- name: forget_earlier_records
-- Delete the earlier of two records of one fire.
DELETE FROM runs r USING runs later
WHERE later.id = ANY(%(ids)s) AND r.schedule_id = ANY(ARRAY[later.schedule_id]) AND r.fire_at = later.fire_at
  AND r.origin = 'clock';

-- name: leave_to_their_time
-- Give up the keys of fires that were not carried out; runs without a first attempt become records of such fires.
UPDATE runs
SET origin = 'clock',
    reason = CASE WHEN reason IS NULL THEN %(reason)s ELSE reason || '; ' || %(reason)s END,
    status = CASE WHEN finished_at IS NULL THEN 'skipped' ELSE status END,
    skipped = CASE WHEN finished_at IS NULL THEN 1 ELSE skipped END,
    finished_at = coalesce(finished_at, %(now)s)
WHERE id = ANY(%(ids)s) AND status <> 'running';

-- name: waiting_ahead
-- Read runs that wait for a future time, with the policy that says how long they may wait.
SELECT r.id, r.due_at, s.policy, r.attempt, r.error IS NOT NULL
FROM runs r JOIN schedules s ON s.id = ANY(ARRAY[r.schedule_id])
WHERE r.finished_at IS NULL AND r.status IN ('pending', 'waiting') AND r.due_at > %(now)s AND r.id > %(after)s
ORDER BY r.id
LIMIT %(limit)s;

-- name: due_again
-- Make runs that still wait due earlier.
UPDATE runs r SET due_at = h.due_at
FROM unnest(%(ids)s, %(dues)s) AS h (id, due_at)
WHERE r.id = ANY(ARRAY[h.id]) AND coalesce(r.finished_at IS NULL, FALSE) AND r.status <> 'running' AND r.due_at > h.due_at
RETURNING r.id;

-- name: reminders_again
-- Set times of reminders that were written at a future time to now; what they wait for stays as far away as it was.
UPDATE reminders
SET wake_at = CASE WHEN wake_at > %(now)s THEN %(now)s + greatest(INTERVAL '0', wake_at - updated_at) ELSE wake_at END,
    last_sent_at = CASE WHEN last_sent_at > %(now)s THEN %(now)s ELSE last_sent_at END,
    silent_since = CASE WHEN silent_since > %(now)s THEN %(now)s ELSE silent_since END,
    failing_since = CASE WHEN failing_since > %(now)s THEN %(now)s ELSE failing_since END,
    updated_at = least(updated_at, %(now)s), version = version + 1
WHERE run_id = ANY(%(ids)s) AND (updated_at > %(now)s OR last_sent_at > %(now)s);

-- name: attempts_again
-- Do the same for the times at which a vendor accepts messages again.
UPDATE delivery_attempts
SET retry_at = CASE WHEN created_at > %(now)s THEN %(now)s + greatest(INTERVAL '0', retry_at - created_at)
                    ELSE %(now)s END
WHERE run_id = ANY(%(ids)s) AND retry_at > %(now)s;
