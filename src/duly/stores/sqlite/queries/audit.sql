-- name: audit_entry
-- Add entries to the audit.
INSERT INTO audit (seq, link, at, kind, actor, schedule_id, run_id, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?);
