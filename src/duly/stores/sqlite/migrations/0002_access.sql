-- Who made a schedule and how, what prompts cost, and which processes they left behind.

ALTER TABLE schedules ADD COLUMN token_scope TEXT;
ALTER TABLE schedules ADD COLUMN created_via TEXT;
ALTER TABLE schedules ADD COLUMN original_text TEXT;

ALTER TABLE run_targets ADD COLUMN cost_usd REAL;
ALTER TABLE run_targets ADD COLUMN pid INTEGER;
ALTER TABLE run_targets ADD COLUMN pid_started TEXT;
ALTER TABLE run_targets ADD COLUMN boot_id TEXT;

CREATE INDEX run_targets_running ON run_targets (run_id) WHERE status = 'running';
