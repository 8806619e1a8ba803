-- name: save_user
-- Add a person, or change the one with this id.
INSERT INTO users (id, name, timezone, language, is_admin, quiet_from, quiet_to, snoozes, day_parts, digest_at, wants_answer, created_at)
VALUES (:id, :name, :timezone, :language, :is_admin, :quiet_from, :quiet_to, :snoozes, :day_parts, :digest_at,
        :wants_answer, :created_at)
ON CONFLICT (id) DO UPDATE SET
    name = excluded.name, timezone = excluded.timezone, language = excluded.language, is_admin = excluded.is_admin,
    quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
    snoozes = excluded.snoozes, day_parts = excluded.day_parts, digest_at = excluded.digest_at,
    wants_answer = excluded.wants_answer;

-- name: get_user
-- Read one person.
SELECT id, name, timezone, language, is_admin, quiet_from, quiet_to, snoozes, day_parts, digest_at, wants_answer, created_at FROM users WHERE id = :id;

-- name: find_user
-- Find a person by name.
SELECT id, name, timezone, language, is_admin, quiet_from, quiet_to, snoozes, day_parts, digest_at, wants_answer, created_at FROM users WHERE name = :name;

-- name: list_users
-- Read all people, in order of name.
SELECT id, name, timezone, language, is_admin, quiet_from, quiet_to, snoozes, day_parts, digest_at, wants_answer, created_at FROM users ORDER BY name;

-- name: page_of_users
-- Read some people in order of name, beginning after a name.
SELECT id, name, timezone, language, is_admin, quiet_from, quiet_to, snoozes, day_parts, digest_at, wants_answer, created_at FROM users
WHERE :after::text IS NULL OR name > :after::text
ORDER BY name
LIMIT :limit;

-- name: remove_user
-- Delete a person; their channels and codes go with them.
DELETE FROM users WHERE id = :id RETURNING id;

-- name: add_channel
-- Bind an address to a person; an address they have already gets a new preference.
INSERT INTO user_channels (user_id, channel, address, preference, sender)
VALUES (:user_id, :channel, :address, :preference, :sender)
ON CONFLICT (channel, address) DO UPDATE SET
    preference = excluded.preference, sender = coalesce(excluded.sender, user_channels.sender)
WHERE user_channels.user_id = excluded.user_id
RETURNING user_id;

-- name: remove_channel
-- Unbind an address.
DELETE FROM user_channels WHERE user_id = :user_id AND channel = :channel AND address = :address
RETURNING user_id;

-- name: channels_of
-- Read the channels of a person, the preferred one first.
SELECT user_id, channel, address, preference, sender FROM user_channels WHERE user_id = :user_id
ORDER BY preference, channel, address;

-- name: channel_by_address
-- Find the person who has an address.
SELECT user_id, channel, address, preference, sender FROM user_channels
WHERE channel = :channel AND address = :address;

-- name: add_code
-- Add a pairing code, as its digest.
INSERT INTO pairing_codes (hash, user_id, channel, expires_at)
VALUES (:hash, :user_id, :channel, :expires_at)
ON CONFLICT (hash) DO NOTHING;

-- name: take_code
-- Delete a pairing code; returns its person if the code has not expired.
DELETE FROM pairing_codes WHERE hash = :hash AND channel = :channel AND expires_at > :now RETURNING user_id;
