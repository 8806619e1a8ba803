-- Attempts that ended with their process, which failures do not: so many of them, and a run counts as poison.

ALTER TABLE runs ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
