-- name: lock_namespace
-- Keep others from changing, planning or promoting the schedules of a namespace.
SELECT count(*) FROM (
    SELECT FROM schedules WHERE namespace = %(namespace)s AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE
) AS locked;

-- name: call_off_unbegun
-- Call off runs that nobody has begun meanwhile.
UPDATE runs
SET status = 'cancelled', finished_at = %(now)s, reason = %(reason)s
WHERE id = ANY(%(ids)s) AND status IN ('pending', 'waiting')
RETURNING id;
