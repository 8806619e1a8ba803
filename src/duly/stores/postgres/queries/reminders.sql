-- name: make_due
-- Have an unfinished run looked at now; one that is under way goes on at once when its step is done.
UPDATE runs
SET due_at = CASE status WHEN 'running' THEN greatest(%(now)s, started_at + interval '1 microsecond') ELSE %(now)s END
WHERE id = %(run_id)s AND finished_at IS NULL
RETURNING id;
