-- What a person has chosen: the lengths of a snooze that are offered, and where the parts of their day lie.
ALTER TABLE users ADD COLUMN snoozes TEXT;
ALTER TABLE users ADD COLUMN day_parts TEXT;
