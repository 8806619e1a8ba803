-- name: call_off_unbegun
-- Call off runs that nobody has begun meanwhile.
UPDATE runs
SET status = 'cancelled', finished_at = :now, reason = :reason
WHERE id IN (SELECT value FROM json_each(:ids)) AND status IN ('pending', 'waiting')
RETURNING schedule_id, id;
