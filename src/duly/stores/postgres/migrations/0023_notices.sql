-- Messages that tell people and programs how runs ended, and what has become of each.
CREATE TABLE notices (
    id           TEXT COLLATE "C" PRIMARY KEY,
    kind         TEXT NOT NULL,            -- answer, failure, recovery
    schedule_id  TEXT COLLATE "C" NOT NULL,
    run_id       TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    recipient    TEXT COLLATE "C" NOT NULL,
    user_id      TEXT,
    channel      TEXT,
    address      TEXT,
    priority     TEXT NOT NULL,
    only_changes BOOLEAN NOT NULL,
    status       TEXT NOT NULL,
    is_open      BOOLEAN NOT NULL,         -- a failure from which the schedule has not recovered
    message      TEXT COLLATE "C",         -- the notice that gives the message its name
    due_at       TIMESTAMPTZ,
    rounds       BIGINT NOT NULL,
    version      BIGINT NOT NULL,
    digest       TEXT,
    error        TEXT,
    told_at      TIMESTAMPTZ,
    created_at   TIMESTAMPTZ NOT NULL
);

CREATE UNIQUE INDEX notices_open ON notices (schedule_id, recipient) WHERE is_open = TRUE;
CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notices_message ON notices (message) WHERE message IS NOT NULL AND due_at IS NOT NULL;
CREATE INDEX notices_recipient ON notices (recipient, due_at) WHERE due_at IS NOT NULL AND message IS NULL;
CREATE INDEX notices_schedule ON notices (schedule_id, recipient, created_at);
CREATE INDEX notices_run ON notices (run_id);
