-- Steps of one instant are told apart by the order in which they were kept: a token is random within its millisecond.
ALTER TABLE undos ADD COLUMN seq BIGINT GENERATED ALWAYS AS IDENTITY;
DROP INDEX undos_owner;
CREATE INDEX undos_owner ON undos (owner, made_at, seq);
