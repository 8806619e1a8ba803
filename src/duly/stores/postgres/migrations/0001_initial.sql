-- Triggers, actions, policies and results are text that is kept byte for byte. Names and ids sort by code point, as in
-- Python, whatever the language of the database. A NULL next_run_at means "will not fire".

CREATE TABLE schedules (
    id                   TEXT COLLATE "C" PRIMARY KEY,
    namespace            TEXT COLLATE "C" NOT NULL,
    name                 TEXT COLLATE "C" NOT NULL,
    trigger              TEXT NOT NULL,
    action               TEXT NOT NULL,
    policy               TEXT NOT NULL,
    handler              TEXT COLLATE "C" NOT NULL,
    description          TEXT,
    source               TEXT NOT NULL DEFAULT 'db',
    created_by           TEXT,
    max_runs             BIGINT,
    start_at             TIMESTAMPTZ,
    end_at               TIMESTAMPTZ,
    until_at             TIMESTAMPTZ,
    timezone             TEXT,
    display_title        TEXT,
    calendar_event_id    TEXT,
    enabled              BOOLEAN NOT NULL DEFAULT TRUE,
    next_fire_at         TIMESTAMPTZ,
    next_run_at          TIMESTAMPTZ,
    watermark            TIMESTAMPTZ,
    fires                BIGINT NOT NULL DEFAULT 0,
    version              BIGINT NOT NULL DEFAULT 1,
    last_run_at          TIMESTAMPTZ,
    last_status          TEXT,
    last_result          TEXT,
    consecutive_failures BIGINT NOT NULL DEFAULT 0,
    total_runs           BIGINT NOT NULL DEFAULT 0,
    quarantine           TEXT,
    created_at           TIMESTAMPTZ NOT NULL,
    updated_at           TIMESTAMPTZ NOT NULL,
    deleted_at           TIMESTAMPTZ,
    disabled_by          TEXT
) WITH (fillfactor = 70);  -- every run updates its schedule twice: room on the page keeps the indexes out of it

