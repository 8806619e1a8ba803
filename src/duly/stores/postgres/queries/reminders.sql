-- name: make_due
-- Make an unfinished run due now; a running one goes on at once when its step is done.
UPDATE runs
SET due_at = CASE status WHEN 'running' THEN greatest(%(now)s, started_at + interval '1 microsecond') ELSE %(now)s END
WHERE id = %(run_id)s AND finished_at IS NULL
RETURNING id;
