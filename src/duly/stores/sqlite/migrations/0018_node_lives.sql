-- When each node was last alive by the wall clock: the spans in which no node lived are what lies between.

ALTER TABLE nodes ADD COLUMN seen_at INTEGER;
ALTER TABLE nodes ADD COLUMN version TEXT;

UPDATE nodes SET seen_at = started_at;
