-- When each node was last alive by its wall clock: the spans in which no node lived are what lies between.

ALTER TABLE nodes ADD COLUMN seen_at timestamptz;
ALTER TABLE nodes ADD COLUMN version text;

UPDATE nodes SET seen_at = started_at;
