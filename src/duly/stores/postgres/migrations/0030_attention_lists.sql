-- Schedules that fail and schedules that rest, in the order of their names: a page of them reads no others. Neither has
-- a row for a schedule that is all right.

CREATE INDEX schedules_failing_by_name ON schedules (namespace, name)
    WHERE failing_since IS NOT NULL AND enabled <> FALSE AND deleted_at IS NULL;
CREATE INDEX schedules_resting_by_name ON schedules (namespace, name)
    WHERE resting IS NOT NULL AND deleted_at IS NULL;
