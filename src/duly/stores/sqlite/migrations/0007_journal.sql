-- The journal is read by schedule and by run, the newest entries first.

CREATE INDEX events_by_schedule ON events (schedule_id, seq) WHERE schedule_id IS NOT NULL;
CREATE INDEX events_by_run ON events (run_id, seq) WHERE run_id IS NOT NULL;
