-- name: drop_targets
-- Delete the targets that schedules no longer have.
DELETE FROM schedule_targets t
WHERE t.schedule_id = ANY(%(ids)s) AND NOT EXISTS (
    SELECT FROM unnest(%(schedule_ids)s, %(project_ids)s, %(workspace_ids)s)
        AS wanted (schedule_id, project_id, workspace_id)
    WHERE wanted.schedule_id = t.schedule_id AND wanted.project_id = t.project_id
      AND wanted.workspace_id = t.workspace_id);

-- name: add_targets
-- Add the targets that schedules have; existing ones keep their session.
INSERT INTO schedule_targets (schedule_id, project_id, workspace_id)
SELECT s.id, wanted.project_id, wanted.workspace_id
FROM unnest(%(schedule_ids)s, %(project_ids)s, %(workspace_ids)s) AS wanted (schedule_id, project_id, workspace_id)
CROSS JOIN LATERAL (SELECT id FROM schedules WHERE id = wanted.schedule_id LIMIT 1) AS s
ON CONFLICT DO NOTHING;
