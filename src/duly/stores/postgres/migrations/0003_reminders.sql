-- People and the reminders they get. A reminder is a run of a message, with what has become of it so far.

DROP TABLE delivery_attempts;
DROP TABLE reminder_acks;

CREATE TABLE reminders (
    run_id       TEXT COLLATE "C" PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    schedule_id  TEXT COLLATE "C" NOT NULL,
    user_id      TEXT COLLATE "C" NOT NULL,
    run_number   BIGINT NOT NULL,
    token        TEXT COLLATE "C" NOT NULL UNIQUE,   -- what a button carries: short, random, worth nothing to others
    status       TEXT NOT NULL,
    rounds       BIGINT NOT NULL DEFAULT 0,
    nags         BIGINT NOT NULL DEFAULT 0,
    escalated    BOOLEAN NOT NULL DEFAULT FALSE,
    channel      TEXT COLLATE "C",                   -- where it arrived last
    last_sent_at TIMESTAMPTZ,
    wake_at      TIMESTAMPTZ,                -- when the next step is due
    version      BIGINT NOT NULL DEFAULT 0,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL
);

CREATE INDEX reminders_user ON reminders (user_id, status);
CREATE INDEX reminders_reached ON reminders (user_id, last_sent_at);
CREATE INDEX reminders_schedule ON reminders (schedule_id, run_number);

CREATE TABLE delivery_attempts (
    id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id         TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    job_id         TEXT COLLATE "C" NOT NULL,
    run_number     BIGINT NOT NULL,
    attempt_number BIGINT NOT NULL,
    user_id        TEXT COLLATE "C" NOT NULL,
    channel        TEXT COLLATE "C" NOT NULL,
    address        TEXT NOT NULL,
    kind           TEXT NOT NULL,        -- reminder, ack_prompt, copy, escalation
    status         TEXT NOT NULL,
    error_message  TEXT,
    permanent      BOOLEAN NOT NULL DEFAULT FALSE,
    retry_at       TIMESTAMPTZ,
    message_id     TEXT COLLATE "C",
    created_at     TIMESTAMPTZ NOT NULL,
    sent_at        TIMESTAMPTZ,
    delivered_at   TIMESTAMPTZ,
    acked_at       TIMESTAMPTZ,
    UNIQUE (run_id, attempt_number)
);

CREATE INDEX delivery_attempts_message ON delivery_attempts (channel, message_id) WHERE message_id IS NOT NULL;

CREATE TABLE reminder_acks (
    id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id         TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    job_id         TEXT COLLATE "C" NOT NULL,
    user_id        TEXT COLLATE "C" NOT NULL,
    run_number     BIGINT NOT NULL,
    response       TEXT NOT NULL,
    snooze_minutes BIGINT,
    snooze_until   TIMESTAMPTZ,
    channel        TEXT COLLATE "C",
    message_id     TEXT COLLATE "C",
    response_text  TEXT,
    responded_at   TIMESTAMPTZ NOT NULL
);

CREATE INDEX reminder_acks_run ON reminder_acks (run_id);

CREATE TABLE inbox (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL,
    run_id     TEXT COLLATE "C",
    key        TEXT COLLATE "C" NOT NULL UNIQUE,
    text       TEXT NOT NULL,
    token      TEXT COLLATE "C",
    created_at TIMESTAMPTZ NOT NULL,
    read_at    TIMESTAMPTZ
);

CREATE INDEX inbox_user ON inbox (user_id, id);

CREATE TABLE pairing_codes (
    hash       TEXT COLLATE "C" PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    channel    TEXT COLLATE "C" NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);

CREATE UNIQUE INDEX user_channels_address ON user_channels (channel, address);

-- Messages that came in: each is acted upon once, however often it is sent.
CREATE TABLE inbound_seen (
    channel    TEXT COLLATE "C" NOT NULL,
    message_id TEXT COLLATE "C" NOT NULL,
    at         TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (channel, message_id)
);

-- How far something was read: the offset of a chat's updates, for one.
CREATE TABLE cursors (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value TEXT NOT NULL
);
