-- Times are whole microseconds since 1970 in UTC. JSON is text. A NULL next_run_at means "will not fire".

CREATE TABLE schedules (
    id                   TEXT PRIMARY KEY,
    namespace            TEXT NOT NULL,
    name                 TEXT NOT NULL,
    trigger              TEXT NOT NULL,
    action               TEXT NOT NULL,
    policy               TEXT NOT NULL,
    handler              TEXT NOT NULL,
    description          TEXT,
    source               TEXT NOT NULL DEFAULT 'db',
    created_by           TEXT,
    max_runs             INTEGER,
    start_at             INTEGER,
    end_at               INTEGER,
    until_at             INTEGER,
    timezone             TEXT,
    display_title        TEXT,
    calendar_event_id    TEXT,
    enabled              INTEGER NOT NULL DEFAULT 1,
    next_fire_at         INTEGER,
    next_run_at          INTEGER,
    watermark            INTEGER,
    fires                INTEGER NOT NULL DEFAULT 0,
    version              INTEGER NOT NULL DEFAULT 1,
    last_run_at          INTEGER,
    last_status          TEXT,
    last_result          TEXT,
    consecutive_failures INTEGER NOT NULL DEFAULT 0,
    total_runs           INTEGER NOT NULL DEFAULT 0,
    quarantine           TEXT,
    created_at           INTEGER NOT NULL,
    updated_at           INTEGER NOT NULL,
    deleted_at           INTEGER,
    disabled_by          TEXT
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX schedules_name ON schedules (namespace, name) WHERE deleted_at IS NULL;
CREATE INDEX schedules_due ON schedules (next_run_at) WHERE next_run_at IS NOT NULL;

CREATE TABLE schedule_targets (
    schedule_id  TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    project_id   TEXT NOT NULL,
    workspace_id TEXT NOT NULL DEFAULT '',
    session_id   TEXT,
    PRIMARY KEY (schedule_id, project_id, workspace_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_targets_project ON schedule_targets (project_id);

CREATE TABLE runs (
    id               TEXT PRIMARY KEY,
    schedule_id      TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    origin           TEXT NOT NULL,
    fire_at          INTEGER NOT NULL,
    due_at           INTEGER NOT NULL,
    handler          TEXT NOT NULL,
    status           TEXT NOT NULL,
    in_line          INTEGER NOT NULL DEFAULT 0,
    attempt          INTEGER NOT NULL DEFAULT 0,
    fence            INTEGER NOT NULL DEFAULT 0,
    owner            TEXT,
    started_at       INTEGER,
    finished_at      INTEGER,
    result           TEXT,
    error            TEXT,
    reason           TEXT,
    skipped          INTEGER NOT NULL DEFAULT 0,
    first_skipped_at INTEGER,
    progress         TEXT,
    cancel_requested INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The idempotency key of a fire; in this order it also answers "the history of one schedule".
CREATE UNIQUE INDEX runs_fire ON runs (schedule_id, fire_at, origin);
-- Unfinished runs. Not by status: SQLite would build a list for `IN` at every write, four times the cost of the row.
CREATE INDEX runs_active ON runs (schedule_id) WHERE finished_at IS NULL;
CREATE INDEX runs_pending ON runs (handler, due_at) WHERE status = 'pending';
CREATE INDEX runs_owned ON runs (owner) WHERE owner IS NOT NULL;

CREATE TABLE run_targets (
    run_id       TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    project_id   TEXT NOT NULL,
    workspace_id TEXT NOT NULL DEFAULT '',
    status       TEXT NOT NULL,
    session_id   TEXT,
    result       TEXT,
    error        TEXT,
    started_at   INTEGER,
    finished_at  INTEGER,
    PRIMARY KEY (run_id, project_id, workspace_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    timezone   TEXT,
    language   TEXT,
    is_admin   INTEGER NOT NULL DEFAULT 0,
    quiet_from TEXT,
    quiet_to   TEXT,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE user_channels (
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    channel    TEXT NOT NULL,
    address    TEXT NOT NULL,
    preference INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, channel, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery_attempts (
    id             TEXT PRIMARY KEY,
    run_id         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    user_id        TEXT NOT NULL,
    channel        TEXT NOT NULL,
    attempt_number INTEGER NOT NULL,
    status         TEXT NOT NULL,
    provider_id    TEXT,
    error          TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (run_id, attempt_number)
) STRICT, WITHOUT ROWID;

CREATE TABLE reminder_acks (
    id            TEXT PRIMARY KEY,
    run_id        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    user_id       TEXT NOT NULL,
    response      TEXT NOT NULL,
    snooze_until  INTEGER,
    channel       TEXT,
    text          TEXT,
    responded_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX reminder_acks_run ON reminder_acks (run_id);

CREATE TABLE tokens (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    scope        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE nodes (
    id            TEXT PRIMARY KEY,
    host          TEXT NOT NULL,
    pid           INTEGER NOT NULL,
    pid_started   TEXT NOT NULL,
    boot_id       TEXT NOT NULL,
    lease_seconds REAL NOT NULL,
    beat_at       REAL NOT NULL,
    handlers      TEXT NOT NULL,
    state         TEXT NOT NULL DEFAULT 'alive',
    started_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    name        TEXT NOT NULL,
    schedule_id TEXT,
    run_id      TEXT,
    node_id     TEXT,
    data        TEXT NOT NULL
) STRICT;
