-- name: lock_namespace
-- Lock the schedules of a namespace against changes, planning and promotion.
SELECT count(*) FROM (
    SELECT FROM schedules WHERE namespace = %(namespace)s AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE
) AS locked;

-- name: call_off_unbegun
-- Cancel runs that have not begun meanwhile.
UPDATE runs
SET status = 'cancelled', finished_at = %(now)s, reason = %(reason)s
WHERE id = ANY(%(ids)s) AND status IN ('pending', 'waiting')
RETURNING id;
