-- A reminder may be for several people: each has their own record of the run.
CREATE TABLE reminders_of_people (
    run_id        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    schedule_id   TEXT NOT NULL,
    user_id       TEXT NOT NULL,
    run_number    INTEGER NOT NULL,
    token         TEXT NOT NULL UNIQUE,
    status        TEXT NOT NULL,
    rounds        INTEGER NOT NULL DEFAULT 0,
    nags          INTEGER NOT NULL DEFAULT 0,
    escalated     INTEGER NOT NULL DEFAULT 0,
    channel       TEXT,
    last_sent_at  INTEGER,
    wake_at       INTEGER,
    version       INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    silent_since  INTEGER,
    silence_told  INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    PRIMARY KEY (run_id, user_id)
) STRICT, WITHOUT ROWID;

INSERT INTO reminders_of_people
SELECT run_id, schedule_id, user_id, run_number, token, status, rounds, nags, escalated, channel, last_sent_at, wake_at,
       version, created_at, updated_at, silent_since, silence_told, failing_since
FROM reminders;

DROP TABLE reminders;
ALTER TABLE reminders_of_people RENAME TO reminders;

CREATE INDEX reminders_user ON reminders (user_id, status);
CREATE INDEX reminders_reached ON reminders (user_id, last_sent_at);
CREATE INDEX reminders_schedule ON reminders (schedule_id, run_number);
CREATE INDEX reminders_open ON reminders (run_id) WHERE status IN ('sending', 'awaiting_ack', 'snoozed');
CREATE INDEX reminders_unacked ON reminders (updated_at) WHERE status = 'unacked';
