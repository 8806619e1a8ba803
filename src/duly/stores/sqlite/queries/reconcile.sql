-- name: call_off_unbegun
-- Cancel runs that have not begun meanwhile.
UPDATE runs
SET status = 'cancelled', finished_at = :now, reason = :reason
WHERE id IN (SELECT value FROM json_each(:ids)) AND status IN ('pending', 'waiting')
RETURNING id;

-- name: in_namespace
-- Read all columns of some schedules of a namespace in one text, and the last of their ids. The + makes SQLite read
-- them in the order in which they are stored: with very many, looking each up by its name takes twice as long.
SELECT json_group_array(json_array({columns})), max(id)
FROM (
    SELECT * FROM schedules
    WHERE +namespace = :namespace AND deleted_at IS NULL AND id > :after
    ORDER BY id
    LIMIT :limit
);
