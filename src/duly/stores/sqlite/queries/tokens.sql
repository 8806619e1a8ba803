-- name: add_token
-- A new token; one whose id or hash is there already is left as it is.
INSERT INTO tokens (id, name, hash, scope, created_at, last_used_at, revoked_at)
VALUES (:id, :name, :hash, :scope, :created_at, :last_used_at, :revoked_at)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: get_token
-- One token.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at FROM tokens WHERE id = :id;

-- name: get_tokens
-- Some tokens.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at FROM tokens
WHERE id IN (SELECT value FROM json_each(:ids));

-- name: token_by_hash
-- The token somebody showed.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at FROM tokens WHERE hash = :hash;

-- name: list_tokens
-- Every token, the oldest first.
SELECT id, name, hash, scope, created_at, last_used_at, revoked_at FROM tokens ORDER BY created_at, id;

-- name: revoke_token
-- Let a token count no longer; the first time stays.
UPDATE tokens SET revoked_at = coalesce(revoked_at, :now) WHERE id = :id
RETURNING id, name, hash, scope, created_at, last_used_at, revoked_at;

-- name: note_token_use
-- When a token was shown last.
UPDATE tokens SET last_used_at = :now WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :now) RETURNING id;
