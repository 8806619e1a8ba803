-- name: version
-- Read the number of the last migration.
SELECT max(version) FROM schema_version;
