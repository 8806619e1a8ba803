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

-- name: count_prunable
-- Count what a round of pruning would delete: the kinds in the order of the round.
SELECT (SELECT count(*) FROM runs WHERE id < :before_id AND finished_at IS NOT NULL AND fire_at < :before),
       (SELECT count(*) FROM schedules s
        WHERE s.deleted_at < :before
          AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.schedule_id = s.id
                          AND (r.id >= :before_id OR r.finished_at IS NULL OR r.fire_at >= :before))),
       (SELECT count(*) FROM nodes n
        WHERE n.state <> 'alive' AND n.started_at < :before AND coalesce(n.seen_at, n.started_at) < :before
          AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.owner = n.id)),
       (SELECT count(*) FROM events WHERE at < :before),
       (SELECT count(*) FROM inbound_seen WHERE at < :before_inbound),
       (SELECT count(*) FROM inbox WHERE read_at < :before),
       (SELECT count(*) FROM pairing_codes WHERE expires_at < :before),
       (SELECT count(*) FROM undos WHERE expires_at < :before),
       (SELECT count(*) FROM seen_items WHERE at < :before),
       (SELECT count(*) FROM kept_answers WHERE at < :before);
