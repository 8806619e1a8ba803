-- name: audit_entry
-- Add entries to the audit.
INSERT INTO audit (seq, link, at, kind, actor, schedule_id, run_id, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: move_audit_end
-- Move the end of the chain on, if it is still where the connection left it.
UPDATE audit_head SET number = ?, hash = ?, seq = ? WHERE id = 1 AND number = ? AND hash = ? AND seq = ?;

-- name: audit_link_row
-- Add a link to the chain.
INSERT INTO audit_links (number, at, hash) VALUES (?, ?, ?);
