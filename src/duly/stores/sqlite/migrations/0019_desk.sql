-- What faces keep for people: steps that can be undone, items of the attention box that were seen, and the answers to
-- requests that carried a key. And the indexes of the questions that screens ask.
CREATE TABLE undos (
    token      TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    kind       TEXT NOT NULL,
    sentence   TEXT NOT NULL,
    data       TEXT NOT NULL,
    made_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX undos_owner ON undos (owner, made_at);
CREATE INDEX undos_expiry ON undos (expires_at);

CREATE TABLE seen_items (
    item TEXT NOT NULL,
    mark TEXT NOT NULL,
    by   TEXT NOT NULL,
    at   INTEGER NOT NULL,
    PRIMARY KEY (item, mark)
) STRICT, WITHOUT ROWID;

CREATE INDEX seen_items_at ON seen_items (at);

CREATE TABLE kept_answers (
    owner       TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    result      TEXT,
    at          INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX kept_answers_at ON kept_answers (at);

CREATE INDEX reminders_unacked ON reminders (updated_at) WHERE status = 'unacked';
CREATE INDEX reminder_acks_user ON reminder_acks (user_id, responded_at);
CREATE INDEX delivery_attempts_at ON delivery_attempts (created_at);
CREATE INDEX events_by_name ON events (name, at);
