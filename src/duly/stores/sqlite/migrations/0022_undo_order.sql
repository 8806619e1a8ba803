-- Steps of one instant are told apart by the order in which they were kept: a token is random within its millisecond.
DROP INDEX undos_owner;
DROP INDEX undos_expiry;
ALTER TABLE undos RENAME TO undos_without_order;

CREATE TABLE undos (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    token      TEXT NOT NULL UNIQUE,
    owner      TEXT NOT NULL,
    kind       TEXT NOT NULL,
    sentence   TEXT NOT NULL,
    data       TEXT NOT NULL,
    made_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER
) STRICT;

INSERT INTO undos (token, owner, kind, sentence, data, made_at, expires_at, used_at)
SELECT token, owner, kind, sentence, data, made_at, expires_at, used_at FROM undos_without_order
ORDER BY made_at, token;
DROP TABLE undos_without_order;

CREATE INDEX undos_owner ON undos (owner, made_at, seq);
CREATE INDEX undos_expiry ON undos (expires_at);