CREATE UNIQUE INDEX schedules_name ON schedules (namespace, name) WHERE deleted_at IS NULL;
CREATE INDEX schedules_due ON schedules (next_run_at, id) WHERE next_run_at IS NOT NULL;
CREATE INDEX schedules_deleted ON schedules (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE schedule_targets (
    schedule_id  TEXT COLLATE "C" NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    project_id   TEXT COLLATE "C" NOT NULL,
    workspace_id TEXT COLLATE "C" NOT NULL DEFAULT '',
    session_id   TEXT,
    PRIMARY KEY (schedule_id, project_id, workspace_id)
);

CREATE INDEX schedule_targets_project ON schedule_targets (project_id);

-- No foreign key to schedules: checking it costs a sixth of the whole path of a fire, and runs are recorded under a lock
-- on their schedule anyway. What a foreign key would do when a schedule goes is done by a trigger below.
CREATE TABLE runs (
    id               TEXT COLLATE "C" PRIMARY KEY,
    schedule_id      TEXT COLLATE "C" NOT NULL,
    origin           TEXT COLLATE "C" NOT NULL,
    fire_at          TIMESTAMPTZ NOT NULL,
    due_at           TIMESTAMPTZ NOT NULL,
    handler          TEXT COLLATE "C" NOT NULL,
    status           TEXT COLLATE "C" NOT NULL,
    in_line          BOOLEAN NOT NULL DEFAULT FALSE,
    attempt          BIGINT NOT NULL DEFAULT 0,
    fence            BIGINT NOT NULL DEFAULT 0,
    owner            TEXT COLLATE "C",
    started_at       TIMESTAMPTZ,
    finished_at      TIMESTAMPTZ,
    result           TEXT,
    error            TEXT,
    reason           TEXT,
    skipped          BIGINT NOT NULL DEFAULT 0,
    first_skipped_at TIMESTAMPTZ,
    progress         TEXT,
    cancel_requested BOOLEAN NOT NULL DEFAULT FALSE
);

-- The idempotency key of a fire; in this order it also answers "the history of one schedule".
CREATE UNIQUE INDEX runs_fire ON runs (schedule_id, fire_at, origin);
CREATE INDEX runs_active ON runs (schedule_id, status) WHERE finished_at IS NULL;
CREATE INDEX runs_pending ON runs (handler, due_at, id) WHERE status = 'pending';
CREATE INDEX runs_owned ON runs (owner) WHERE owner IS NOT NULL;

CREATE FUNCTION forget_runs() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM runs USING gone WHERE runs.schedule_id = gone.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER schedules_forgotten AFTER DELETE ON schedules
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_runs();

CREATE TABLE run_targets (
    run_id       TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    project_id   TEXT COLLATE "C" NOT NULL,
    workspace_id TEXT COLLATE "C" NOT NULL DEFAULT '',
    status       TEXT NOT NULL,
    session_id   TEXT,
    result       TEXT,
    error        TEXT,
    started_at   TIMESTAMPTZ,
    finished_at  TIMESTAMPTZ,
    PRIMARY KEY (run_id, project_id, workspace_id)
);

CREATE TABLE users (
    id         TEXT COLLATE "C" PRIMARY KEY,
    name       TEXT COLLATE "C" NOT NULL UNIQUE,
    timezone   TEXT,
    language   TEXT,
    is_admin   BOOLEAN NOT NULL DEFAULT FALSE,
    quiet_from TEXT,
    quiet_to   TEXT,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE user_channels (
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    channel    TEXT COLLATE "C" NOT NULL,
    address    TEXT COLLATE "C" NOT NULL,
    preference BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, channel, address)
);

CREATE TABLE delivery_attempts (
    id             TEXT COLLATE "C" PRIMARY KEY,
    run_id         TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    user_id        TEXT COLLATE "C" NOT NULL,
    channel        TEXT NOT NULL,
    attempt_number BIGINT NOT NULL,
    status         TEXT NOT NULL,
    provider_id    TEXT,
    error          TEXT,
    created_at     TIMESTAMPTZ NOT NULL,
    updated_at     TIMESTAMPTZ NOT NULL,
    UNIQUE (run_id, attempt_number)
);

CREATE TABLE reminder_acks (
    id            TEXT COLLATE "C" PRIMARY KEY,
    run_id        TEXT COLLATE "C" NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    user_id       TEXT COLLATE "C" NOT NULL,
    response      TEXT NOT NULL,
    snooze_until  TIMESTAMPTZ,
    channel       TEXT,
    text          TEXT,
    responded_at  TIMESTAMPTZ NOT NULL
);

CREATE INDEX reminder_acks_run ON reminder_acks (run_id);

CREATE TABLE tokens (
    id           TEXT COLLATE "C" PRIMARY KEY,
    name         TEXT NOT NULL,
    hash         TEXT COLLATE "C" NOT NULL UNIQUE,
    scope        TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ,
    revoked_at   TIMESTAMPTZ
);

-- beat_at is the server's time: the clocks of the nodes have no say in whether one of them is alive.
CREATE TABLE nodes (
    id            TEXT COLLATE "C" PRIMARY KEY,
    host          TEXT NOT NULL,
    pid           BIGINT NOT NULL,
    pid_started   TEXT NOT NULL,
    boot_id       TEXT NOT NULL,
    lease_seconds DOUBLE PRECISION NOT NULL,
    beat_at       TIMESTAMPTZ NOT NULL,
    handlers      TEXT[] NOT NULL,
    state         TEXT NOT NULL DEFAULT 'alive',
    started_at    TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE events (
    seq         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          TIMESTAMPTZ NOT NULL,
    name        TEXT NOT NULL,
    schedule_id TEXT COLLATE "C",
    run_id      TEXT COLLATE "C",
    node_id     TEXT COLLATE "C",
    data        TEXT NOT NULL
);
