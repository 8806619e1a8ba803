-- name: audit_entry
-- Add entries to the audit.
INSERT INTO audit (seq, link, at, kind, actor, schedule_id, run_id, data)
SELECT * FROM unnest(%(seqs)s, %(links)s, %(times)s, %(kinds)s, %(actors)s, %(schedule_ids)s, %(run_ids)s, %(data)s);
