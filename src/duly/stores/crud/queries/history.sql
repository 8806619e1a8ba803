-- name: failed_attempts
-- Read the attempts of a run that failed or were lost, oldest first.
SELECT run_id, fence, attempt, status, started_at, ended_at, node_id, error
FROM attempts WHERE run_id = :run_id
ORDER BY fence;

-- name: note_output
-- Write how much output there is; does nothing when there is no such run.
INSERT INTO run_outputs (run_id, attempt, target, total, lines, complete, kept_limit)
SELECT id, :attempt, :target, :total, :lines, :complete, :kept_limit FROM runs WHERE id = :run_id
ON CONFLICT (run_id, attempt, target) DO UPDATE SET
    total = excluded.total, lines = excluded.lines, complete = excluded.complete, kept_limit = excluded.kept_limit
RETURNING run_id;

-- name: forget_pieces
-- Drop the pieces of an output from an offset on.
DELETE FROM output_pieces
WHERE run_id = :run_id AND attempt = :attempt AND target = :target AND start >= :start;

-- name: add_piece
-- Keep a piece of an output.
INSERT INTO output_pieces (run_id, attempt, target, start, size, text)
VALUES (:run_id, :attempt, :target, :start, :size, :text);

-- name: drop_middle
-- Drop the pieces between the kept beginning and the kept end of an output.
DELETE FROM output_pieces
WHERE run_id = :run_id AND attempt = :attempt AND target = :target AND start >= :head AND start + size <= :tail;

-- name: outputs_of
-- Read how much output a run has, by attempt and target.
SELECT run_id, attempt, target, total, lines, complete, kept_limit
FROM run_outputs WHERE run_id = :run_id
ORDER BY attempt, target;

-- name: kept_bytes
-- Add up how much of an output is kept.
SELECT coalesce(sum(size), 0) FROM output_pieces
WHERE run_id = :run_id AND attempt = :attempt AND target = :target;

-- name: next_piece
-- Find where the first piece at or after an offset begins.
SELECT min(start) FROM output_pieces
WHERE run_id = :run_id AND attempt = :attempt AND target = :target AND start >= :offset;

-- name: pieces
-- Read the pieces of an output that begin in a range and end after an offset.
SELECT start, size, text FROM output_pieces
WHERE run_id = :run_id AND attempt = :attempt AND target = :target AND start >= :since AND start < :upto
  AND start + size > :offset
ORDER BY start;

-- name: run_before
-- Find the run of a schedule that belongs to the fire before.
SELECT id FROM runs
WHERE schedule_id = :schedule_id AND (fire_at, origin) < (:fire_at, :origin)
ORDER BY fire_at DESC, origin DESC LIMIT 1;

-- name: run_after
-- Find the run of a schedule that belongs to the next fire.
SELECT id FROM runs
WHERE schedule_id = :schedule_id AND (fire_at, origin) > (:fire_at, :origin)
ORDER BY fire_at, origin LIMIT 1;

-- name: finished_until
-- Read when the latest runs of a schedule up to a fire began and ended: of those that an executor carries out, when its
-- worker began. Of the latest 200: after these it does not look for more, so that a schedule with many skipped runs
-- costs no more than others.
SELECT id, status, began_at, finished_at FROM (
    SELECT r.id, r.status, r.started_at, r.finished_at, r.fire_at, r.origin,
           coalesce((SELECT h.begun_at FROM handovers h WHERE h.run_id = r.id ORDER BY h.number DESC LIMIT 1),
                    r.started_at) AS began_at
    FROM runs r
    WHERE r.schedule_id = :schedule_id AND (r.fire_at, r.origin) <= (:fire_at, :origin)
    ORDER BY r.fire_at DESC, r.origin DESC LIMIT 200
) AS latest
WHERE started_at IS NOT NULL AND finished_at IS NOT NULL AND status <> 'skipped'
ORDER BY fire_at DESC, origin DESC
LIMIT :limit;
