-- name: add_token
-- Add a token; one whose id or hash exists already is left unchanged.
INSERT INTO tokens (id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until)
VALUES (:id, :name, :hash, :scope, :created_at, :last_used_at, :revoked_at,
        :grants, :expires_at, :old_hash, :old_until)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: get_token
-- Read one token.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens WHERE id = :id;

-- name: get_tokens
-- Read some tokens.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens WHERE id = ANY(:ids);

-- name: token_by_hash
-- Find a token by the hash of its secret, or of the secret it had before.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens WHERE hash = :hash OR old_hash = :hash;

-- name: list_tokens
-- Read all tokens, oldest first.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens ORDER BY created_at, id;

-- name: replace_token
-- Write everything of a token except its id and the time it was made.
UPDATE tokens
SET name = :name, hash = :hash, scope = :scope, last_used_at = :last_used_at,
    revoked_at = :revoked_at, grants = :grants, expires_at = :expires_at, old_hash = :old_hash,
    old_until = :old_until
WHERE id = :id;

-- name: page_of_tokens
-- Read some tokens in order of ids, which is the order of their making, beginning after an id.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens
WHERE :after::text IS NULL OR id > :after::text
ORDER BY id
LIMIT :limit;

-- name: revoke_token
-- Revoke a token; a token revoked before keeps its first time.
UPDATE tokens SET revoked_at = coalesce(revoked_at, :now) WHERE id = :id
RETURNING id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until;

-- name: revoke_tokens_of
-- Revoke the tokens of a person.
UPDATE tokens SET revoked_at = :now
WHERE revoked_at IS NULL AND scope IN ('user:' || :id, 'user:' || :id || ':ro')
RETURNING id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until;

-- name: note_token_use
-- Record when a token was used last.
UPDATE tokens SET last_used_at = :now WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :now) RETURNING id;
