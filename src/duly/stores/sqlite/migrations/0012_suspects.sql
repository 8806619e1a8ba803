-- Runs that wait to be begun again after their process died: few, and cleared together when the cause is found.

CREATE INDEX runs_suspect ON runs (id) WHERE status = 'pending' AND lost > 0;
