-- name: runs_to_prune
-- Find the last of the next runs made before a time: ids are in the order in which runs were made.
SELECT id FROM runs WHERE id > :after AND id < :before_id ORDER BY id LIMIT 1 OFFSET :limit - 1;

-- name: schedules_to_prune
-- Find the last of the next schedules deleted before a time.
SELECT deleted_at, id FROM schedules
WHERE (deleted_at, id) > (:after_at, :after) AND deleted_at < :before
ORDER BY deleted_at, id LIMIT 1 OFFSET :limit - 1;

-- name: nodes_to_prune
-- Find the last of the next nodes that are gone and were started before a time.
SELECT started_at, id FROM nodes
WHERE state <> 'alive' AND (started_at, id) > (:after_at, :after) AND started_at < :before
ORDER BY started_at, id LIMIT 1 OFFSET :limit - 1;
