-- What is kept beside a run: the attempts that failed or were lost, and what was printed meanwhile. A run that succeeds
-- at its first attempt and prints nothing has no rows here.
CREATE TABLE attempts (
    run_id     TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    fence      BIGINT NOT NULL,
    attempt    BIGINT NOT NULL,
    status     TEXT NOT NULL,
    started_at TIMESTAMPTZ,
    ended_at   TIMESTAMPTZ NOT NULL,
    node_id    TEXT COLLATE "C",
    error      TEXT,
    PRIMARY KEY (run_id, fence)
);

CREATE TABLE run_outputs (
    run_id     TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt    BIGINT NOT NULL,
    target     TEXT COLLATE "C" NOT NULL,
    total      BIGINT NOT NULL,
    lines      BIGINT NOT NULL,
    complete   BOOLEAN NOT NULL,
    kept_limit BIGINT NOT NULL,
    PRIMARY KEY (run_id, attempt, target)
);

-- Whole lines of an output; the pieces in the middle of a long one are dropped.
CREATE TABLE output_pieces (
    run_id  TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt BIGINT NOT NULL,
    target  TEXT COLLATE "C" NOT NULL,
    start   BIGINT NOT NULL,
    size    BIGINT NOT NULL,
    text    TEXT NOT NULL,
    PRIMARY KEY (run_id, attempt, target, start)
);

-- What was sent to the agent: prompt, words of the gate, spawner, program, model and folder, as JSON.
ALTER TABLE run_targets ADD COLUMN sent TEXT;
