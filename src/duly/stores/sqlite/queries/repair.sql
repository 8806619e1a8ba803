-- name: tables
-- List the tables of the schema, and whether their rows are identified by the key alone.
SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%';

-- name: columns_of
-- List the columns of a table, their types, and their place in its key.
SELECT name, type, pk FROM pragma_table_info(:name);

-- name: quarantine
-- Quarantine a schedule.
UPDATE schedules SET enabled = 0, next_run_at = NULL, quarantine = :reason, disabled_by = 'quarantine' WHERE id = :id
RETURNING name;

-- name: give_up_unreadable
-- Mark a run as dead that cannot be decoded; the next rescue promotes runs that wait for it.
UPDATE runs SET status = 'dead', owner = NULL, fence = fence + 1, finished_at = :now, reason = :reason
WHERE id = :id AND finished_at IS NULL
RETURNING schedule_id, attempt;

-- name: give_up_without_schedule
-- Mark pending runs as dead whose schedule does not exist.
UPDATE runs SET status = 'dead', owner = NULL, fence = fence + 1, finished_at = :now, reason = :reason
WHERE finished_at IS NULL AND schedule_id NOT IN (SELECT id FROM schedules)
RETURNING id, schedule_id, attempt;
