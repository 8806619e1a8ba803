-- Schedules that will not fire, in the order of their names: a list shows those that are paused, those that are over, and
-- last those without a next run, and passes over none of the others. None of these has a row for a schedule that fires.

CREATE INDEX schedules_paused ON schedules (namespace, name)
    WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') NOT IN ('finished', 'file');
CREATE INDEX schedules_over ON schedules (namespace, name)
    WHERE enabled = FALSE AND deleted_at IS NULL AND coalesce(disabled_by, '') IN ('finished', 'file');
CREATE INDEX schedules_unplanned ON schedules (namespace, name)
    WHERE enabled = TRUE AND deleted_at IS NULL AND next_run_at IS NULL;
