-- Since when a schedule fails, and how to find what needs attention without looking at all schedules.

ALTER TABLE schedules ADD COLUMN failing_since INTEGER;

UPDATE schedules SET failing_since = coalesce(last_run_at, updated_at) WHERE consecutive_failures > 0;

CREATE INDEX schedules_failing ON schedules (enabled, failing_since) WHERE failing_since IS NOT NULL;
CREATE INDEX schedules_quarantined ON schedules (id) WHERE quarantine IS NOT NULL;
