-- name: disowned
-- List schedules that fire although the token that created or last changed them was revoked or has expired: from the few
-- tokens that ended to their schedules. The index has the language of the database, ids of tokens have none.
SELECT s.id, ended.id, FALSE, ended.revoked_at, ended.expires_at
FROM tokens ended
CROSS JOIN LATERAL (
    SELECT id FROM schedules
    WHERE created_by = ended.id COLLATE "default" AND enabled AND deleted_at IS NULL
    LIMIT %(limit)s
) AS s
WHERE ended.revoked_at IS NOT NULL OR ended.expires_at <= %(now)s
UNION ALL
SELECT s.id, ended.id, TRUE, ended.revoked_at, ended.expires_at
FROM tokens ended
CROSS JOIN LATERAL (
    SELECT id FROM schedules
    WHERE changed_by = ended.id COLLATE "default" AND enabled AND deleted_at IS NULL
    LIMIT %(limit)s
) AS s
WHERE ended.revoked_at IS NOT NULL OR ended.expires_at <= %(now)s
LIMIT %(limit)s;
