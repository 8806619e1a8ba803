-- name: put_calendar_link
-- Add a link to a calendar feed, or give the one of this id another secret.
INSERT INTO calendar_links (id, name, hash, token_id, created_at, last_used_at)
VALUES (:id, :name, :hash, :token_id, :created_at, :last_used_at)
ON CONFLICT (id) DO UPDATE
SET name = excluded.name, hash = excluded.hash, created_at = excluded.created_at, last_used_at = excluded.last_used_at
RETURNING id;

-- name: get_calendar_link
-- Read one link.
SELECT id, name, hash, token_id, created_at, last_used_at FROM calendar_links WHERE id = :id;

-- name: calendar_link_by_hash
-- Find a link by the hash of its secret.
SELECT id, name, hash, token_id, created_at, last_used_at FROM calendar_links WHERE hash = :hash;

-- name: list_calendar_links
-- Read all links, oldest first.
SELECT id, name, hash, token_id, created_at, last_used_at FROM calendar_links ORDER BY created_at, id;

-- name: remove_calendar_link
-- Remove a link.
DELETE FROM calendar_links WHERE id = :id RETURNING id;

-- name: note_calendar_use
-- Record when a link was used last.
UPDATE calendar_links SET last_used_at = :now WHERE id = :id RETURNING id;
