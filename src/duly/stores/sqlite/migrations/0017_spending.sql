-- What runs are promised of budgets per day, and which runs count for the quotas of persons and projects. A promise
-- holds while its run is under way with the same fence.
CREATE TABLE spending (
    run_id      TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    schedule_id TEXT NOT NULL,
    owner       TEXT,
    at          INTEGER NOT NULL,
    promised    REAL NOT NULL,
    fence       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spending_schedule ON spending (schedule_id, at);
CREATE INDEX spending_owner ON spending (owner, at) WHERE owner IS NOT NULL;
