-- What a reminder owes the admins, which a run hands on to the one that takes its place.

ALTER TABLE reminders ADD COLUMN silent_since INTEGER;   -- the first delivery since somebody last answered
ALTER TABLE reminders ADD COLUMN silence_told INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reminders ADD COLUMN failing_since INTEGER;  -- the first round that failed since it last arrived

-- Those that are not over, to find the ones whose runs are.
CREATE INDEX reminders_open ON reminders (run_id) WHERE status IN ('sending', 'awaiting_ack', 'snoozed');
