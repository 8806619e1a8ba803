-- name: audit_entry
-- Entries of the audit.
INSERT INTO audit (seq, link, at, kind, actor, schedule_id, run_id, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?);
