-- People and the reminders they get. A reminder is a run of a message, with what has become of it so far.

DROP TABLE delivery_attempts;
DROP TABLE reminder_acks;

CREATE TABLE reminders (
    run_id       TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    schedule_id  TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    run_number   INTEGER NOT NULL,
    token        TEXT NOT NULL UNIQUE,   -- what a button carries: short, random, worth nothing to others
    status       TEXT NOT NULL,
    rounds       INTEGER NOT NULL DEFAULT 0,
    nags         INTEGER NOT NULL DEFAULT 0,
    escalated    INTEGER NOT NULL DEFAULT 0,
    channel      TEXT,                   -- where it arrived last
    last_sent_at INTEGER,
    wake_at      INTEGER,                -- when the next step is due
    version      INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX reminders_user ON reminders (user_id, status);
CREATE INDEX reminders_reached ON reminders (user_id, last_sent_at);
CREATE INDEX reminders_schedule ON reminders (schedule_id, run_number);

CREATE TABLE delivery_attempts (
    id             INTEGER PRIMARY KEY,
    run_id         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    job_id         TEXT NOT NULL,
    run_number     INTEGER NOT NULL,
    attempt_number INTEGER NOT NULL,
    user_id        TEXT NOT NULL,
    channel        TEXT NOT NULL,
    address        TEXT NOT NULL,
    kind           TEXT NOT NULL,        -- reminder, ack_prompt, copy, escalation
    status         TEXT NOT NULL,
    error_message  TEXT,
    permanent      INTEGER NOT NULL DEFAULT 0,
    retry_at       INTEGER,
    message_id     TEXT,
    created_at     INTEGER NOT NULL,
    sent_at        INTEGER,
    delivered_at   INTEGER,
    acked_at       INTEGER,
    UNIQUE (run_id, attempt_number)
) STRICT;

CREATE INDEX delivery_attempts_message ON delivery_attempts (channel, message_id) WHERE message_id IS NOT NULL;

CREATE TABLE reminder_acks (
    id             INTEGER PRIMARY KEY,
    run_id         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    job_id         TEXT NOT NULL,
    user_id        TEXT NOT NULL,
    run_number     INTEGER NOT NULL,
    response       TEXT NOT NULL,
    snooze_minutes INTEGER,
    snooze_until   INTEGER,
    channel        TEXT,
    message_id     TEXT,
    response_text  TEXT,
    responded_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX reminder_acks_run ON reminder_acks (run_id);

CREATE TABLE inbox (
    id         INTEGER PRIMARY KEY,
    user_id    TEXT NOT NULL,
    run_id     TEXT,
    key        TEXT NOT NULL UNIQUE,
    text       TEXT NOT NULL,
    token      TEXT,
    created_at INTEGER NOT NULL,
    read_at    INTEGER
) STRICT;

CREATE INDEX inbox_user ON inbox (user_id, id);

CREATE TABLE pairing_codes (
    hash       TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    channel    TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX user_channels_address ON user_channels (channel, address);

-- Messages that came in: each is acted upon once, however often it is sent.
CREATE TABLE inbound_seen (
    channel    TEXT NOT NULL,
    message_id TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (channel, message_id)
) STRICT, WITHOUT ROWID;

-- How far something was read: the offset of a chat's updates, for one.
CREATE TABLE cursors (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
