-- name: make_due
-- Make an unfinished run due now; a running one goes on at once when its step is done.
UPDATE runs SET due_at = CASE status WHEN 'running' THEN max(:now, started_at + 1) ELSE :now END
WHERE id = :run_id AND finished_at IS NULL
RETURNING id;
