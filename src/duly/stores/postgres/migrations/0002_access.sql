-- Who made a schedule and how, what prompts cost, and which processes they left behind.

ALTER TABLE schedules ADD COLUMN token_scope TEXT;
ALTER TABLE schedules ADD COLUMN created_via TEXT;
ALTER TABLE schedules ADD COLUMN original_text TEXT;

ALTER TABLE run_targets ADD COLUMN cost_usd DOUBLE PRECISION;
ALTER TABLE run_targets ADD COLUMN pid BIGINT;
ALTER TABLE run_targets ADD COLUMN pid_started TEXT;
ALTER TABLE run_targets ADD COLUMN boot_id TEXT;

CREATE INDEX run_targets_running ON run_targets (run_id) WHERE status = 'running';

-- Until now the targets of prompts were in their definitions only; one that cannot be read has none.
DO $$
DECLARE
    prompt RECORD;
BEGIN
    FOR prompt IN SELECT id, action FROM schedules WHERE handler LIKE 'prompt:%' LOOP
        BEGIN
            INSERT INTO schedule_targets (schedule_id, project_id, workspace_id)
            SELECT prompt.id, target ->> 'project_id', coalesce(target ->> 'workspace_id', '')
            FROM json_array_elements(coalesce(prompt.action::json -> 'targets', '[{"project_id":""}]')) AS target
            WHERE json_typeof(target -> 'project_id') = 'string'
            ON CONFLICT DO NOTHING;
        EXCEPTION WHEN data_exception OR statement_too_complex THEN
            NULL;
        END;
    END LOOP;
END
$$;
