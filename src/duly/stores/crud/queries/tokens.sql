-- name: add_token
-- A new token; one whose id or hash is there already is left as it is.
INSERT INTO tokens (id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until)
VALUES (:id, :name, :hash, :scope, :created_at, :last_used_at, :revoked_at,
        :grants, :expires_at, :old_hash, :old_until)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: get_token
-- One token.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens WHERE id = :id;

-- name: get_tokens
-- Some tokens.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens WHERE id = ANY(:ids);

-- name: token_by_hash
-- The token that somebody showed: by its secret, or by the one it had before.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens WHERE hash = :hash OR old_hash = :hash;

-- name: list_tokens
-- Every token, the oldest first.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens ORDER BY created_at, id;

-- name: replace_token
-- Everything about a token but its id and its beginning.
UPDATE tokens
SET name = :name, hash = :hash, scope = :scope, last_used_at = :last_used_at,
    revoked_at = :revoked_at, grants = :grants, expires_at = :expires_at, old_hash = :old_hash,
    old_until = :old_until
WHERE id = :id;

-- name: page_of_tokens
-- Some tokens in order of ids, which is that of their making, after one of them.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until
FROM tokens
WHERE :after::text IS NULL OR id > :after::text
ORDER BY id
LIMIT :limit;

-- name: revoke_token
-- Let a token count no longer; the first time stays.
UPDATE tokens SET revoked_at = coalesce(revoked_at, :now) WHERE id = :id
RETURNING id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until;

-- name: revoke_tokens_of
-- Let the tokens of a person count no longer.
UPDATE tokens SET revoked_at = :now
WHERE revoked_at IS NULL AND scope IN ('user:' || :id, 'user:' || :id || ':ro')
RETURNING id, name, hash, scope, created_at, last_used_at, revoked_at, grants, expires_at, old_hash, old_until;

-- name: note_token_use
-- When a token was shown last.
UPDATE tokens SET last_used_at = :now WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :now) RETURNING id;
