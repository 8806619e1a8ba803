-- What is kept beside a run: the attempts that failed or were lost, and what was printed meanwhile. A run that succeeds
-- at its first attempt and prints nothing has no rows here.
CREATE TABLE attempts (
    run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    fence      INTEGER NOT NULL,
    attempt    INTEGER NOT NULL,
    status     TEXT NOT NULL,
    started_at INTEGER,
    ended_at   INTEGER NOT NULL,
    node_id    TEXT,
    error      TEXT,
    PRIMARY KEY (run_id, fence)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_outputs (
    run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt    INTEGER NOT NULL,
    target     TEXT NOT NULL,
    total      INTEGER NOT NULL,
    lines      INTEGER NOT NULL,
    complete   INTEGER NOT NULL,
    kept_limit INTEGER NOT NULL,
    PRIMARY KEY (run_id, attempt, target)
) STRICT, WITHOUT ROWID;

-- Whole lines of an output; the pieces in the middle of a long one are dropped.
CREATE TABLE output_pieces (
    run_id  TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    target  TEXT NOT NULL,
    start   INTEGER NOT NULL,
    size    INTEGER NOT NULL,
    text    TEXT NOT NULL,
    PRIMARY KEY (run_id, attempt, target, start)
) STRICT;

-- What was sent to the agent: prompt, words of the gate, spawner, program, model and folder, as JSON.
ALTER TABLE run_targets ADD COLUMN sent TEXT;
