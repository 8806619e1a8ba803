-- Locks that keep other nodes from doing the same at the same time. SQLite needs none: one transaction writes at a time.

-- name: lock_journal
-- Let one transaction at a time write to the journal and the audit, until it commits: a reader who has seen an entry has
-- then seen all before it, and the chain of the audit cannot fork. The number is "duly" in hexadecimal, and 0001.
SELECT pg_advisory_xact_lock(110455493820417);

-- name: lock_token
-- Keep others from changing a token.
SELECT id FROM tokens WHERE id = %(id)s FOR UPDATE;

-- name: lock_session
-- Keep other runs from beginning with a session before this transaction has ended.
SELECT pg_advisory_xact_lock(hashtextextended(%(session_id)s, 0));

-- name: lock_budget
-- Keep other nodes from promising anything of a budget before this transaction has ended.
SELECT pg_advisory_xact_lock(hashtextextended(%(budget)s, 17));

-- name: lock_reminder
-- Keep others from changing the reminders of a run. In order: transactions that lock in another order block each other.
SELECT run_id FROM reminders WHERE run_id = %(run_id)s ORDER BY user_id FOR NO KEY UPDATE;

-- name: lock_run
-- Keep others from changing a run.
SELECT id FROM runs WHERE id = %(run_id)s FOR NO KEY UPDATE;

-- name: lock_notices
-- Let one node at a time take the notices of a message. The number is "duly" in hexadecimal, and 0002.
SELECT pg_advisory_xact_lock(110455493820418);
