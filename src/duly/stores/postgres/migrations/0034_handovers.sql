-- Attempts of runs that executors carry out elsewhere. Each row says itself how long it may take.
CREATE TABLE handovers (
    run_id        TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number        BIGINT NOT NULL,
    schedule_id   TEXT COLLATE "C" NOT NULL,
    executor      TEXT COLLATE "C" NOT NULL,
    task          TEXT NOT NULL,
    queue         TEXT,
    state         TEXT NOT NULL,
    token_hash    TEXT NOT NULL,
    reports       BOOLEAN NOT NULL,
    lease_seconds DOUBLE PRECISION NOT NULL,
    run_seconds   DOUBLE PRECISION,
    intended_at   TIMESTAMPTZ NOT NULL,
    sent_at       TIMESTAMPTZ,
    sent          BIGINT NOT NULL,
    begin_by      TIMESTAMPTZ,
    tell_at       TIMESTAMPTZ,
    begun_at      TIMESTAMPTZ,
    heard_at      TIMESTAMPTZ,
    ended_at      TIMESTAMPTZ,
    ended_fence   BIGINT,
    worker        TEXT,
    start         TEXT,
    cancel_asked  BOOLEAN NOT NULL,
    result        TEXT,
    error         TEXT,
    PRIMARY KEY (run_id, number)
);

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
CREATE FUNCTION ask_for_end() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE handovers SET cancel_asked = TRUE
    WHERE run_id = NEW.id AND state IN ('intended', 'handed_over', 'begun');
    RETURN NULL;
END
$$;

CREATE TRIGGER runs_over AFTER UPDATE OF finished_at ON runs FOR EACH ROW
WHEN (NEW.finished_at IS NOT NULL AND (NEW.handler LIKE 'executor:%' OR NEW.handler LIKE 'prompt:%')) EXECUTE FUNCTION ask_for_end();
