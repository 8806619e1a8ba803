-- The times by which things were decided: one that is still to come shows that a wall clock was wrong. One row.

CREATE TABLE clock (
    id                  INTEGER PRIMARY KEY CHECK (id = 1),
    decided_until       INTEGER NOT NULL,       -- the latest time at which anything was decided
    correcting          INTEGER,                -- what that was when the correction under way began
    ahead_until         INTEGER,                -- up to here there may be runs of fires whose time is still to come
    schedules           INTEGER NOT NULL DEFAULT 0,  -- how many the correction under way has moved so far
    runs                INTEGER NOT NULL DEFAULT 0,
    corrected_at        INTEGER,                -- the last correction, and what it came to
    ahead_seconds       REAL,
    corrected_schedules INTEGER,
    corrected_runs      INTEGER
) STRICT;

-- A store that a wrong clock has silenced before is corrected by the first turn under this version.
INSERT INTO clock (id, decided_until)
SELECT 1, max(at) FROM (SELECT updated_at AS at FROM schedules UNION ALL SELECT last_run_at FROM schedules) AS decided
HAVING max(at) IS NOT NULL;
