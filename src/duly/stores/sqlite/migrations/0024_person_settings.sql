-- What a person has chosen: the lengths of a snooze that are offered, where the parts of their day lie, and when
-- reminders of low priority come together.
ALTER TABLE users ADD COLUMN snoozes TEXT;
ALTER TABLE users ADD COLUMN day_parts TEXT;
ALTER TABLE users ADD COLUMN digest_at TEXT;
