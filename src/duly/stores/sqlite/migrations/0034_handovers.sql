-- Attempts of runs that executors carry out elsewhere. Each row says itself how long it may take.
CREATE TABLE handovers (
    run_id        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number        INTEGER NOT NULL,
    schedule_id   TEXT NOT NULL,
    executor      TEXT NOT NULL,
    task          TEXT NOT NULL,
    queue         TEXT,
    state         TEXT NOT NULL,
    token_hash    TEXT NOT NULL,
    reports       INTEGER NOT NULL,
    lease_seconds REAL NOT NULL,
    run_seconds   REAL,
    intended_at   INTEGER NOT NULL,
    sent_at       INTEGER,
    sent          INTEGER NOT NULL,
    begin_by      INTEGER,
    tell_at       INTEGER,
    begun_at      INTEGER,
    heard_at      INTEGER,
    ended_at      INTEGER,
    ended_fence   INTEGER,
    worker        TEXT,
    start         TEXT,
    cancel_asked  INTEGER NOT NULL,
    result        TEXT,
    error         TEXT,
    PRIMARY KEY (run_id, number)
) STRICT;

-- Only open handovers are in an index beside the key. Those that wait for a worker may be very many: what there is to do
-- about them is found by its time. Those that have begun are as many as workers are busy; no index has their last sign of
-- life, so that a beat changes none.
CREATE INDEX handovers_unbegun ON handovers (executor, run_id, number) WHERE state IN ('intended', 'handed_over');
CREATE INDEX handovers_begun ON handovers (executor, run_id, number) WHERE state = 'begun';
CREATE INDEX handovers_begin_by ON handovers (executor, begin_by)
    WHERE begin_by IS NOT NULL AND state IN ('intended', 'handed_over');
CREATE INDEX handovers_to_tell ON handovers (executor, tell_at) WHERE tell_at IS NOT NULL AND state = 'handed_over';
CREATE INDEX handovers_over ON handovers (executor, run_id, number)
    WHERE cancel_asked = TRUE AND state IN ('intended', 'handed_over', 'begun');

-- Runs that an executor has, or whose last handover has an outcome with which no attempt of the run has failed yet: such a run
-- is under way although no engine owns it.
CREATE VIEW runs_elsewhere AS
SELECT run_id FROM handovers h
WHERE state IN ('intended', 'handed_over', 'begun')
   OR state <> 'cancelled' AND NOT EXISTS (
       SELECT 1 FROM attempts a WHERE a.run_id = h.run_id AND a.fence >= h.ended_fence AND a.status = 'failed'
   );

-- Whatever ends a run asks for the end of its handover, in the same transaction. So the watch finds such handovers without
-- comparing all that are open with their runs.
CREATE TRIGGER runs_over AFTER UPDATE OF finished_at ON runs
WHEN NEW.finished_at IS NOT NULL
 AND (NEW.handler >= 'executor:' AND NEW.handler < 'executor;' OR NEW.handler >= 'prompt:' AND NEW.handler < 'prompt;')
BEGIN
    UPDATE handovers SET cancel_asked = TRUE
    WHERE run_id = NEW.id AND state IN ('intended', 'handed_over', 'begun');
END;
