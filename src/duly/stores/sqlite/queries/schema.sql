-- name: version
-- Read the number of the last migration, in every transaction that writes; they are in order.
SELECT version FROM schema_version ORDER BY rowid DESC LIMIT 1;
