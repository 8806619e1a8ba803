-- When a person gets what has a low priority, as one message; and what waits for it.
ALTER TABLE users ADD COLUMN digest_at TEXT;
CREATE INDEX notices_waiting ON notices (recipient, due_at) WHERE due_at IS NOT NULL;
DROP INDEX notices_recipient;
