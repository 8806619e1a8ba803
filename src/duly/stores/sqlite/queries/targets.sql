-- name: drop_targets
-- Delete the targets that schedules no longer have.
DELETE FROM schedule_targets
WHERE schedule_id IN (SELECT value FROM json_each(:ids))
  AND (schedule_id, project_id, workspace_id) NOT IN (
      SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:targets));

-- name: add_targets
-- Add the targets that schedules have; existing ones keep their session.
INSERT INTO schedule_targets (schedule_id, project_id, workspace_id)
SELECT s.id, wanted.value ->> 1, wanted.value ->> 2
FROM json_each(:targets) AS wanted CROSS JOIN schedules s ON s.id = wanted.value ->> 0
WHERE TRUE
ON CONFLICT DO NOTHING;
