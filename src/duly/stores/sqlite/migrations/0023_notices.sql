-- Messages that tell people and programs how runs ended, and what has become of each.
CREATE TABLE notices (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL,            -- answer, failure, recovery
    schedule_id  TEXT NOT NULL,
    run_id       TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    recipient    TEXT NOT NULL,
    user_id      TEXT,
    channel      TEXT,
    address      TEXT,
    priority     TEXT NOT NULL,
    only_changes INTEGER NOT NULL,
    status       TEXT NOT NULL,
    is_open      INTEGER NOT NULL,         -- a failure from which the schedule has not recovered
    message      TEXT,                     -- the notice that gives the message its name
    due_at       INTEGER,
    rounds       INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    digest       TEXT,
    error        TEXT,
    told_at      INTEGER,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX notices_open ON notices (schedule_id, recipient) WHERE is_open = TRUE;
CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notices_message ON notices (message) WHERE message IS NOT NULL AND due_at IS NOT NULL;
CREATE INDEX notices_recipient ON notices (recipient, due_at) WHERE due_at IS NOT NULL AND message IS NULL;
CREATE INDEX notices_schedule ON notices (schedule_id, recipient, created_at);
CREATE INDEX notices_run ON notices (run_id);
