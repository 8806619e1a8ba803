-- name: tables
-- Every table of the schema, and whether its rows are named by their key alone.
SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%';

-- name: columns_of
-- The columns of a table, their types, and their place in its key.
SELECT name, type, pk FROM pragma_table_info(:name);

-- name: quarantine
-- A schedule does not fire until it has been put right.
UPDATE schedules SET enabled = 0, next_run_at = NULL, quarantine = :reason, disabled_by = 'quarantine' WHERE id = :id
RETURNING name;

-- name: give_up_unreadable
-- A run that cannot be carried out is over; the next rescue helps those that stand in line behind it.
UPDATE runs SET status = 'dead', owner = NULL, fence = fence + 1, finished_at = :now, reason = :reason
WHERE id = :id AND finished_at IS NULL
RETURNING schedule_id, attempt;

-- name: give_up_without_schedule
-- Nor can a run be carried out whose schedule is not there.
UPDATE runs SET status = 'dead', owner = NULL, fence = fence + 1, finished_at = :now, reason = :reason
WHERE finished_at IS NULL AND schedule_id NOT IN (SELECT id FROM schedules)
RETURNING id, schedule_id, attempt;
