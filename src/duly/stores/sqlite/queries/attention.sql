-- name: disowned
-- List schedules that fire although the token that created or last changed them was revoked or has expired. Cross
-- joins make SQLite go from the few tokens that ended to their schedules; otherwise it reads every schedule.
SELECT s.id, ended.id, FALSE, ended.revoked_at, ended.expires_at
FROM tokens ended CROSS JOIN schedules s
WHERE s.created_by = ended.id AND (ended.revoked_at IS NOT NULL OR ended.expires_at <= :now)
  AND s.enabled = TRUE AND s.deleted_at IS NULL
UNION ALL
SELECT s.id, ended.id, TRUE, ended.revoked_at, ended.expires_at
FROM tokens ended CROSS JOIN schedules s
WHERE s.changed_by = ended.id AND (ended.revoked_at IS NOT NULL OR ended.expires_at <= :now)
  AND s.enabled = TRUE AND s.deleted_at IS NULL
LIMIT :limit;
