-- For which reminders that a person asks for in a chat duly wants an answer.
ALTER TABLE users ADD COLUMN wants_answer TEXT;
