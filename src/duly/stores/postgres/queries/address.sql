-- Which server answers.

-- name: whereabouts
-- Tell which running server answers, and which of its databases: no other one began at the same microsecond.
SELECT pg_postmaster_start_time(), oid::bigint FROM pg_database WHERE datname = current_database();
