-- name: states_unfinished
-- States of runs that have not ended, by the index of those.
SELECT f.id, f.schedule_id, f.status, f.attempt, f.fence, substr(f.progress, 1, :longest), m.user_id, m.status, m.version,
       (SELECT sum(o.total) FROM run_outputs o WHERE o.run_id = f.id)
FROM (SELECT * FROM runs WHERE finished_at IS NULL LIMIT :limit) f
LEFT JOIN reminders m ON m.run_id = f.id AND m.user_id = (
    SELECT user_id FROM reminders WHERE run_id = f.id ORDER BY status <> 'awaiting_ack', user_id LIMIT 1);

-- name: states_under_way
-- States of runs that a node carries out now, by the index of owners.
SELECT f.id, f.schedule_id, f.status, f.attempt, f.fence, substr(f.progress, 1, :longest), m.user_id, m.status, m.version,
       (SELECT sum(o.total) FROM run_outputs o WHERE o.run_id = f.id)
FROM (SELECT * FROM runs WHERE owner IS NOT NULL LIMIT :limit) f
LEFT JOIN reminders m ON m.run_id = f.id AND m.user_id = (
    SELECT user_id FROM reminders WHERE run_id = f.id ORDER BY status <> 'awaiting_ack', user_id LIMIT 1);

-- name: states_by_id
-- States of some runs.
SELECT r.id, r.schedule_id, r.status, r.attempt, r.fence, substr(r.progress, 1, :longest), m.user_id, m.status, m.version,
       (SELECT sum(o.total) FROM run_outputs o WHERE o.run_id = r.id)
FROM runs r LEFT JOIN reminders m ON m.run_id = r.id AND m.user_id = (
    SELECT user_id FROM reminders WHERE run_id = r.id ORDER BY status <> 'awaiting_ack', user_id LIMIT 1)
WHERE r.id = ANY(:ids);

-- name: states_latest
-- States of the newest runs, by their ids: these sort by time.
SELECT r.id, r.schedule_id, r.status, r.attempt, r.fence, substr(r.progress, 1, :longest), m.user_id, m.status, m.version,
       (SELECT sum(o.total) FROM run_outputs o WHERE o.run_id = r.id)
FROM runs r LEFT JOIN reminders m ON m.run_id = r.id AND m.user_id = (
    SELECT user_id FROM reminders WHERE run_id = r.id ORDER BY status <> 'awaiting_ack', user_id LIMIT 1)
WHERE r.id > :after
ORDER BY r.id DESC
LIMIT :limit;
