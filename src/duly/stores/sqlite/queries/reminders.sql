-- name: make_due
-- Have an unfinished run looked at now; one that is under way goes on at once when its step is done.
UPDATE runs SET due_at = CASE status WHEN 'running' THEN max(:now, started_at + 1) ELSE :now END
WHERE id = :run_id AND finished_at IS NULL
RETURNING id;
