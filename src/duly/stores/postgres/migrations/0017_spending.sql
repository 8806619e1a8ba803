-- What runs are promised of budgets per day, and which runs count for the quotas of persons and projects. A promise
-- holds while its run is under way with the same fence.
CREATE TABLE spending (
    run_id      TEXT COLLATE "C" PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    schedule_id TEXT COLLATE "C" NOT NULL,
    owner       TEXT COLLATE "C",
    at          TIMESTAMPTZ NOT NULL,
    promised    DOUBLE PRECISION NOT NULL,
    fence       BIGINT NOT NULL
);

CREATE INDEX spending_schedule ON spending (schedule_id, at);
CREATE INDEX spending_owner ON spending (owner, at) WHERE owner IS NOT NULL;
