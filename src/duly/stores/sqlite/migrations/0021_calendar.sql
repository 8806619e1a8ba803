-- Secret links to calendar feeds; `token_id` is the token that made one, null is the local user.
CREATE TABLE calendar_links (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    token_id     TEXT,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER
) STRICT, WITHOUT ROWID;
