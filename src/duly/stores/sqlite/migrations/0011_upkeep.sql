-- Forgetting what is old goes by an index, and so costs nothing while there is nothing old.

CREATE INDEX schedules_deleted ON schedules (deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX events_at ON events (at);
CREATE INDEX nodes_gone ON nodes (started_at, id) WHERE state <> 'alive';
CREATE INDEX nodes_alive ON nodes (id) WHERE state = 'alive';
CREATE INDEX inbound_seen_at ON inbound_seen (at);
CREATE INDEX inbox_read ON inbox (read_at) WHERE read_at IS NOT NULL;
CREATE INDEX pairing_codes_expiry ON pairing_codes (expires_at);

-- Another node has found this one silent and will take it for lost unless it beats.
ALTER TABLE nodes ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;
