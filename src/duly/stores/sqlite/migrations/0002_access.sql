-- Who made a schedule and how, what prompts cost, and which processes they left behind.

ALTER TABLE schedules ADD COLUMN token_scope TEXT;
ALTER TABLE schedules ADD COLUMN created_via TEXT;
ALTER TABLE schedules ADD COLUMN original_text TEXT;

ALTER TABLE run_targets ADD COLUMN cost_usd REAL;
ALTER TABLE run_targets ADD COLUMN pid INTEGER;
ALTER TABLE run_targets ADD COLUMN pid_started TEXT;
ALTER TABLE run_targets ADD COLUMN boot_id TEXT;

CREATE INDEX run_targets_running ON run_targets (run_id) WHERE status = 'running';

-- Until now the targets of prompts were in their definitions only; one that cannot be read has none.
INSERT INTO schedule_targets (schedule_id, project_id, workspace_id)
SELECT s.id, target.value ->> 'project_id', coalesce(target.value ->> 'workspace_id', '')
FROM schedules s,
     json_each(CASE WHEN json_valid(s.action) THEN coalesce(s.action -> 'targets', '[{"project_id":""}]') END) AS target
WHERE s.handler LIKE 'prompt:%'
  AND CASE WHEN target.type = 'object' THEN json_type(target.value, '$.project_id') END = 'text'
ON CONFLICT DO NOTHING;
