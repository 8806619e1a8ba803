-- What a token may beyond its scope, until when it counts, and the secret it had before it was rotated.

ALTER TABLE tokens ADD COLUMN grants TEXT NOT NULL DEFAULT '[]';
ALTER TABLE tokens ADD COLUMN expires_at INTEGER;
ALTER TABLE tokens ADD COLUMN old_hash TEXT;
ALTER TABLE tokens ADD COLUMN old_until INTEGER;
CREATE UNIQUE INDEX tokens_old_hash ON tokens (old_hash) WHERE old_hash IS NOT NULL;

-- What a token made or last changed: it is told of when the token counts no longer, and can be taken over.
CREATE INDEX schedules_created_by ON schedules (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX schedules_changed_by ON schedules (changed_by) WHERE changed_by IS NOT NULL;

-- A token of a person goes by their id from now on, and so does what it scheduled. Until now it could be made for a
-- name, and reached whoever had that name. A schedule whose name is taken there gets the end of its id as well.
UPDATE schedules
SET namespace = 'user:' || u.id,
    name = CASE WHEN EXISTS (SELECT 1 FROM schedules taken
                             WHERE taken.namespace = 'user:' || u.id AND taken.name = schedules.name
                               AND taken.deleted_at IS NULL)
                THEN schedules.name || '-' || substr(schedules.id, -6) ELSE schedules.name END
FROM users u
WHERE schedules.namespace = 'user:' || u.name AND NOT EXISTS (SELECT 1 FROM users other WHERE other.id = u.name);

UPDATE tokens
SET scope = 'user:' || u.id || CASE WHEN scope LIKE '%:ro' THEN ':ro' ELSE '' END
FROM users u
WHERE scope IN ('user:' || u.name, 'user:' || u.name || ':ro')
  AND NOT EXISTS (SELECT 1 FROM users other WHERE other.id = u.name);

-- The person of this token was removed: the next one of that name is another.
UPDATE tokens SET revoked_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER)
WHERE revoked_at IS NULL AND scope LIKE 'user:%' AND scope NOT IN ('user:local', 'user:local:ro')
  AND NOT EXISTS (SELECT 1 FROM users u WHERE scope IN ('user:' || u.id, 'user:' || u.id || ':ro'));
