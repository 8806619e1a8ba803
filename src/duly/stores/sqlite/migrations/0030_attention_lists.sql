-- Schedules that fail, that rest and that their file has switched off, each in the order of their names: a page of them
-- reads no others. None of these has a row for a schedule that is all right.

CREATE INDEX schedules_failing_by_name ON schedules (namespace, name)
    WHERE failing_since IS NOT NULL AND enabled <> FALSE AND deleted_at IS NULL;
CREATE INDEX schedules_resting_by_name ON schedules (namespace, name)
    WHERE resting IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX schedules_off_by_name ON schedules (namespace, name)
    WHERE disabled_by = 'file' AND enabled = FALSE AND deleted_at IS NULL;
