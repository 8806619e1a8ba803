-- Who paired a chat: in a group, others do not answer for them.

ALTER TABLE user_channels ADD COLUMN sender TEXT;
