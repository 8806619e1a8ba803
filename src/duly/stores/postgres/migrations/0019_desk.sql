-- What faces keep for people: steps that can be undone, items of the attention box that were seen, and the answers to
-- requests that carried a key. And the indexes of the questions that screens ask.
CREATE TABLE undos (
    token      TEXT COLLATE "C" PRIMARY KEY,
    owner      TEXT COLLATE "C" NOT NULL,
    kind       TEXT NOT NULL,
    sentence   TEXT NOT NULL,
    data       TEXT NOT NULL,
    made_at    TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    used_at    TIMESTAMPTZ
);

CREATE INDEX undos_owner ON undos (owner, made_at);
CREATE INDEX undos_expiry ON undos (expires_at);

CREATE TABLE seen_items (
    item TEXT COLLATE "C" NOT NULL,
    mark TEXT COLLATE "C" NOT NULL,
    by   TEXT NOT NULL,
    at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (item, mark)
);

CREATE INDEX seen_items_at ON seen_items (at);

CREATE TABLE kept_answers (
    owner       TEXT COLLATE "C" NOT NULL,
    key         TEXT COLLATE "C" NOT NULL,
    fingerprint TEXT NOT NULL,
    result      TEXT,
    at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (owner, key)
);

CREATE INDEX kept_answers_at ON kept_answers (at);

CREATE INDEX reminders_unacked ON reminders (updated_at) WHERE status = 'unacked';
CREATE INDEX reminder_acks_user ON reminder_acks (user_id, responded_at);
CREATE INDEX delivery_attempts_at ON delivery_attempts (created_at);
CREATE INDEX events_by_name ON events (name, at);
