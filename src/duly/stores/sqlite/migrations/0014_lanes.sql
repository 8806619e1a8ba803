-- Owners share the places of an engine: a run of a person's or a project's schedule waits in that owner's lane.

-- Who last changed what the schedule runs: the id of a token, or 'local'. NULL while it runs what its creator made.
ALTER TABLE schedules ADD COLUMN changed_by TEXT;

-- The namespace of a person or a project; '' for all others, which share one lane.
ALTER TABLE runs ADD COLUMN lane TEXT NOT NULL DEFAULT '';
UPDATE runs SET lane = s.namespace
FROM schedules s
WHERE s.id = runs.schedule_id AND runs.finished_at IS NULL
  AND (substr(s.namespace, 1, 5) = 'user:' OR substr(s.namespace, 1, 8) = 'project:');

-- Lane by lane, the longest due first; and those of all owners by time.
DROP INDEX runs_pending;
CREATE INDEX runs_pending ON runs (handler, lane, due_at) WHERE status = 'pending';
CREATE INDEX runs_of_owners ON runs (handler, due_at, lane) WHERE status = 'pending' AND lane <> '';
