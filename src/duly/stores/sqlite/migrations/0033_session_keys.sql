-- Whose session it is that a caller names: found whichever way the session is written.

DROP INDEX run_targets_by_session;
DROP INDEX schedule_targets_by_session;
CREATE INDEX run_targets_by_session ON run_targets ((replace(replace(lower(session_id), 'urn:uuid:', ''), '-', '')), run_id) WHERE session_id IS NOT NULL;
CREATE INDEX schedule_targets_by_session ON schedule_targets ((replace(replace(lower(session_id), 'urn:uuid:', ''), '-', ''))) WHERE session_id IS NOT NULL;
