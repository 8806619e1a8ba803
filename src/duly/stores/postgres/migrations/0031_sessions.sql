-- Whose session it is that a caller names: found by its id, without reading every run.

CREATE INDEX run_targets_by_session ON run_targets (session_id, run_id) WHERE session_id IS NOT NULL;
CREATE INDEX schedule_targets_by_session ON schedule_targets (session_id) WHERE session_id IS NOT NULL;
