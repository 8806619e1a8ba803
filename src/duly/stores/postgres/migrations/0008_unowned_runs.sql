-- Runs under way that belong to no node. There should be none; the index is empty, and asking for them costs nothing.

CREATE INDEX runs_unowned ON runs (id) WHERE status = 'running' AND owner IS NULL;
